import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Pool, PoolReport } from '../../contract/pool-reports.js';
import { setPage } from '../support/pages.js';
import { makePool, makeSilentPool, startReportService } from '../support/pool-reports.js';
import { waitUntil } from '../support/wait-until.js';

const { api, clock, sql, post, make, isRefused, logged } = await startReportService(t);
const withPool = (fields: Partial<Pool>) =>
  make({ pools: [makePool(), makePool({ pool: 'bad', ...fields })] });
const iso = (ms: number) => new Date(ms).toISOString();

t.test('400: the body is not a JSON object', async (t) => {
  for (const body of ['', '{', 'version=1']) {
    await isRefused(t, body, 400, 'The request body is not valid JSON.');
  }
  for (const body of ['[]', 'null', '7', '"x"'])
    await isRefused(t, body, 400, /^The body must be an object; /);
});

t.test('400: a field is missing or of the wrong kind', async (t) => {
  const good = make();
  for (const name of Object.keys(good)) {
    await isRefused(t, { ...good, [name]: undefined }, 400, new RegExp(name));
  }
  const wrong: [string, unknown[]][] = [
    ['version', [0, 2, '1', null]],
    ['session', ['', 'x', 7, null, `{${randomUUID()}}`, randomUUID().replaceAll('-', '')]],
    ['sequence', [-1, 0.5, '1', null, 2 ** 53, true]],
    ['service', ['', ' ', 7, null, 'x'.repeat(121), 'a\u0000b', 'a\nb']],
    ['environment', ['', null]],
    ['revision', ['', null]],
    ['startedAt', ['', 'yesterday', 0, null, '2026-02-30T00:00:00Z', '1969-12-31T23:59:59Z']],
    ['from', ['', 'now', 0, null]],
    ['to', ['', 'now', 0, null]],
    ['pools', [null, {}, 'x', [null], [7]]],
    ['exporter', [null, [], {}]],
  ];
  for (const [name, values] of wrong) {
    for (const value of values)
      await isRefused(t, { ...good, [name]: value }, 400, new RegExp(`^/${name}\\b`));
  }
  for (const name of ['dropped', 'failures']) {
    for (const value of [-1, 1.5, null, '0']) {
      const exporter = { ...good.exporter, [name]: value };
      await isRefused(t, { ...good, exporter }, 400, new RegExp(`^/exporter/${name} `));
    }
  }
});

t.test('400: a field of a pool is missing or of the wrong kind', async (t) => {
  const refuse = (fields: object, pointer: RegExp) => isRefused(t, withPool(fields), 400, pointer);
  const optional = ['minimum', 'maximum'];
  for (const name of Object.keys(makePool()).filter((name) => !optional.includes(name))) {
    await refuse({ [name]: undefined }, new RegExp(`^/pools/1\\b.*${name}`));
  }
  for (const name of ['system', 'target', 'pool', 'serverPool', 'driverVersion']) {
    for (const value of ['', null, 7]) await refuse({ [name]: value }, new RegExp(`^/pools/1/${name} `));
  }
  for (const name of ['failures', 'created', 'closed', ...optional]) {
    for (const value of [-1, 0.5, '1', 2 ** 53])
      await refuse({ [name]: value }, new RegExp(`^/pools/1/${name} `));
  }
  await refuse({ coverage: 'most' as 'partial' }, /^\/pools\/1\/coverage /);
  for (const supported of [['open', 'open'], ['size'], 'open', null])
    await refuse({ supported }, /^\/pools\/1\/supported/);
  for (const open of [-1, 0.5, '1', {}]) {
    await refuse({ snapshot: { ...makePool().snapshot, open } }, /^\/pools\/1\/snapshot\/open /);
    await refuse({ peaks: { ...makePool().peaks, open } }, /^\/pools\/1\/peaks\/open /);
  }
  await refuse(
    { snapshot: { open: 1, busy: 1, idle: 0 } },
    /^\/pools\/1\/snapshot\/waiting is missing; send it\.$/,
  );
  await refuse({ peaks: null }, /^\/pools\/1\/peaks /);
});

