import { setImmediate as nextTurn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { createTurns } from '../../../ingest/turns/take-turns.js';
import { type Deferred, deferred } from '../../../lib/deferred.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { stopTime } from '../../support/fake-time.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makeMovingClock } from '../../support/moving-clock.js';

const mb = 1024 * 1024;
const busy = likeServiceError('storeBusy');

type Work = { name: string; ended: Deferred<void> };

/** Work that runs until the test ends it, and the order in which it began. */
function startTurns() {
  const clock = makeMovingClock();
  const turns = createTurns({ clock });
  const begun: string[] = [];
  const page = () => newId<PageId>(Date.now());
  function take(
    pageId: PageId,
    bytes: number,
    name: string,
    leave?: () => AbortSignal,
  ): Work & { answer: Promise<string> } {
    const ended = deferred<void>();
    const work = async () => {
      begun.push(name);
      await ended.promise;
      return name;
    };
    const answer = turns.take(pageId, bytes, work, leave && { leave });
    answer.catch(() => {});
    return { name, ended, answer };
  }
  /** Until the process has had the time for any number of stretches. */
  async function settle(): Promise<void> {
    for (let i = 0; i < 200; i += 1) await nextTurn();
  }
  return { turns, clock, begun, page, take, settle };
}

async function end(t: Test, work: ReturnType<ReturnType<typeof startTurns>['take']>): Promise<void> {
  work.ended.resolve();
  t.equal(await work.answer, work.name);
}

t.test('a small batch begins at once', async (t) => {
  const { take, begun, page } = startTurns();
  const work = take(page(), 1_000, 'small');
  t.strictSame(begun, ['small']);
  await end(t, work);
});

t.test('a body that takes more work than its length says counts for that work until it ends', async (t) => {
  const { turns, begun, page, take, settle } = startTurns();
  const [loud, quiet] = [page(), page()];
  const ended = deferred<void>();
  const heavy = turns.take(loud, 1_000, async (turn) => {
    turn.charge(16 * mb);
    await ended.promise;
  });
  const [next, other] = [take(loud, 1_000, 'next'), take(quiet, 1_000, 'other')];
  await settle();
  t.strictSame(begun, ['other']);
  ended.resolve();
  await heavy;
  for (const work of [next, other]) await end(t, work);
  t.strictSame(begun, ['other', 'next']);
  const light = turns.take(loud, mb, async (turn) => turn.charge(1));
  await light;
  const after = Array.from({ length: 4 }, (_, i) => take(loud, mb, `after ${i}`));
  await settle();
  t.equal(begun.length, 6, 'nothing of what was charged is left');
  for (const work of after) await end(t, work);
});

t.test('a page that was charged for a stretch rests after it, whatever has ended', async (t) => {
  const { turns, begun, page, take } = startTurns();
  const [loud, quiet] = [page(), page()];
  const takeHeavy = (name: string) =>
    turns.take(loud, 1_000, async (turn) => {
      begun.push(name);
      turn.charge(5 * mb);
    });
  const works = [takeHeavy('heavy 0')];
  await works[0];
  for (const name of ['heavy 1', 'heavy 2']) works.push(takeHeavy(name));
  const other = take(quiet, 1_000, 'other');
  t.strictSame(begun, ['heavy 0', 'other']);
  await works[1];
  t.strictSame(begun, ['heavy 0', 'other', 'heavy 1'], 'one rest lets one body begin');
  await works[2];
  const light = turns.take(quiet, 1_000, async (turn) => turn.charge(mb));
  const next = take(quiet, 1_000, 'next');
  t.equal(begun.at(-1), 'next', 'what is less than a stretch holds nothing up');
  for (const work of [other, next]) await end(t, work);
  await light;
});

t.test('charges too small for a rest add up to one, until a second without a charge', async (t) => {
  const pass = stopTime(t);
  const { turns, begun, page, take } = startTurns();
  const [loud, quiet] = [page(), page()];
  const charge = (name: string) =>
    turns.take(loud, 1_000, async (turn) => {
      begun.push(name);
      turn.charge(0.6 * mb);
    });
  await charge('first');
  // Longer than what 0.6 MiB rest for.
  await pass(40);
  await charge('second');
  const third = charge('third');
  const other = take(quiet, 1_000, 'other');
  await pass(40);
  t.strictSame(begun, ['first', 'second', 'other'], 'the rest is for both');
  await pass(10);
  await third;
  t.equal(begun.at(-1), 'third');
  await pass(1_005);
  await charge('fourth');
  const fifth = charge('fifth');
  t.equal(begun.at(-1), 'fifth', 'what was below a rest is forgotten');
  await fifth;
  await end(t, other);
});

t.test(
  'a page alone has 16 MiB in flight; the rest waits in its order, and other pages do not wait',
  async (t) => {
    const { take, begun, page, settle, clock } = startTurns();
    const [loud, quiet] = [page(), page()];
    const works = Array.from({ length: 20 }, (_, i) => take(loud, mb, `loud ${i}`));
    await settle();
    const first = Array.from({ length: 16 }, (_, i) => `loud ${i}`);
    t.strictSame(begun, first);
    const small = take(quiet, 1_000, 'quiet');
    await settle();
    t.strictSame(begun, [...first, 'quiet']);
    for (const work of works.slice(2, 5)) await end(t, work);
    await settle();
    t.equal(begun.length, 17, 'a page that is not alone has 4 MiB in flight');
    for (const work of works.slice(5, 14)) await end(t, work);
    await settle();
    t.strictSame(begun.slice(17), []);
    await end(t, works[14] ?? small);
    await settle();
    t.strictSame(begun.slice(17), ['loud 16']);
    clock.advance(10_001);
    await end(t, works[15] ?? small);
    await settle();
    t.strictSame(begun.slice(17), ['loud 16', 'loud 17', 'loud 18', 'loud 19'], 'until it is alone again');
    for (const work of works) await end(t, work);
    await end(t, small);
  },
);

