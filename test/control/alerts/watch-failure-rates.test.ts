import t from 'tap';
import type { LedgerEntry } from '../../../contract/incidents.js';
import { removeAlertRule, setAlertRule } from '../../../control/alerts/index.js';
import { changeIncident, loadLedger, parseIncidentChange } from '../../../control/incidents/index.js';
import { type IncidentId, type PageId, parseId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import type { JobDeps } from '../../../service/jobs/job.js';
import { lookAtRules } from '../../../service/jobs/watch-rules.js';
import { openClickHouse } from '../../../sql/open-clickhouse.js';
import { insertRequests, type LandingRow } from '../../analytics/support.js';
import { testActor } from '../../support/actor.js';
import { silence, startHostileStore } from '../../support/hostile-store.js';
import { openOwn } from '../../support/own-store.js';
import { makePage, setPage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql, clickhouse } = await openStores(t);
const begin = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 10 * 3_600_000;
let now = begin;
const clock = { now: () => now };
const deps: JobDeps = { sql, clickhouse, clickhouseOf: () => clickhouse, clock, log: silentLog };
let pages = 0;

/** Creates a page with an account of its own and a rule of 5 % of at least 100 requests in 5 minutes. */
async function makeRule(rule: Partial<Parameters<typeof setAlertRule>[1]> = {}, languages = ['en']) {
  const slug = `page-${++pages}`;
  const { id: pageId } = await makePage(sql, { slug, languages });
  await setAlertRule(
    { ...deps, by: testActor },
    { pageId, thresholdPercent: 5, windowSeconds: 300, requestsMin: 100, ...rule },
  );
  t.teardown(() => removeAlertRule({ ...deps, by: testActor }, { pageId }));
  return {
    ...{ slug, pageId },
    /** Requests by status in the minute with this number. */
    send: (minute: number, statuses: Record<number, number>, row: Partial<LandingRow> = {}) =>
      insertRequests(
        clickhouse,
        pageId,
        Object.entries(statuses).map(([status, requests]) => ({
          at: begin + minute * minuteMs,
          status: Number(status),
          requests,
          ...row,
        })),
      ),
    ledger: (): Promise<LedgerEntry[]> => loadLedger({ sql, clock: deps.clock }, pageId),
    kinds: () => loadKinds(pageId),
  };
}

async function loadKinds(pageId: PageId): Promise<string[]> {
  const rows = await sql<{ kind: string }[]>`
    select kind from announcements where page_id = ${pageId} order by seq`;
  return rows.map(({ kind }) => kind);
}

/** Runs the job when the minute before this one is over by some seconds. */
async function runAt(minute: number, run = deps): Promise<void> {
  now = begin + minute * minuteMs + 20_000;
  await lookAtRules(run);
}

t.test('an outage opens one incident, which is resolved when the rate is good over the window', async (t) => {
  const { send, ledger, kinds } = await makeRule();
  await send(0, { 200: 190, 500: 4, 503: 6 });
  await runAt(1);
  await runAt(2);
  t.match(await ledger(), [
    {
      type: 'incident',
      title: { en: 'Elevated error rate' },
      summary: { en: 'About 5 % of requests failed in the last 5 minutes.' },
      startedAt: new Date(begin + minuteMs + 20_000).toISOString(),
      resolvedAt: null,
    },
  ]);
  await send(2, { 200: 100, 500: 10 });
  await runAt(3);
  t.equal((await ledger()).length, 1, 'the outage continues');
  await send(6, { 200: 20, 502: 1 });
  await runAt(7);
  t.match(await ledger(), [{ resolvedAt: null }], 'the window contains the failures of minute 2');
  await runAt(8);
  t.match(await ledger(), [
    {
      resolvedAt: new Date(begin + 8 * minuteMs + 20_000).toISOString(),
      updates: [
        {
          status: 'resolved',
          body: { en: 'The error rate is back to normal.' },
        },
      ],
    },
  ]);
  t.strictSame(await kinds(), ['incident.created', 'incident.resolved']);

  await send(20, { 500: 100 }, { kind: 'reporter', service: 'shop-1' });
  await runAt(21);
  t.equal((await ledger()).length, 2, 'the next outage has its own incident, whatever reports it');
});

t.test('the texts are in the default language of the page', async (t) => {
  const cases = [
    ['de', 'Erhöhte Fehlerrate', 'In den letzten 5 Minuten sind etwa 6 % der Anfragen fehlgeschlagen.'],
    ['fr', 'Taux d’erreurs élevé', 'Environ 6 % des requêtes ont échoué au cours des 5 dernières minutes.'],
    [
      'es',
      'Tasa de errores elevada',
      'Cerca del 6 % de las solicitudes ha fallado en los últimos 5 minutos.',
    ],
    ['ja', 'エラー率の上昇', '直近5分間のリクエストの約6%が失敗しました。'],
    ['ko', 'Elevated error rate', 'About 6 % of requests failed in the last 5 minutes.'],
  ] as const;
  const rules = await Promise.all(cases.map(([language]) => makeRule({}, [language])));
  for (const { send } of rules) await send(0, { 200: 1_875, 500: 125 });
  await runAt(1);
  for (const [at, [language, title, summary]] of cases.entries()) {
    const ledger = (await rules[at]?.ledger()) ?? [];
    t.match(ledger, [{ title: { [language]: title }, summary: { [language]: summary } }], language);
  }
  await rules[0]?.send(8, { 200: 10 });
  await runAt(9);
  const [german] = (await rules[0]?.ledger()) ?? [];
  t.match(german?.updates, [
    {
      body: {
        de: 'Die Fehlerrate ist wieder normal.',
      },
    },
  ]);
});

t.test('a 4xx is not a failure, and few requests are not an outage', async (t) => {
  const clients = await makeRule();
  await clients.send(0, { 200: 10, 404: 900, 429: 900, 499: 900 });
  const few = await makeRule();
  await few.send(0, { 500: 99 });
  const below = await makeRule();
  await below.send(0, { 200: 951, 500: 49 });
  const before = await makeRule();
  await before.send(-5, { 500: 500 });
  await before.send(1, { 500: 500 });
  await runAt(1);
  for (const { ledger } of [clients, few, below, before]) t.strictSame(await ledger(), []);
});

t.test('a window without requests does not resolve an incident', async (t) => {
  const { send, ledger, kinds } = await makeRule();
  await send(0, { 500: 200 });
  await runAt(1);
  await runAt(30);
  t.match(await ledger(), [{ resolvedAt: null }]);
  await send(40, { 200: 1 });
  await runAt(41);
  t.strictSame(await kinds(), ['incident.created', 'incident.resolved']);
});

t.test('an incident that somebody resolves is not opened again during the outage', async (t) => {
  const { send, ledger, kinds, pageId } = await makeRule();
  await send(0, { 500: 200 });
  await runAt(1);
  const incidentId = parseId<IncidentId>((await ledger())[0]?.id ?? '');
  if (incidentId === undefined) throw new Error('The rule has opened an incident.');
  const resolvedAt = new Date(begin + 2 * minuteMs).toISOString();
  const change = parseIncidentChange({ resolvedAt });
  await changeIncident({ sql, clock: deps.clock, by: testActor }, { pageId, incidentId, change });
  for (const minute of [2, 3, 4]) {
    await send(minute, { 500: 200 });
    await runAt(minute + 1);
  }
  t.match(await ledger(), [{ resolvedAt, updates: [] }]);
  await send(20, { 200: 200 });
  await runAt(21);
  t.match(await ledger(), [{ resolvedAt, updates: [] }], 'nothing is left to resolve');
  await send(30, { 500: 200 });
  await runAt(31);
  t.strictSame(await kinds(), ['incident.created', 'incident.resolved', 'incident.created']);
});

t.test('concurrent runs open and resolve one incident', async (t) => {
  const { send, kinds } = await makeRule();
  await send(0, { 500: 200 });
  await Promise.all([1, 2, 3, 4].map(() => runAt(1)));
  t.strictSame(await kinds(), ['incident.created']);
  await send(10, { 200: 200 });
  await Promise.all([1, 2, 3, 4].map(() => runAt(11)));
  t.strictSame(await kinds(), ['incident.created', 'incident.resolved']);
});

t.test(
  'pages without a rule, other pages, and accounts without the capabilities have no incidents',
  async (t) => {
    const failing = await makeRule();
    const sound = await makeRule();
    const without = await makePage(sql, { slug: 'without' });
    const denied = await makeRule();
    await setPage(
      { sql, clock: deps.clock },
      { slug: denied.slug, capabilities: { 'incident-writes': false } },
    );
    const noAnalytics = await makeRule();
    await setPage(
      { sql, clock: deps.clock },
      { slug: noAnalytics.slug, capabilities: { 'internal-analytics': false } },
    );
    await insertRequests(clickhouse, without.id, [{ at: begin, status: 500, requests: 1_000 }]);
    await sound.send(0, { 200: 1_000 });
    for (const { send } of [failing, denied, noAnalytics]) await send(0, { 500: 1_000 });
    await runAt(1);
    t.equal((await failing.ledger()).length, 1);
    for (const { pageId } of [sound, denied, noAnalytics, { pageId: without.id }]) {
      t.strictSame(await loadKinds(pageId), []);
    }
  },
);

t.test('a changed rule keeps the incident of the outage; a removed rule changes nothing', async (t) => {
  const { send, ledger, pageId, kinds } = await makeRule();
  await send(0, { 200: 100, 500: 100 });
  await runAt(1);
  const rule = { pageId, thresholdPercent: 40, windowSeconds: 600, requestsMin: 1 };
  const { incidentId } = await setAlertRule({ ...deps, by: testActor }, rule);
  t.equal(incidentId, (await ledger())[0]?.id);
  await runAt(2);
  t.strictSame(await kinds(), ['incident.created']);
  t.equal(await removeAlertRule({ ...deps, by: testActor }, { pageId }), true);
  await send(20, { 200: 100 });
  await runAt(21);
  t.match(await ledger(), [{ resolvedAt: null }]);
});

t.test('a rule that changes while its rate is loaded is evaluated in the next run', async (t) => {
  const { send, pageId, kinds } = await makeRule();
  await send(0, { 500: 200 });
  const changed = { pageId, thresholdPercent: 5, windowSeconds: 300, requestsMin: 1_000 };
  let change: Promise<unknown> | undefined;
  const query: typeof clickhouse.query = async (asked) => {
    change ??= setAlertRule({ ...deps, by: testActor }, changed);
    await change;
    return clickhouse.query(asked);
  };
  const slow = new Proxy(clickhouse, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
  });
  await runAt(1, { ...deps, clickhouse: slow });
  t.strictSame(await kinds(), []);
});

