import t, { type Test } from 'tap';
import { deferred } from '../../lib/deferred.js';
import { joinPollLoops, startPollLoop } from '../../lib/poll-loop.js';
import { captureLog } from '../support/capture-log.js';
import { stopTime } from '../support/fake-time.js';
import { silentLog } from '../support/silent-log.js';

/** A loop whose runs are counted; each answers the next of these, and then that it found nothing. */
function startCounted(
  t: Test,
  answers: readonly (boolean | Error | Promise<boolean>)[] = [],
  log = silentLog,
) {
  let runs = 0;
  const loop = startPollLoop(
    'test',
    async () => {
      const answer = answers[runs] ?? false;
      runs += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    { log, pollMs: 1_000 },
  );
  t.teardown(() => loop.stop());
  return { ...loop, runs: () => runs };
}

t.test('a run that found work is followed at once, another one after the pause', async (t) => {
  const advance = stopTime(t);
  const loop = startCounted(t, [true, true]);
  await advance(0);
  t.equal(loop.runs(), 3);
  await advance(990);
  t.equal(loop.runs(), 3);
  await advance(10);
  t.equal(loop.runs(), 4);
});

t.test('a wake ends the pause', async (t) => {
  const advance = stopTime(t);
  const loop = startCounted(t);
  await advance(500);
  t.equal(loop.runs(), 1);
  loop.wake();
  loop.wake();
  await advance(0);
  t.equal(loop.runs(), 2, 'two wakes of one pause start one run');
  await advance(990);
  t.equal(loop.runs(), 2, 'and the next pause is a whole one');
  await advance(10);
  t.equal(loop.runs(), 3);
});

t.test('a wake during a run causes one more run after it', async (t) => {
  const advance = stopTime(t);
  const first = deferred<boolean>();
  const loop = startCounted(t, [first.promise]);
  loop.wake();
  loop.wake();
  await advance(100);
  t.equal(loop.runs(), 1, 'runs do not overlap');
  first.resolve(false);
  await advance(0);
  t.equal(loop.runs(), 2);
  await advance(900);
  t.equal(loop.runs(), 2, 'one run, not two');
});

t.test('a run that fails is logged, and repeated after five seconds or at a wake', async (t) => {
  const advance = stopTime(t);
  const { log, entries } = captureLog();
  const loop = startCounted(t, [new Error('no database'), new Error('none yet')], log);
  await advance(4_900);
  t.equal(loop.runs(), 1);
  t.match(entries(), [{ loop: 'test', err: { message: 'no database' } }]);
  await advance(100);
  t.equal(loop.runs(), 2);
  loop.wake();
  await advance(0);
  t.equal(loop.runs(), 3);
});

t.test('a stop aborts the signal, waits for the run, and starts no other', async (t) => {
  let signal: AbortSignal | undefined;
  let runs = 0;
  const run = deferred<boolean>();
  const loop = startPollLoop(
    'test',
    (given) => {
      signal = given;
      runs += 1;
      return run.promise;
    },
    { log: silentLog },
  );
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  loop.wake();
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(signal?.aborted, true);
  t.notOk(stopped);
  run.resolve(true);
  await stopping;
  t.equal(runs, 1);
});

t.test('a stop ends a pause', async (t) => {
  stopTime(t);
  await startCounted(t).stop();
  t.pass();
});

t.test('joined loops are woken and stopped together', async (t) => {
  const advance = stopTime(t);
  const loops = [startCounted(t), startCounted(t)];
  const joined = joinPollLoops(loops);
  await advance(0);
  joined.wake();
  await advance(0);
  t.strictSame(
    loops.map((loop) => loop.runs()),
    [2, 2],
  );
  await joined.stop();
  joined.wake();
  await advance(2_000);
  t.strictSame(
    loops.map((loop) => loop.runs()),
    [2, 2],
  );
});
