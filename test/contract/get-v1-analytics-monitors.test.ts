import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/times.js';
import { makeKey, setPage } from '../support/pages.js';
import { insertMonitor } from '../support/points.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t, { roles: withoutJobs });
const { sql, clickhouse } = api.stores;
const deps = { sql, clock: systemClock };
const { key: otherKey } = await makeKey(deps, { slug: 'other', scope: 'read' });
const { key: manageKey } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
const monitorId = await insertMonitor(sql, api.pageId, { slug: 'api', state: 'up' });
await insertMonitor(sql, api.pageId, { slug: 'web', state: 'down', position: 1 });
const begin = Math.floor(Date.now() / minuteMs) * minuteMs - 20 * minuteMs;
const iso = (ms: number) => new Date(ms).toISOString();
await clickhouse.insert({
  ...{ table: 'checks', format: 'JSONEachRow' },
  values: [0, 1, 2].map((minute) => ({
    ...{
      page_id: api.pageId,
      monitor_id: monitorId,
      at: iso(begin + minute * minuteMs),
      interval_seconds: 60,
    },
    ...{ ok: 1, up: 1, error: '', status: 200, total_ms: 100 },
  })),
  clickhouse_settings: { date_time_input_format: 'best_effort' },
});

const ask = (path: string, key: string | null = api.readKey) =>
  api.get(`/api/v1/analytics/${path}`, key === null ? {} : { authorization: `Bearer ${key}` });
const range = `from=${iso(begin)}&to=${iso(begin + 10 * minuteMs)}`;
const paths = [
  ...['monitors', 'monitors?state=down', 'monitors?q=ap'],
  ...[`monitors/api/checks?${range}`, `monitors/api/series?${range}&step=60`],
];

for (const path of paths) {
  t.test(`200: ${path}: the answer of the management API`, async (t) => {
    const [read, managed] = [
      await ask(path),
      await api.get(`/api/v1/pages/acme/${path}`, { authorization: `Bearer ${manageKey}` }),
    ];
    t.equal(read.status, 200);
    t.strictSame(read.body, managed.body);
    t.match(read.headers.get('etag'), /^W\//);
  });
}

t.test('200: lists go on behind their cursors', async (t) => {
  type List = { items: { slug: string }[]; nextCursor: string };
  const first = (await ask('monitors?limit=1')).body as List;
  const second = (await ask(`monitors?limit=1&cursor=${first.nextCursor}`)).body as List;
  t.strictSame(
    [...first.items, ...second.items].map(({ slug }) => slug),
    ['api', 'web'],
  );
  t.equal((await ask(`monitors?q=x&cursor=${first.nextCursor}`)).status, 400);
});

t.test('400, 401, 403 and 404', async (t) => {
  t.match(await ask('monitors?state=broken'), { status: 400, body: { error: /one of up, down/ } });
  t.match(await ask('monitors?q=%00'), { status: 400, body: { error: /"q" .* character 0/ } });
  t.match(await ask('monitors?page=other'), { status: 400, body: { error: /"page"/ } });
  t.match(await ask('monitors/api/series?step=7'), { status: 400, body: { error: /"step"/ } });
  for (const path of ['monitors', 'monitors/api/checks', 'monitors/api/series']) {
    t.equal((await ask(path, null)).status, 401, path);
    t.equal((await ask(path, api.ingestKey)).status, 403, path);
  }
  t.match(await ask('monitors', otherKey), { status: 200, body: { items: [] } });
  for (const path of ['monitors/api/checks', 'monitors/api/series'])
    t.equal((await ask(path, otherKey)).status, 404, path);
  await setPage(deps, { slug: 'acme', capabilities: { 'internal-analytics': false } });
  await waitUntil('the reads are refused', async () => (await ask('monitors')).status === 403);
});
