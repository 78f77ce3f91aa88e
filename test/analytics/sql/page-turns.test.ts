import t from 'tap';
import { createPageTurns } from '../../../analytics/sql/page-turns.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { newPageId } from '../support.js';

t.test('lets two run, four wait, and refuses the next', async (t) => {
  const turns = createPageTurns();
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
  t.same(order, [1, 2, 3, 4]);
});

t.test('a caller that disconnects while waiting leaves the queue', async (t) => {
  const turns = createPageTurns();
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
