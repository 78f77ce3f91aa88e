import t from 'tap';
import { createPreviewTurns } from '../../../api/manage/preview-turns.js';
import { deferred } from '../../../lib/deferred.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { likeServiceError } from '../../support/like-service-error.js';

t.test('a preview that its caller has given up leaves the queue to the next one', async (t) => {
  const inTurn = createPreviewTurns();
  const pageId = newId<PageId>(Date.now());
  const drawing = deferred<string>();
  const none = new AbortController().signal;
  const givenUp = new AbortController();
  const begin = (signal: AbortSignal) => inTurn(pageId, signal, () => drawing.promise);
  const running = [begin(none), begin(none)];
  const waiting = Array.from({ length: 4 }, () => begin(givenUp.signal).catch((error: unknown) => error));
  await t.rejects(begin(none), likeServiceError('rateLimited', { retryAfterSeconds: 1 }));
  const reason = new Error('The caller is gone.');
  givenUp.abort(reason);
  t.strictSame(await Promise.all(waiting), [reason, reason, reason, reason]);
  const next = begin(none);
  drawing.resolve('drawn');
  t.strictSame(await Promise.all([...running, next]), ['drawn', 'drawn', 'drawn']);
});
