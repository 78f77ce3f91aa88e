import t from 'tap';
import { createPageTurns } from '../../../analytics/sql/page-turns.js';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { killQuery, loadRunningQueries } from '../../../analytics/sql/running-queries.js';
import { pageQueryId } from '../../../contract/sql-tables.js';
import { systemClock } from '../../../lib/clock.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { waitUntil } from '../../support/wait-until.js';
import { newPageId, openTestPageSql } from '../support.js';

const { clickhouse, pageSql } = await openTestPageSql(t);
/** The turns of another process on the same server. */
const newTurns = () => createPageTurns((page) => loadRunningQueries({ clickhouse }, page), systemClock);

t.test('lets two run, four wait, and refuses the next', async (t) => {
  const turns = newTurns();
  const page = newPageId();
  const [first] = await Promise.all([turns.take(page), turns.take(page)]);
  const order: number[] = [];
  const waiting = [1, 2, 3, 4].map(async (n) => {
    const end = await turns.take(page);
    order.push(n);
    end();
  });
  await t.rejects(turns.take(page), likeServiceError('rateLimited', { retryAfterSeconds: 5 }));
  const other = await turns.take(newPageId());
  other();
  t.same(order, []);
  first();
  await Promise.all(waiting);
  t.same(order.toSorted(), [1, 2, 3, 4]);
});

t.test('a caller that disconnects while waiting leaves the queue', async (t) => {
  const turns = newTurns();
  const page = newPageId();
  const ends = await Promise.all([turns.take(page), turns.take(page)]);
  const caller = new AbortController();
  const left = turns.take(page, caller.signal);
  const stays = turns.take(page);
  caller.abort();
  await t.rejects(left, { name: 'AbortError' });
  ends[0]();
  ends[0]();
  (await stays)();
  ends[1]();
  await t.resolves(Promise.all([turns.take(page), turns.take(page)]));
});

const endless = 'SELECT sleepEachRow(0.1) FROM numbers(1000) SETTINGS max_block_size = 1';
/** Inside this call, which takes 5 s, the server does not notice that the query was killed. */
const deaf = 'SELECT hasAny(range(90000), range(1000000, 1090000))';

/** A query of the page that the server runs, which no turn of this process knows. */
function runElsewhere(page: string, query: string) {
  const queryId = pageQueryId(page, crypto.randomUUID());
  const ended = clickhouse
    .command({ query: `${query} FORMAT Null`, query_id: queryId })
    .catch(() => undefined);
  return {
    ended,
    running: () =>
      waitUntil('the query runs', async () => {
        const answer = await clickhouse.query({
          query: 'SELECT toUInt32(count()) AS n FROM system.processes WHERE query_id = {queryId:String}',
          query_params: { queryId },
          format: 'JSONEachRow',
        });
        const [row] = await answer.json<{ n: number }>();
        return row?.n === 1;
      }),
    kill: () => killQuery({ clickhouse }, queryId),
  };
}

t.test('two queries of a page run at a time, whichever processes started them', async (t) => {
  const page = newPageId();
  const queries = [runElsewhere(page, endless), runElsewhere(page, endless)];
  for (const query of queries) await query.running();
  let waits = true;
  const turn = newTurns()
    .take(page)
    .then((end) => {
      waits = false;
      end();
    });
  (await newTurns().take(newPageId()))();
  t.ok(waits, 'another page does not wait');
  await queries[0]?.kill();
  await turn;
  await queries[1]?.kill();
  await Promise.all(queries.map(({ ended }) => ended));
});

t.test(
  'a user that may not list the queries gets another error than a server that does not answer',
  async (t) => {
    const turns = createPageTurns(async () => {
      // The confined user has no right to this table.
      await pageSql.sqlClient.command({ query: 'SELECT count() FROM system.processes' });
      return { running: 0, cancelled: 0, overdue: 0 };
    }, systemClock);
    await t.rejects(
      turns.take(newPageId()),
      likeServiceError('storeUnavailable', { message: /not set up on this ClickHouse server; docs\/sql.md/ }),
    );
  },
);

t.test('while a killed query of a page runs on, the SQL of the page is refused everywhere', async (t) => {
  const page = newPageId();
  const query = runElsewhere(page, deaf);
  await query.running();
  await query.kill();
  const run = (pageId: typeof page) => runPageSql(pageSql, pageId, { sql: 'SELECT 1', format: 'TSV' });
  await t.rejects(
    run(page),
    likeServiceError('rateLimited', { retryAfterSeconds: 30, message: /has not ended yet; retry later/ }),
  );
  t.equal((await run(newPageId())).toString(), '1\n', 'other pages are served');
  await query.ended;
  t.equal((await run(page)).toString(), '1\n', 'the page is served again');
});
