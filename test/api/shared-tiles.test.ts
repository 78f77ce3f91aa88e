import t from 'tap';
import { createSharedTiles } from '../../api/routes/shared-tiles.js';
import { deferred } from '../../lib/deferred.js';
import { newId, type PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { secondMs } from '../../lib/times.js';
import { stopTime } from '../support/fake-time.js';
import { likeServiceError } from '../support/like-service-error.js';
import { makeMovingClock } from '../support/moving-clock.js';

const clock = makeMovingClock();
const page = newId<PageId>(1);
const other = newId<PageId>(2);
const gone = new ServiceError('callerGone');
const bytes = (text: string) => Buffer.from(text);

/** Returns what a reader asks who stays. */
const staying = (load: (signal: AbortSignal) => Promise<Buffer>) => ({
  load,
  signal: new AbortController().signal,
});

/** Returns a load that does not end before the test lets it, and the signals with which it was begun. */
function heldLoad() {
  const held = deferred<Buffer>();
  const begin = deferred<void>();
  const signals: AbortSignal[] = [];
  const load = (signal: AbortSignal): Promise<Buffer> => {
    signals.push(signal);
    begin.resolve();
    return held.promise;
  };
  return { load, held, signals, begun: begin.promise };
}

t.test('readers of one tile share an answer while it is fresh', async (t) => {
  const tiles = createSharedTiles(clock);
  let loads = 0;
  const asked = staying(async () => bytes(String(++loads)));
  const first = await Promise.all([tiles.read(page, 'a', asked), tiles.read(page, 'a', asked)]);
  t.same(first.map(String), ['1', '1']);
  clock.advance(19 * secondMs);
  t.equal(String(await tiles.read(page, 'a', asked)), '1');
  clock.advance(secondMs);
  t.equal(String(await tiles.read(page, 'a', asked)), '2');
  t.equal(String(await tiles.read(page, 'b', asked)), '3', 'another tile');
});

t.test('a page loads one tile at a time, and another page does not wait for it', async (t) => {
  const tiles = createSharedTiles(clock);
  const held = deferred<Buffer>();
  const begun: string[] = [];
  const asked = (name: string, answer: Promise<Buffer>) =>
    staying(() => {
      begun.push(name);
      return answer;
    });
  const done = Promise.resolve(bytes('x'));
  const first = tiles.read(page, 'a', asked('a', held.promise));
  const second = tiles.read(page, 'b', asked('b', done));
  await tiles.read(other, 'c', asked('c', done));
  t.same(begun, ['a', 'c']);
  held.resolve(bytes('y'));
  await Promise.all([first, second]);
  t.same(begun, ['a', 'c', 'b']);
});

t.test('beyond forty that wait, a tile is refused; a failure is not kept', async (t) => {
  const tiles = createSharedTiles(clock);
  const { load, held } = heldLoad();
  const reads = Array.from({ length: 41 }, (_, at) => tiles.read(page, `${at}`, staying(load)));
  await t.rejects(tiles.read(page, 'more', staying(load)), likeServiceError('overloaded'));
  held.reject(new Error('The store is gone.'));
  const ended = await Promise.allSettled(reads);
  t.ok(ended.every(({ status }) => status === 'rejected'));
  t.equal(
    String(
      await tiles.read(
        page,
        '0',
        staying(async () => bytes('again')),
      ),
    ),
    'again',
  );
});

t.test('beyond a thousand that wait over all pages, a tile is refused', async (t) => {
  const tiles = createSharedTiles(clock);
  const { load, held } = heldLoad();
  const ask = (pageId: PageId, name: string) => tiles.read(pageId, `${pageId} ${name}`, staying(load));
  const reads = Array.from({ length: 25 }, () => newId<PageId>(3)).flatMap((pageId) =>
    Array.from({ length: 41 }, (_, at) => ask(pageId, `${at}`)),
  );
  const running = ask(other, 'a');
  await t.rejects(ask(other, 'b'), likeServiceError('overloaded'));
  held.resolve(bytes('x'));
  t.equal((await Promise.all([...reads, running])).length, 25 * 41 + 1);
});

t.test('a tile that waits 15 s for its turn is refused', async (t) => {
  const advance = stopTime(t);
  const tiles = createSharedTiles(clock);
  const { load, held } = heldLoad();
  const running = tiles.read(page, 'a', staying(load));
  let refused: unknown;
  const waiting = tiles.read(page, 'b', staying(load)).catch((error: unknown) => {
    refused = error;
  });
  await advance(14_000);
  t.equal(refused, undefined);
  await advance(2_000);
  await waiting;
  t.match(refused, likeServiceError('overloaded', { retryAfterSeconds: 5 }));
  held.resolve(bytes('x'));
  t.equal(String(await running), 'x', 'the one before it has no such end');
});

t.test('a load goes on while one of its readers is there', async (t) => {
  const tiles = createSharedTiles(clock);
  const { load, held, signals, begun } = heldLoad();
  const leaving = new AbortController();
  const first = tiles.read(page, 'a', { load, signal: leaving.signal });
  const second = tiles.read(page, 'a', staying(load));
  await begun;
  leaving.abort(gone);
  await t.rejects(first, likeServiceError('callerGone'));
  held.resolve(bytes('x'));
  t.equal(String(await second), 'x');
  t.same(
    signals.map(({ aborted }) => aborted),
    [false],
  );
  await t.rejects(
    tiles.read(page, 'b', { load, signal: leaving.signal }),
    likeServiceError('callerGone'),
    'who is gone already begins none',
  );
  t.equal(signals.length, 1);
});

t.test('loads end with their last reader, and those that wait are not begun', async (t) => {
  const tiles = createSharedTiles(clock);
  const { load, held, signals, begun } = heldLoad();
  const leaving = new AbortController();
  const asked = { load, signal: leaving.signal };
  const reads = Array.from({ length: 41 }, (_, at) => tiles.read(page, `${at}`, asked));
  await begun;
  leaving.abort(gone);
  const ended = await Promise.allSettled(reads);
  t.ok(ended.every(({ status }) => status === 'rejected'));
  // As a query that runs on for a moment: it keeps the turn, and nobody gets its answer.
  const next = tiles.read(
    page,
    '0',
    staying(async () => bytes('next')),
  );
  held.resolve(bytes('late'));
  t.equal(String(await next), 'next');
  t.same(
    signals.map(({ aborted }) => aborted),
    [true],
  );
});
