import fc from 'fast-check';
import t, { type Test } from 'tap';
import { readDesired } from '../../../cli/apply/desired.js';
import { exportPage } from '../../../cli/apply/export-page.js';
import { planChanges } from '../../../cli/apply/plan.js';
import { readApplyFile } from '../../../cli/apply/read-file.js';
import { runPlan } from '../../../cli/apply/run-plan.js';
import type { Client } from '../../../cli/client/client.js';
import { listConnections } from '../../../cli/connection.js';
import { createContext } from '../../../cli/core/context.js';
import { listMonitors } from '../../../cli/monitor/requests.js';
import type { ApplyFile } from '../../../contract/manage/apply.js';
import { systemClock } from '../../../lib/clock.js';
import { parseConfig } from '../../../service/config.js';
import type { RemoteConfig } from '../../../service/settings/remote-config.js';
import { environmentFor } from '../../support/cli-environment.js';
import { makeKey, setPage } from '../../support/pages.js';
import { propertyOf } from '../../support/property.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
await setPage(deps, { slug: 'acme', languages: ['en', 'de', 'fr'] });
const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });

function open(remote?: RemoteConfig): Client {
  const context = createContext(parseConfig(environmentFor(service.stores)), {
    ...{ print() {}, notify() {}, createsStores: false, variable: () => undefined },
    ...(remote !== undefined && { remote }),
  });
  t.teardown(() => context.close());
  return context.client;
}

const name = fc.constantFrom('One', 'Two', 'Three');
const common = {
  name,
  names: fc.dictionary(fc.constantFrom('de', 'fr'), name, { noNullPrototype: true }),
  failuresToDown: fc.integer({ min: 1, max: 5 }),
  group: fc.constantFrom('g', 'h'),
};
const monitor = fc.oneof(
  fc.record(
    {
      ...{ type: fc.constant('http' as const), ...common },
      url: fc.constantFrom('https://a.example', 'https://B.example/x?y'),
      expectStatus: fc.constantFrom('200', '200-299,404'),
      expectBody: fc.constantFrom('', 'ok'),
      headers: fc.constantFrom({}, { 'X-Key': 'value' }),
      body: fc.constantFrom('', 'text'),
    },
    { requiredKeys: ['type', 'name', 'url', 'headers', 'body'] },
  ),
  fc.record(
    {
      type: fc.constant('tcp' as const),
      ...common,
      url: fc.constantFrom('tcp://a.example:1', 'tcp://b.example:2'),
    },
    { requiredKeys: ['type', 'name', 'url'] },
  ),
  fc.record(
    {
      ...{ type: fc.constant('heartbeat' as const), ...common },
      ...{ periodSeconds: fc.integer({ min: 60, max: 90 }), graceSeconds: fc.integer({ min: 0, max: 9 }) },
    },
    { requiredKeys: ['type', 'name', 'periodSeconds'] },
  ),
);
const onlySchedule = { notify: [{ schedule: 's' }], waitMinutes: 5 };
const policies = fc
  .record({ p: fc.constantFrom('none', 'page', 'ticket'), q: fc.constantFrom('none', 'page', 'ticket') })
  .filter(({ p, q }) => p !== q)
  .chain((defaults) => {
    const policy = (severity: 'none' | 'page' | 'ticket') =>
      fc.record({
        ...{ name, steps: fc.constant([onlySchedule]), repeat: fc.integer({ min: 0, max: 1 }) },
        defaultFor: fc.constant(severity === 'none' ? [] : [severity]),
      });
    return fc.record({ p: policy(defaults.p), q: policy(defaults.q) }, { requiredKeys: ['p'] });
  });