t.test('nothing changes while ClickHouse is unavailable, and the run goes on', async (t) => {
  const { send, kinds, pageId } = await makeRule();
  await send(0, { 500: 200 });
  const gone = openClickHouse('http://127.0.0.1:1/none');
  t.teardown(() => gone.close());
  await runAt(1, { ...deps, clickhouse: gone, clickhouseOf: () => gone });
  t.strictSame(await kinds(), []);
  const [rule] = await sql`
    select g.kind, reason from rule_gaps g join rules r on r.id = g.rule_id
    where r.page_id = ${pageId} and r.slug = 'failure-rate'`;
  t.match(rule, { kind: 'error' });
  await runAt(2);
  t.strictSame(await kinds(), ['incident.created']);
});

t.test(
  "pages' own event stores that hang delay no page on the installation's, and fail for their pages alone",
  async (t) => {
    // As many as are looked at at once, and ahead of the other page in the order of ids.
    const hanging = await Promise.all(Array.from({ length: 8 }, () => makeRule()));
    const other = await makeRule();
    const hostile = await startHostileStore(t, silence);
    const stores = new Map(hanging.map(({ pageId }) => [pageId, openOwn(t, hostile)]));
    for (const { pageId } of hanging) {
      await sql`
        insert into event_stores (page_id, url, database, username, password, set_at)
        values (${pageId}, ${hostile.url}, 'events', 'owner', 'sealed', now())`;
      t.teardown(() => sql`delete from event_stores where page_id = ${pageId}`);
    }
    for (const { send } of [...hanging, other]) await send(0, { 500: 200 });
    const running = runAt(1, {
      ...deps,
      clickhouseOf: (pageId) => stores.get(pageId)?.begin() ?? clickhouse,
    });
    await waitUntil('the stores hang', () => hostile.queries.length >= stores.size);
    for (const own of stores.values()) own.close();
    await running;
    t.strictSame(await other.kinds(), ['incident.created']);
    for (const { kinds } of hanging) t.strictSame(await kinds(), []);
  },
);
