import { Readable } from 'node:stream';
import t from 'tap';
import type { VersionsAnswer } from '../../contract/analytics/versions.js';
import { limits } from '../../contract/limits.js';
import type { Deployment } from '../../contract/manage/deployments.js';
import { announceDeployment } from '../../control/deployments/index.js';
import { createClickHouseStore } from '../../ingest/commit/clickhouse-store.js';
import { Block } from '../../ingest/commit/collapse.js';
import { encodeBlock, landingColumns } from '../../ingest/commit/encode-block.js';
import { makeName, makeRelease, makeSource, makeSourceOf } from '../../ingest/names/names.js';
import { systemClock } from '../../lib/clock.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { testActor } from '../support/actor.js';
import { attributesOf, spanOf } from '../support/otlp.js';
import { makeKey } from '../support/pages.js';
import { select } from '../support/rollups.js';
import { startAnother, startTestService, withoutJobs } from '../support/service.js';

const api = await startTestService(t, { roles: withoutJobs });
const { sql, clickhouse } = api.stores;
const deps = { sql, clock: systemClock };
const { key: manageKey } = await makeKey(deps, { slug: 'acme', scope: 'manage', access: 'read' });
const { key: otherKey } = await makeKey(deps, { slug: 'other', scope: 'read' });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

type Row = { version: string; environment: string; requests: number; errors: number; measured: number };
async function rowsOf(service: string): Promise<Row[]> {
  await api.settle();
  return select<Row>(
    clickhouse,
    `SELECT version, environment, sum(v.requests) AS requests, sum(v.errors) AS errors,
       arraySum(mapValues(sumMap(latency_buckets))) AS measured
     FROM version_requests_hour AS v WHERE service = '${service}' AND page_id = '${api.pageId}'
     GROUP BY version, environment ORDER BY version`,
  );
}
const versionsOf = async (query: Record<string, string>, key = api.readKey) => {
  const answer = await api.get(`/api/v1/analytics/versions?${new URLSearchParams(query)}`, bearer(key));
  return { ...answer, body: answer.body as VersionsAnswer };
};
const events = (service: string, count: number, fields: object = {}) =>
  Array.from({ length: count }, () => ({ service, endpoint: '/pay', status: 200, ms: 20, ...fields }));
const plainSum = async (service: string) => {
  const [row] = await select<{ requests: string }>(
    clickhouse,
    `SELECT sum(s.requests) AS requests FROM service_requests_hour AS s WHERE service = '${service}'`,
  );
  return Number(row?.requests);
};

t.test(
  '202: a batch of v1, a reporter and spans of OTLP name a version, and some of them none',
  async (t) => {
    const first = await api.post('/api/v1/events', {
      version: ' 2.4.1 ',
      environment: 'Production',
      events: events('shop', 3),
    });
    t.match(first, { status: 202, body: { accepted: 3, warning: undefined } });
    const reporter = {
      reporterId: 'shop-1',
      englishName: 'Shop',
      service: 'shop',
      version: '2.4.1',
      environment: 'production',
    };
    const sent = events('shop', 2, { status: 503 }).map(({ service: _, ...event }) => event);
    t.match(await api.post('/api/v2/events', { reporter, events: sent }), {
      status: 202,
      body: { accepted: 2 },
    });
    const resource = {
      attributes: attributesOf({
        'service.name': 'shop',
        'service.version': '2.5.0',
        'deployment.environment': 'production',
      }),
    };
    const body = { resourceSpans: [{ resource, scopeSpans: [{ spans: [spanOf({}), spanOf({})] }] }] };
    t.equal((await api.post('/v1/traces', body)).status, 200);
    await api.post('/api/v1/events', events('shop', 4));
    t.strictSame(await rowsOf('shop'), [
      { version: '2.4.1', environment: 'production', requests: 5, errors: 2, measured: 5 },
      { version: '2.5.0', environment: 'production', requests: 2, errors: 0, measured: 2 },
    ]);
    t.equal(await plainSum('shop'), 11, 'the service counts them all, once');
    const { body: answer } = await versionsOf({ service: 'Shop' });
    t.equal(answer.unversioned, 4);
    t.match(
      answer.versions.map(({ version, requests, errors }) => ({ version, requests, errors })),
      [
        { version: '2.5.0', requests: 2, errors: 0 },
        { version: '2.4.1', requests: 5, errors: 2 },
      ],
    );
    t.match(answer.comparison, { version: '2.5.0', previous: '2.4.1', isThin: true, changes: [] });
    t.match((await versionsOf({})).body, { service: 'shop' }, 'the service with the newest deployment');
  },
);

t.test('a version that a service had not is a deployment', async (t) => {
  await api.post('/api/v1/events', { version: '1', events: events('cart', 1) });
  await api.post('/api/v1/events', { version: '1', events: events('cart', 1) });
  const { body } = await api.get('/api/v1/pages/acme/deployments?service=cart', bearer(manageKey));
  const { items } = body as { items: Deployment[] };
  t.match(items, [{ service: 'cart', version: '1', environment: null, announcedAt: null }]);
  t.equal(items.length, 1);
  t.equal(items[0]?.at, items[0]?.firstSeenAt);
});

t.test('neither events without a service nor reporters without one have versions', async (t) => {
  await api.post('/api/v1/events', { version: '1', events: [{ endpoint: '/a', status: 200 }] });
  const reporter = { reporterId: 'lone-1', englishName: 'Lone', version: '1' };
  await api.post('/api/v2/events', { reporter, events: [{ endpoint: '/a', status: 200 }] });
  t.strictSame(await rowsOf('Unassigned'), []);
  t.strictSame(await rowsOf('lone-1'), []);
});

