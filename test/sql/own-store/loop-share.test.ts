import t from 'tap';
import { createLoopShare } from '../../../sql/own-store/loop-share.js';

function workFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

t.test('work takes its share of the time, and the loop runs in between', async (t) => {
  const share = createLoopShare(0.25);
  const startedAt = performance.now();
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await Promise.all(Array.from({ length: 10 }, () => share.run(() => workFor(10))));
  await share.run(() => {});
  clearInterval(timer);
  const tookMs = performance.now() - startedAt;
  t.ok(tookMs >= 390, `100 ms of work took ${tookMs} ms`);
  t.ok(turns > 20, `${turns} turns of other work`);
});

t.test('pieces that wait do not run back to back', async (t) => {
  const share = createLoopShare(0.25);
  let together = 0;
  let togetherMax = 0;
  const piece = () => {
    workFor(4);
    togetherMax = Math.max(togetherMax, ++together);
    setImmediate(() => {
      together = 0;
    });
  };
  await Promise.all(Array.from({ length: 16 }, () => share.run(piece)));
  t.equal(togetherMax, 1, 'other work runs between two pieces');
});

t.test('a piece returns its result, and its error', async (t) => {
  const share = createLoopShare(0.5);
  t.equal(await share.run(() => 1), 1);
  await t.rejects(
    share.run(() => {
      throw new Error('broken');
    }),
    { message: 'broken' },
  );
});