t.test('pages with waiting batches take turns', async (t) => {
  const { take, begun, page, settle } = startTurns();
  const [one, other] = [page(), page()];
  const first = [take(one, 16 * mb, 'one first'), take(other, 16 * mb, 'other first')];
  const works = ['one', 'other'].flatMap((name) =>
    Array.from({ length: 3 }, (_, i) => take(name === 'one' ? one : other, mb, `${name} ${i}`)),
  );
  await settle();
  t.strictSame(begun, ['one first', 'other first']);
  for (const { ended } of first) ended.resolve();
  await settle();
  t.strictSame(begun.slice(2), ['one 0', 'other 0', 'one 1', 'other 1', 'one 2', 'other 2']);
  for (const work of [...first, ...works]) await end(t, work);
});

t.test('a failed batch makes room, and a batch larger than the bound goes alone', async (t) => {
  const { take, begun, page, settle } = startTurns();
  const pageId = page();
  const huge = take(pageId, 20 * mb, 'huge');
  const next = take(pageId, 20 * mb, 'next');
  await settle();
  t.strictSame(begun, ['huge']);
  huge.ended.reject(new Error('It failed.'));
  await t.rejects(huge.answer, { message: 'It failed.' });
  await settle();
  t.strictSame(begun, ['huge', 'next']);
  await end(t, next);
});

t.test('128 MiB wait; more is refused, and the waiting batches stay', async (t) => {
  const { take, begun, page, settle } = startTurns();
  const pageId = page();
  const works = Array.from({ length: 16 }, (_, i) => take(pageId, mb, `begun ${i}`));
  await settle();
  works.push(...Array.from({ length: 128 }, (_, i) => take(pageId, mb, `waiting ${i}`)));
  await t.rejects(take(pageId, mb, 'more').answer, busy);
  await t.rejects(take(pageId, 1, 'even little').answer, busy);
  const other = take(page(), mb, 'of another page');
  for (const work of [other, ...works]) await end(t, work);
  t.equal(begun.length, works.length + 1);
  const again = take(pageId, mb, 'again');
  await end(t, again);
});

t.test('a page whose batches have waited for ten seconds takes no more; other pages do', async (t) => {
  const { take, page, clock, settle } = startTurns();
  const hanging = page();
  const works = Array.from({ length: 17 }, (_, i) => take(hanging, mb, `${i}`));
  await settle();
  clock.advance(7_001);
  await t.rejects(take(hanging, 1, 'more').answer, likeServiceError('storeBusy', { retryAfterSeconds: 5 }));
  await end(t, take(page(), 1, 'of another page'));
  for (const work of works) await end(t, work);
  await end(t, take(hanging, 1, 'afterwards'));
});

t.test('a batch whose caller leaves goes out of the queue, and makes room for others', async (t) => {
  const { take, begun, page, settle } = startTurns();
  const pageId = page();
  const first = take(pageId, 20 * mb, 'first');
  const callers = Array.from({ length: 4 }, () => new AbortController());
  const works = callers.map(({ signal }, i) => take(pageId, 32 * mb, `${i}`, () => signal));
  await t.rejects(take(pageId, mb, 'more').answer, busy, '128 MiB wait');
  for (const i of [1, 3]) callers[i]?.abort(new Error('It left.'));
  for (const i of [1, 3]) {
    await t.rejects(
      async () => {
        await works[i]?.answer;
      },
      { message: 'It left.' },
    );
  }
  const gone = AbortSignal.abort(new Error('It had left.'));
  await t.rejects(take(pageId, mb, 'gone', () => gone).answer, { message: 'It had left.' });
  const more = take(pageId, mb, 'more');
  await end(t, first);
  for (const i of [0, 2]) {
    await settle();
    // It has begun: its caller stops nothing any more.
    callers[i]?.abort(new Error('It left.'));
    await end(t, works[i] ?? first);
  }
  await end(t, more);
  t.strictSame(begun, ['first', '0', '2', 'more']);
});

t.test('a page whose waiting batches have all left starts from the beginning', async (t) => {
  const { take, begun, page, settle } = startTurns();
  const pageId = page();
  const first = take(pageId, 20 * mb, 'first');
  const caller = new AbortController();
  const left = take(pageId, mb, 'left', () => caller.signal);
  caller.abort(new Error('It left.'));
  await t.rejects(left.answer, { message: 'It left.' });
  await end(t, first);
  await settle();
  await end(t, take(pageId, mb, 'next'));
  t.strictSame(begun, ['first', 'next']);
});

t.test(
  'a page alone has 64 MiB in flight when their turns are over, and reads on when one is answered',
  async (t) => {
    const { turns, page, settle } = startTurns();
    const loud = page();
    const answered = deferred<void>();
    const first = deferred<void>();
    let begun = 0;
    const take = (answer: Promise<void>) =>
      turns.take(loud, 2 * mb, async (turn) => {
        begun += 1;
        turn.end();
        await answer;
      });
    const works = [take(first.promise), ...Array.from({ length: 35 }, () => take(answered.promise))];
    await settle();
    t.equal(begun, 32);
    first.resolve();
    await settle();
    t.equal(begun, 33);
    answered.resolve();
    await Promise.all(works);
    t.equal(begun, 36);
  },
);
