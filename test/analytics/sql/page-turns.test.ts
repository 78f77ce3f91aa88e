import t from 'tap';
import { createPageTurns } from '../../../analytics/sql/page-turns.js';
import { loadRunningQueries } from '../../../analytics/sql/running-queries.js';
import { systemClock } from '../../../lib/clock.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { newPageId, openTestPageSql } from '../support.js';
import { runElsewhere } from './run-elsewhere.js';

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
t.test('two queries of a page run at a time, whichever processes started them', async (t) => {
  const page = newPageId();
  const queries = [runElsewhere(clickhouse, page, endless), runElsewhere(clickhouse, page, endless)];
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
      likeServiceError('storeUnavailable', { message: /not set up on this ClickHouse server; \/docs\/sql/ }),
    );
  },
);

/** Turns that find these queries running, one answer at each look; the last answer repeats. */
function turnsSeeing(...answers: { running: number; cancelled: number; overdue: number }[]) {
  let looks = 0;
  const turns = createPageTurns(async () => {
    looks += 1;
    return answers[Math.min(looks, answers.length) - 1] ?? { running: 0, cancelled: 0, overdue: 0 };
  }, systemClock);
  return { turns, looks: () => looks };
}

t.test('a query that was killed is waited for, and one that goes on is not', async (t) => {
  const refusal = likeServiceError('rateLimited', {
    retryAfterSeconds: 30,
    message: /has not ended yet; retry later/,
  });
  const [killed, free] = [
    { running: 1, cancelled: 1, overdue: 0 },
    { running: 1, cancelled: 0, overdue: 0 },
  ];
  const ends = turnsSeeing(killed, killed, killed, free);
  const goesOn = turnsSeeing(killed);
  const isOverdue = turnsSeeing({ running: 1, cancelled: 0, overdue: 1 });
  await Promise.all([
    t.resolves(ends.turns.take(newPageId())),
    t.rejects(goesOn.turns.take(newPageId()), refusal),
    t.rejects(isOverdue.turns.take(newPageId()), refusal),
  ]);
  t.strictSame([ends.looks(), goesOn.looks(), isOverdue.looks()], [4, 21, 1]);
});