t.test('400: acquisition without eleven counts, or with impossible counts', async (t) => {
  const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
  const refuse = (acquisition: unknown, pointer: RegExp) =>
    isRefused(t, withPool({ acquisition: acquisition as Pool['acquisition'] }), 400, pointer);
  for (const count of [0, 10, 12])
    await refuse({ counts: zeros(count), sumMs: 0 }, /^\/pools\/1\/acquisition\/counts /);
  for (const value of [-1, 0.5, '1', null]) {
    await refuse({ counts: [value, ...zeros(10)], sumMs: 0 }, /^\/pools\/1\/acquisition\/counts\/0 /);
  }
  for (const sumMs of [-1, '1', null, 2 ** 53 / 1000])
    await refuse({ counts: [1, ...zeros(10)], sumMs }, /^\/pools\/1\/acquisition\/sumMs /);
  const infinite = JSON.stringify(make()).replace('6123.25', '1e400');
  await isRefused(t, infinite, 400, /^\/pools\/0\/acquisition\/sumMs /);
  await refuse({ counts: zeros(11), sumMs: 1 }, /^\/pools\/1\/acquisition\/sumMs must be 0 /);
});

t.test('400: a supported measurement that is null', async (t) => {
  const { snapshot } = makePool();
  for (const name of ['open', 'busy', 'idle', 'waiting']) {
    const at = `/pools/1/snapshot/${name} must not be null: it is one of the supported measurements.`;
    for (const coverage of ['complete', 'partial'] as const) {
      await isRefused(t, withPool({ coverage, snapshot: { ...snapshot, [name]: null } }), 400, at);
    }
  }
  for (const name of ['acquisition', 'failures', 'created', 'closed']) {
    await isRefused(t, withPool({ [name]: null }), 400, new RegExp(`^/pools/1/${name} must not be null`));
  }
});

t.test('400: an unsupported measurement that is not null', async (t) => {
  const full = makePool();
  const silent = (fields: Partial<Pool>) => make({ pools: [makeSilentPool(fields)] });
  for (const name of ['open', 'busy', 'idle', 'waiting'] as const) {
    const snapshot = { ...makeSilentPool().snapshot, [name]: 0 };
    await isRefused(t, silent({ snapshot }), 400, new RegExp(`^/pools/0/snapshot/${name} must be null`));
  }
  for (const name of ['open', 'busy', 'waiting'] as const) {
    const peaks = { ...makeSilentPool().peaks, [name]: 0 };
    await isRefused(t, silent({ peaks }), 400, new RegExp(`^/pools/0/peaks/${name} must be null`));
  }
  for (const name of ['acquisition', 'failures', 'created', 'closed'] as const) {
    await isRefused(t, silent({ [name]: full[name] }), 400, new RegExp(`^/pools/0/${name} must be null`));
  }
});

t.test('400: gauges and bounds that contradict each other', async (t) => {
  const { snapshot, peaks } = makePool();
  const sum = withPool({ snapshot: { ...snapshot, open: 11 } });
  await isRefused(t, sum, 400, '/pools/1/snapshot/open must be busy plus idle.');
  for (const name of ['open', 'busy', 'waiting'] as const) {
    const below = { ...peaks, [name]: (snapshot[name] ?? 0) - 1 };
    for (const coverage of ['complete', 'partial'] as const) {
      const error = `/pools/1/peaks/${name} must not be below snapshot.${name}.`;
      await isRefused(t, withPool({ coverage, peaks: below }), 400, error);
    }
    const error = `/pools/1/peaks/${name} must not be null where coverage is complete.`;
    await isRefused(t, withPool({ peaks: { ...peaks, [name]: null } }), 400, error);
  }
  const bounds = withPool({ minimum: 5, maximum: 4 });
  await isRefused(t, bounds, 400, '/pools/1/minimum must not be above maximum.');
});

t.test('400: more than 16 pools, or a pool twice', async (t) => {
  const pools = Array.from({ length: 17 }, (_, i) => makePool({ serverPool: `shard-${i}` }));
  await isRefused(t, make({ pools }), 400, /^\/pools must have at most 16 items; it has 17\.$/);
  const twice = make({ pools: [makePool(), makePool({ serverPool: 'b' }), makePool({ failures: 0 })] });
  await isRefused(t, twice, 400, '/pools/2 is the same pool as another one of the report.');
});

