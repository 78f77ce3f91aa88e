import t, { type Test } from 'tap';
import { createPageTurns } from '../../../analytics/sql/page-turns.js';
import { watchQueries } from '../../../analytics/sql/watch-queries.js';
import { pageQueryId } from '../../../contract/sql-tables.js';
import type { PageId } from '../../../lib/ids.js';
import { openClickHouse } from '../../../sql/open-clickhouse.js';
import { captureLog } from '../../support/capture-log.js';
import { answer, rows, startHostileStore } from '../../support/hostile-store.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { waitUntil } from '../../support/wait-until.js';
import { newPageId } from '../support.js';

const denied = answer('Code: 497. DB::Exception: no (ACCESS_DENIED)', '', '403 Forbidden');
const isKill = (query: string): boolean => query.includes('KILL QUERY');

/** Watches a server that says that a query has run for so many seconds, and refuses to end it. */
async function watch(t: Test, page: PageId, { embedded }: { embedded: boolean }) {
  const queryId = pageQueryId(page, 'deaf');
  const store = await startHostileStore(t, denied);
  const clickhouse = openClickHouse(store.url);
  const { log, entries } = captureLog();
  const clock = makeStoppedClock();
  const turns = createPageTurns(async () => ({ running: 0, cancelled: 0, overdue: 0 }), clock);
  const runFor = (seconds: number | undefined): void => {
    store.behave = (socket, query) =>
      (isKill(query) ? denied : rows(...(seconds === undefined ? [] : [{ queryId, seconds }])))(
        socket,
        query,
      );
  };
  runFor(undefined);
  const restarts: string[] = [];
  const restart = async (reason: string): Promise<boolean> => {
    restarts.push(reason);
    return true;
  };
  const watching = watchQueries({
    ...{ clickhouse, log, block: turns.block, restarted() {} },
    restart: embedded ? restart : undefined,
  });
  t.teardown(async () => {
    await watching.stop();
    await clickhouse.close();
  });
  const looks = (): number => store.queries.filter((query) => !isKill(query)).length;
  return {
    ...{ turns, clock, queryId, restarts, log: entries },
    /** Lets the watch look at the query twice, when it has run for so long. */
    async lookTwice(seconds: number) {
      runFor(seconds);
      for (const _ of [1, 2]) {
        const before = looks();
        watching.wake();
        await waitUntil('the watch looks', () => looks() > before);
      }
      // A look ends before the next one begins.
      const before = looks();
      watching.wake();
      await waitUntil('the second look has ended', () => looks() > before);
    },
  };
}

t.test(
  'a query that cannot be killed has the server restarted, and its page waits half an hour',
  async (t) => {
    const [page, other] = [newPageId(), newPageId()];
    const { turns, clock, queryId, restarts, log, lookTwice } = await watch(t, page, { embedded: true });
    await lookTwice(45);
    (await turns.take(page))();
    t.strictSame(restarts, []);
    await lookTwice(71);
    t.equal(restarts[0], `The query ${queryId} of a page has run for 71 s and cannot be killed.`);
    (await turns.take(other))();
    clock.advance(10 * 60_000);
    await t.rejects(
      turns.take(page),
      likeServiceError('rateLimited', { retryAfterSeconds: 1_200, message: /could not be stopped/ }),
    );
    clock.advance(20 * 60_000);
    (await turns.take(page))();
    const failures = log().filter(({ msg }) => String(msg).includes('could not be killed'));
    t.equal(failures.length, 1, 'the log says once that the server refuses');
  },
);

t.test('a process that does not ask for the restart knows the page before', async (t) => {
  const page = newPageId();
  const { turns, restarts, lookTwice } = await watch(t, page, { embedded: true });
  await lookTwice(51);
  t.strictSame(restarts, []);
  await t.rejects(turns.take(page), likeServiceError('rateLimited', { retryAfterSeconds: 1_800 }));
});

t.test('on a server of the operator, the log names the query once', async (t) => {
  const page = newPageId();
  const { turns, queryId, log, lookTwice } = await watch(t, page, { embedded: false });
  await lookTwice(71);
  await lookTwice(81);
  const asked = log().filter(({ msg }) => String(msg).includes('restart the ClickHouse server'));
  t.equal(asked.length, 1);
  t.match(asked[0], { queryId, seconds: 71 });
  await t.rejects(turns.take(page), likeServiceError('rateLimited'));
});

t.test('a process remembers a thousand pages, and forgets the oldest', async (t) => {
  const turns = createPageTurns(async () => ({ running: 0, cancelled: 0, overdue: 0 }), makeStoppedClock());
  const [first, second, ...more] = Array.from({ length: 1_001 }, newPageId);
  if (first === undefined || second === undefined) throw new Error('There are more pages.');
  for (const page of [first, second, ...more]) turns.block(page);
  (await turns.take(first))();
  for (const page of [second, ...more]) await t.rejects(turns.take(page), likeServiceError('rateLimited'));
});