/** Each depends on those that stand before it in some order, and stands anywhere in the file. */
const rules = fc
  .shuffledSubarray(['u', 'v', 'w', 'x'])
  .chain((slugs) =>
    fc.tuple(
      ...slugs.map((slug, at) =>
        fc.record({
          slug: fc.constant(slug),
          ...{ name, kind: fc.constantFrom('failure-rate' as const, 'latency' as const) },
          behind: fc.subarray(slugs.slice(0, at)),
          policy: fc.constantFrom('p', null),
        }),
      ),
    ),
  )
  .chain((drawn) => fc.shuffledSubarray(drawn, { minLength: drawn.length }))
  .map((drawn) =>
    Object.fromEntries(
      drawn.map(({ slug, name, kind, behind, policy }) => {
        const condition =
          kind === 'latency'
            ? { percentile: 'p95' as const, overMs: 500, windowMinutes: 5 }
            : { percent: 2, windowMinutes: 5 };
        const dependsOn = behind.map((rule) => ({ rule }));
        return [slug, { name, kind, condition, policy, dependsOn }];
      }),
    ),
  );
const objective = fc.record({
  name,
  target: fc.constantFrom(99, 99.9),
  window: fc.constantFrom({ days: 7 }, { calendar: 'month' as const }),
  sli: fc.constantFrom({ requests: {} }, { requests: { service: 'shop' } }),
});
const drawn = fc.record({
  page: fc.record({
    slug: fc.constant('acme'),
    name,
    accent: fc.constantFrom('none', '#AABBCC', '#001122'),
    footerLinks: fc.array(fc.record({ label: name, url: fc.constant('https://a.example') }), {
      maxLength: 2,
    }),
    incidentsFromMonitors: fc.boolean(),
  }),
  // Monitors name them.
  groups: fc.record({ g: fc.record({ name }), h: fc.record({ name }) }),
  monitors: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), monitor, { noNullPrototype: true }),
  webhooks: fc.uniqueArray(
    fc.record(
      {
        url: fc.constantFrom('https://h.example', 'https://h.example/2', 'https://h.example/3'),
        events: fc.constantFrom(['incident.*'], ['maintenance.*', 'incident.created']),
      },
      { requiredKeys: ['url'] },
    ),
    { selector: ({ url, events }) => `${url} ${events}`, maxLength: 3 },
  ),
  alertRule: fc.option(
    fc.record({
      thresholdPercent: fc.constantFrom(0.5, 5),
      windowSeconds: fc.constantFrom(60, 300),
      minimumRequests: fc.integer({ min: 1, max: 9 }),
    }),
  ),
  connections: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('x', 'y'),
      engine: fc.constantFrom('mysql' as const, 'mongodb' as const),
    }),
    { selector: (one) => one.name, maxLength: 2 },
  ),
  templates: fc.dictionary(
    fc.constantFrom('outage', 'upgrade'),
    fc.record(
      {
        ...{ name, type: fc.constantFrom('incident' as const, 'maintenance' as const) },
        ...{ title: fc.constantFrom('', ' Outage '), summary: fc.constantFrom('', 'We *look*.') },
        updates: fc.constantFrom([], [{ status: 'resolved' as const, body: ' Over. ' }]),
        texts: fc.constantFrom({}, { de: { title: 'Ausfall', summary: ' ' }, fr: { summary: 'Panne' } }),
      },
      { requiredKeys: ['name'] },
    ),
    { noNullPrototype: true },
  ),
  schedules: fc.record({
    s: fc.record({ name, timeZone: fc.constantFrom('UTC', 'Europe/Berlin'), layers: fc.constant([]) }),
  }),
  policies,
  objectives: fc.dictionary(fc.constantFrom('o', 'r'), objective, { noNullPrototype: true }),
  rules,
});

/** Without the settings that are undefined, as JSON has it. */
const file = drawn.map((value): ApplyFile => JSON.parse(JSON.stringify(value)));

class Crash extends Error {}

/** The same client, where a crash follows the request with the number `at` of those that change something. */
function crashing(to: Client, at: number): Client {
  let made = 0;
  return {
    ...to,
    async send(method, path, request) {
      const answer = await to.send(method, path, request);
      if (method !== 'GET') made += 1;
      if (made === at && method !== 'GET') throw new Crash();
      return answer;
    },
  };
}