t.test('400: an interval that is empty, too long, too late or too early', async (t) => {
  const now = clock.now();
  const refuse = (fields: Partial<PoolReport>, error: string) => isRefused(t, make(fields), 400, error);
  await refuse({ from: iso(now), to: iso(now) }, '/to must be after from.');
  await refuse({ from: iso(now), to: iso(now - 1) }, '/to must be after from.');
  await refuse({ from: iso(now - 120_001), to: iso(now) }, '/to must be at most 120 s after from.');
  const begun = { startedAt: iso(now - 59_999), from: iso(now - 60_000), to: iso(now) };
  await refuse(begun, '/from must not be before startedAt.');
  const startedAt = iso(now - 3_600_000);
  const late = now - 15 * 60_000 - 1;
  await refuse(
    { startedAt, from: iso(late - 60_000), to: iso(late) },
    '/to must be at most 900 s ago; it was 20',
  );
  const ahead = clock.now() + 32_000;
  await refuse(
    { startedAt, from: iso(ahead - 60_000), to: iso(ahead) },
    '/to must be at most 30 s ahead; it was 20',
  );
});

t.test('400: a text that looks like a secret is refused, and appears nowhere', async (t) => {
  const secret = 'mongodb+srv://app:hunter2@db.example.com/orders';
  const error = (at: string) => `${at} looks like a secret; send a name that says nothing of how to connect.`;
  for (const name of ['service', 'environment', 'revision']) {
    await isRefused(t, { ...make(), [name]: secret }, 400, error(`/${name}`));
  }
  for (const name of ['system', 'target', 'pool', 'serverPool', 'driverVersion']) {
    await isRefused(t, withPool({ [name]: secret }), 400, error(`/pools/1/${name}`));
  }
  for (const fields of [
    { session: secret },
    { startedAt: secret },
    { version: secret },
    { exporter: secret },
  ]) {
    const answer = await post({ ...make(), ...fields });
    t.equal(answer.status, 400);
    t.notMatch(JSON.stringify(answer.body), /hunter2/);
  }
  t.equal((await post({ ...make(), uri: secret })).status, 201, 'an unknown field is left out');
  const stored = await sql<{ body: string }[]>`select pool_sessions::text as body from pool_sessions`;
  t.notMatch(JSON.stringify(stored), /hunter2/);
  t.notMatch(logged(), /hunter2/);
});

t.test('401: no key, an unknown one', async (t) => {
  const error = 'Invalid or revoked ingest key.';
  await isRefused(t, make(), 401, error, { key: null });
  await isRefused(t, make(), 401, error, { key: `key_ingest_${'0'.repeat(43)}` });
});

t.test('403: a key of another scope', async (t) => {
  for (const key of [api.incidentKey, api.readKey]) {
    const error = /^This key has the scope (incident|read); this route needs the scope ingest\.$/;
    await isRefused(t, make(), 403, error, { key });
  }
});

t.test('403: the account has no database health; 404: the page has it switched off', async (t) => {
  const key = api.otherIngestKey;
  const statusIs = (status: number) =>
    waitUntil(`the answer is ${status}`, async () => (await post('{', { key })).status === status, 5_000);
  await setPage({ sql, clock }, { slug: 'other', capabilities: { 'database-health': false } });
  await statusIs(403);
  const denied = 'This capability is not available for the account of this page.';
  await isRefused(t, make(), 403, denied, { key });
  await setPage(
    { sql, clock },
    { slug: 'other', capabilities: { 'database-health': true }, databaseHealthEnabled: false },
  );
  await waitUntil('the feature is off', async () => (await post(make(), { key })).status === 404, 5_000);
  await isRefused(t, make(), 404, 'Database health is not enabled for this page.', { key });
  t.equal((await post(make())).status, 201, 'another page is not affected');
  await setPage({ sql, clock }, { slug: 'other', databaseHealthEnabled: true });
  await waitUntil('it is on again', async () => (await post(make(), { key })).status === 201, 5_000);
});

t.test('405: another method', async (t) => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await post(undefined, { method, key: null });
    t.match(answer, { status: 405, body: { error: 'Method not allowed.', code: 'method.not_allowed' } });
    t.equal(answer.headers.get('allow'), 'POST');
  }
});

t.test('413: more than 64 KiB', async (t) => {
  const json = JSON.stringify(make());
  await isRefused(t, json.padEnd(64 * 1024 + 1), 413, 'The request body is too large.');
  t.equal((await post(json.padEnd(64 * 1024))).status, 201);
});

t.test('the answer names the first of several reasons', async (t) => {
  const huge = ' '.repeat(100_000);
  const statusOf = async (body: unknown, options = {}) => (await post(body, options)).status;
  t.equal(await statusOf(huge, { key: null }), 401);
  t.equal(await statusOf(huge, { key: api.readKey }), 403);
  t.equal(await statusOf(huge), 413);
  const report = make();
  await post(report);
  t.equal(await statusOf({ ...report, service: 'another', pools: [null] }), 400);
});
