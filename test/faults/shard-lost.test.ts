import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { startTestCluster, testClusterName, totals } from '../support/clickhouse-cluster.js';
import { setPage } from '../support/pages.js';
import { makeReport, reportsPath, untilStored } from '../support/pool-reports.js';
import { startServiceOn } from '../support/service.js';
import { openTestPostgres } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';

const [postgres, [first, second]] = await Promise.all([openTestPostgres(t), startTestCluster(t)]);
const stores = { ...postgres, clickhouse: first.clickhouse, clickhouseUrl: first.url };
const api = await startServiceOn(t, stores, { clickhouseCluster: testClusterName, hasLog: false });
await setPage({ ...stores, clock: systemClock }, { slug: 'acme', databaseHealthEnabled: true });
const read = { authorization: `Bearer ${api.readKey}` };
const minute = (ms: number) => new Date(Math.floor(ms / 60_000) * 60_000).toISOString();

const send = (block: string) =>
  api.post(
    '/api/v1/events',
    Array.from({ length: 40 }, (_, i) => ({
      endpoint: `/${block}/${'abcdefghij'[i % 10]}${'klmn'[Math.floor(i / 10)]}`,
      ...{ status: 200, ms: i },
    })),
  );
const getRequests = () =>
  api.get(
    `/api/v1/analytics/requests?step=60&from=${minute(Date.now() - 600_000)}&to=${minute(Date.now() + 60_000)}`,
    read,
  );
const runSql = () =>
  api.post(
    '/api/v1/analytics/sql',
    { sql: 'SELECT sum(requests) AS n FROM requests_minute', format: 'JSONEachRow' },
    { key: api.readKey },
  );
const sendReport = (report: unknown) => api.post(reportsPath, report);

async function countRequests(): Promise<number> {
  const { requests_minute } = await totals(first.clickhouse);
  return Number(requests_minute);
}

t.test('the service writes to both shards and reads from both', async (t) => {
  t.match(await send('before'), { status: 202, body: { accepted: 40, statements: 1 } });
  t.match(await runSql(), { status: 200 }, 'a read, which brings the events to the store');
  t.equal(await countRequests(), 40);
  const { requests_minute } = await totals(second.clickhouse, '_local');
  t.ok(Number(requests_minute) > 5 && Number(requests_minute) < 35);
});

t.test(
  'without a shard writes wait in the buffer and reads get 503; with it everything is stored once',
  async (t) => {
    const reports = Array.from({ length: 12 }, () => makeReport(Date.now()));
    await second.stop();
    t.match(await send('lost'), { status: 202, body: { accepted: 40 } });
    await waitUntil(
      'the block waits in the buffer',
      async () => (await stores.sql`select 1 from delivery_batches`).count === 1,
    );
    t.match(await send('behind'), { status: 202, body: { accepted: 40, statements: 0, warning: /./ } });
    t.equal((await getRequests()).status, 503);
    t.equal((await runSql()).status, 503);
    for (const { status } of await Promise.all(reports.map(sendReport))) t.equal(status, 201);
    await second.start();
    await waitUntil('what waited is stored', async () => (await countRequests()) === 120, 60_000);
    const { sql } = stores;
    await waitUntil(
      'the buffer is empty',
      async () => (await sql`select 1 from delivery_batches`).count === 0,
    );
    await untilStored(sql);
    for (const { body } of await Promise.all(reports.map(sendReport))) t.match(body, { duplicate: true });
    const { requests_minute, requests_hour, service_requests_minute, pools_minute } = await totals(
      second.clickhouse,
    );
    t.same([requests_minute, requests_hour, service_requests_minute], [120, 120, 120]);
    t.equal(pools_minute, 12, 'although a shard may have had its part before');
    t.equal((await getRequests()).status, 200);
    t.match(await send('after'), { status: 202, body: { statements: 1 } });
  },
);