/** Applies a file with --prune; stops behind the change with the number `crashAt`. */
async function apply(client: Client, wanted: ApplyFile, crashAt?: number): Promise<void> {
  const to = crashAt === undefined ? client : crashing(client, crashAt);
  const plan = await planChanges(to, { desired: desiredOf(wanted), prunes: true });
  await runPlan(plan).catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
}

const desiredOf = (wanted: ApplyFile) =>
  readDesired(readApplyFile(JSON.stringify(wanted), 'file'), () => undefined);

/** The state of the page, without the order in which it came about. */
async function stateOf(from: Client): Promise<object> {
  const { file, withSecrets } = await exportPage(from, 'acme');
  const sorted = (list: readonly object[] = []) => list.map((one) => JSON.stringify(one)).sort();
  const { slug, name, accent, footerLinks, incidentsFromMonitors } = file.page;
  return {
    page: { slug, name, accent, footerLinks, incidentsFromMonitors },
    groups: file.groups,
    monitors: file.monitors,
    webhooks: sorted(file.webhooks),
    connections: sorted(file.connections),
    ...{ templates: file.templates, schedules: file.schedules, policies: file.policies },
    ...{ objectives: file.objectives, rules: file.rules },
    withSecrets: [...withSecrets].sort(),
  };
}

const empty: ApplyFile = {
  ...{ page: { slug: 'acme', name: 'Acme', accent: 'none', footerLinks: [], incidentsFromMonitors: false } },
  ...{ groups: {}, monitors: {}, webhooks: [], alertRule: null, connections: [] },
  ...{ schedules: {}, policies: {}, objectives: {}, rules: {} },
};

/** Holds that any sequence of files, with crashes between, ends in the state of the last file. */
async function holdSequences(
  t: Test,
  client: Client,
  { maxLength, ...runs }: { numRuns: number; seed: number; maxLength: number },
): Promise<void> {
  const crash = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined });
  const steps = fc.array(fc.tuple(file, crash), { minLength: 1, maxLength });
  await fc.assert(
    fc.asyncProperty(steps, file, async (before, last) => {
      await apply(client, empty);
      await apply(client, last);
      const wanted = await stateOf(client);
      await apply(client, empty);
      for (const [one, crashAt] of before) await apply(client, one, crashAt);
      await apply(client, last);
      t.strictSame(await stateOf(client), wanted);
      const again = await planChanges(client, { desired: desiredOf(last), prunes: true });
      t.strictSame(again.changes, []);
    }),
    runs,
  );
}

t.test('any sequence of files, with crashes between, ends in the state of the last file', async (t) => {
  await holdSequences(t, open(), { ...propertyOf(t, { few: 8, many: 100 }), maxLength: 4 });
});

t.test('so it does over HTTP', async (t) => {
  // The service takes 600 requests of a key in a minute.
  await holdSequences(t, open({ url: new URL(service.url), key }), {
    ...propertyOf(t, { few: 1, many: 3 }),
    maxLength: 2,
  });
});

t.test('a crash between the two halves of a replacement is mended by the next run', async (t) => {
  const client = open();
  const acme = await client.pathOf('acme');
  const withMonitor = (monitor: NonNullable<ApplyFile['monitors']>[string]): ApplyFile => ({
    ...empty,
    ...{
      monitors: { a: monitor },
      connections: [{ name: 'x', engine: monitor.type === 'tcp' ? 'mysql' : 'mongodb' }],
    },
  });
  await apply(client, empty);
  await apply(client, withMonitor({ type: 'tcp', name: 'A', url: 'tcp://a.example:1' }));
  const next = withMonitor({ type: 'heartbeat', name: 'A', periodSeconds: 60 });
  await apply(client, next, 1);
  t.strictSame(await listMonitors(client, acme), [], 'the old one is gone, and the new one not there');
  await apply(client, next, 2);
  t.strictSame(await listConnections(client, acme), []);
  await apply(client, next);
  t.match(await listMonitors(client, acme), [{ slug: 'a', type: 'heartbeat' }]);
  t.match(await listConnections(client, acme), [{ name: 'x', engine: 'mongodb' }]);
});