t.test('a version that is none leaves the batch as it is', async (t) => {
  for (const version of [7, '', 'x'.repeat(101), 'a\nb', null, {}]) {
    const { status } = await api.post('/api/v1/events', { version, events: events('odd', 1) });
    t.equal(status, 202, JSON.stringify(version));
  }
  t.strictSame(await rowsOf('odd'), []);
  t.equal(await plainSum('odd'), 6);
});

t.test(
  `a service has ${limits.versionsPerService} versions at a time, over any number of instances`,
  async (t) => {
    const another = await startAnother(t, api, { roles: withoutJobs });
    const count = 2 * limits.versionsPerService;
    const answers = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        (i % 2 ? api : another).post('/api/v1/events', { version: `v${i}`, events: events('many', 1) }),
      ),
    );
    t.strictSame(
      answers.map(({ status }) => status),
      Array.from({ length: count }, () => 202),
    );
    await another.settle();
    t.equal((await rowsOf('many')).length, limits.versionsPerService);
    t.equal(await plainSum('many'), count);
    const warned = answers.filter(({ body }) => /20 other versions/.test(Object(body).warning));
    t.equal(warned.length, limits.versionsPerService);
    const [stored] =
      await sql`select count(*)::integer as count from service_versions where service = 'many'`;
    t.equal(stored?.['count'], limits.versionsPerService);
  },
);

t.test('the figures of a version are those of its hours, and what has changed is said', async (t) => {
  const now = Math.floor(Date.now() / minuteMs) * minuteMs;
  const came = now - 110 * minuteMs;
  const minute = (at: number, ms: number, version: string, fields: object = {}) =>
    api.post('/api/v1/events', {
      version,
      events: events('pay', 20, { ms, at: new Date(at).toISOString(), ...fields }),
    });
  for (let i = 1; i <= 40; i += 1) await minute(came - i * 2 * minuteMs, 200, '1.0');
  for (let i = 0; i < 40; i += 1) {
    const failed = i >= 20 && { status: 500, message: `timeout of ${i} ms` };
    await minute(came + (i + 10) * 2 * minuteMs, 480, '1.1', failed || {});
  }
  for (const [version, at] of [
    ['1.0', came - 3 * hourMs],
    ['1.1', came],
  ] as const) {
    await sql`update deployments set at = ${new Date(at)}, first_seen_at = ${new Date(at)}
      where service = 'pay' and version = ${version}`;
  }
  const { body } = await versionsOf({ service: 'pay' });
  t.match(body.comparison, {
    version: '1.1',
    previous: '1.0',
    isThin: false,
    now: { requests: 800, errors: 400 },
    before: { requests: 800, errors: 0, failureRate: 0 },
    newMessages: [{ message: /^timeout of \d+ ms$/, endpoint: '/pay' }],
  });
  const p95 = body.comparison?.changes.find(({ figure }) => figure === 'p95Ms');
  t.match(p95, { direction: 'up', minutesAfter: 20, since: new Date(came + 20 * minuteMs).toISOString() });
  t.ok(Math.abs((p95?.from ?? 0) - 200) < 6 && Math.abs((p95?.to ?? 0) - 480) < 13, JSON.stringify(p95));
  const failures = body.comparison?.changes.find(({ figure }) => figure === 'failureRate');
  t.match(failures, { direction: 'up', from: 0, to: 0.5 });
  t.match(
    (await versionsOf({ service: 'pay', version: '1.0' })).body.comparison,
    null,
    'nothing was before it',
  );
});

t.test('an announced version without requests is listed, and not compared', async (t) => {
  const { pageId } = api;
  await announceDeployment({ ...deps, by: testActor }, { pageId, service: 'cart', version: '9' });
  const { body } = await versionsOf({ service: 'cart' });
  t.match(body.versions, [{ version: '9', firstSeenAt: null, requests: 0 }, { version: '1' }]);
  t.equal(body.comparison, null);
});

t.test('400, 401, and nothing for the key of another page', async (t) => {
  for (const query of [{ service: ' ' }, { version: '' }, { page: '1' }] as Record<string, string>[])
    t.equal((await versionsOf(query)).status, 400, JSON.stringify(query));
  t.equal((await versionsOf({}, 'key_read_none')).status, 401);
  const { body } = await versionsOf({ service: 'shop' }, otherKey);
  t.match(body, { versions: [], unversioned: 0, comparison: null });
});

t.test('an instance of an earlier release inserts nothing of a block with versions', async (t) => {
  const base = makeSource(api.pageId, 'service', 'early');
  const source = makeSourceOf(base.pageBytes, 'service', 'early', makeRelease('1', 'production'));
  const block = new Block();
  for (const status of [200, 503])
    block.addCounted({
      ...{ source, endpoint: makeName('/a'), method: makeName('GET'), status, count: 1, latencies: [] },
      at: Date.now(),
    });
  const bytes = encodeBlock(block);
  await t.rejects(
    clickhouse.exec({
      query: `INSERT INTO landing_blocks (${landingColumns.join(', ')}) FORMAT RowBinary`,
      values: Readable.from([bytes], { objectMode: false }),
    }),
  );
  const store = createClickHouseStore(clickhouse);
  await store.insert(bytes, '00000000-0000-4000-8000-00000000000a');
  await store.insert(bytes, '00000000-0000-4000-8000-00000000000a');
  const counted = { version: '1', environment: 'production', requests: 2, errors: 1, measured: 0 };
  t.strictSame(await rowsOf('early'), [counted], 'this one does, once');
});
