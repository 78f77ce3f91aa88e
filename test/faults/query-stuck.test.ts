import t from 'tap';
import { loadRunningQueries } from '../../analytics/sql/running-queries.js';
import { pageQueryId } from '../../contract/sql-tables.js';
import type { PageId } from '../../lib/ids.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { findRunningStack } from '../../stack/stack-file.js';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad, untilStored } from './load.js';
import { install, onLinux } from './running-service.js';

/** One call that takes minutes, for which a page's SQL is too confined. */
const deaf = 'SELECT hasAny(range(900000), range(1000000, 1900000)) SETTINGS max_threads = 1';

t.test('ClickHouse is restarted when a query of a page survives its end', onLinux, async (t) => {
  const { service, dataDir, ingestKey, readKey } = await install(t, { HEARTLINE_WORKERS: '2' });
  const clickhouse = openClickHouse(service.clickhouseUrl);
  t.teardown(() => clickhouse.close());
  const page = await pageOf(dataDir);
  const engine = await service.clickhousePid();
  const ended = clickhouse
    .command({ query: deaf, query_id: pageQueryId(page, 'deaf'), abort_signal: AbortSignal.timeout(5_000) })
    .catch(() => undefined);
  await waitUntil('the query runs', async () => (await loadRunningQueries({ clickhouse }, page)).running > 0);
  await ended;
  await waitUntil(
    'it is killed and runs on',
    async () => {
      const { cancelled, overdue } = await loadRunningQueries({ clickhouse }, page);
      return cancelled > 0 && overdue > 0;
    },
    40_000,
  );
  // Events arrive before, during and after the restart.
  const load = startLoad(t, () => service.url, ingestKey);
  await waitUntil('another engine runs', async () => (await service.clickhousePid()) !== engine, 100_000);
  await load.untilAccepted(50);
  await load.end();

  t.equal(load.sent.filter(({ status }) => status === undefined).length, 0, 'every batch was answered');
  await untilStored(service, ingestKey);
  t.equal((await loadRunningQueries({ clickhouse }, page)).running, 0, 'the query is gone');
  await checkAccounts(t, service.clickhouseUrl, load.sent);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  t.match(metrics, /^heartline_clickhouse_restarts_total 1$/m, 'two processes asked, and it happened once');
  // Each connection goes to any of the two processes.
  for (let asked = 0; asked < 10; asked++) {
    const answer = await fetch(`${service.url}/api/v1/analytics/sql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${readKey}`, connection: 'close' },
      body: JSON.stringify({ sql: 'SELECT 1' }),
    });
    t.match(await answer.text(), /could not be stopped/);
    t.equal(answer.status, 429, 'the page is refused SQL, whichever process asked for the restart');
    t.ok(Number(answer.headers.get('retry-after')) > 1_500);
  }
});

/** The page that the first start created. */
async function pageOf(dataDir: string): Promise<PageId> {
  const stack = await findRunningStack(dataDir);
  const sql = openPostgres(stack?.databaseUrl ?? '', { max: 1 });
  try {
    const [page] = await sql<{ id: PageId }[]>`select id from pages`;
    if (page === undefined) throw new Error('There is no page.');
    return page.id;
  } finally {
    await sql.end();
  }
}
