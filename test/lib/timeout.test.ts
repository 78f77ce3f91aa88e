import { getEventListeners } from 'node:events';
import t from 'tap';
import { deferred } from '../../lib/deferred.js';
import { endsWithin, startDeadline, withTimeout } from '../../lib/timeout.js';
import { stopTime } from '../support/fake-time.js';

const never = new Promise<never>(() => {});

t.test('work in time gives its result or its error', async (t) => {
  t.equal(await withTimeout(Promise.resolve(1), 1_000), 1);
  t.equal(await withTimeout(async () => 2, 1_000), 2);
  await t.rejects(withTimeout(Promise.reject(new Error('broken')), 1_000), { message: 'broken' });
  const broken = (): Promise<never> => {
    throw new Error('broken at once');
  };
  await t.rejects(withTimeout(broken, 1_000), { message: 'broken at once' });
});

t.test('work that takes longer is rejected at its time, and its signal is aborted', async (t) => {
  const advance = stopTime(t);
  let given: AbortSignal | undefined;
  const outcomes: unknown[] = [];
  const note = (error: unknown) => outcomes.push(String(error));
  withTimeout(never, 1_000).catch(note);
  const work = (signal: AbortSignal) => {
    given = signal;
    return never;
  };
  withTimeout(work, 1_000, { error: () => new RangeError('too slow') }).catch(note);
  await advance(900);
  t.strictSame(outcomes, []);
  t.equal(given?.aborted, false);
  await advance(100);
  t.strictSame(outcomes, ['Error: No answer within 1000 ms.', 'RangeError: too slow']);
  t.match(given?.reason, new RangeError('too slow'));
});

t.test('a signal of the caller ends the wait with its own reason', async (t) => {
  const stopping = new AbortController();
  const waiting = withTimeout(never, 60_000, { signal: stopping.signal });
  stopping.abort(new Error('stopped'));
  await t.rejects(waiting, { message: 'stopped' });
  let called = false;
  const work = async () => {
    called = true;
  };
  await t.rejects(withTimeout(work, 60_000, { signal: stopping.signal }), { message: 'stopped' });
  t.notOk(called);
});

t.test('no listener stays on the signal of the caller', async (t) => {
  const { signal } = new AbortController();
  await withTimeout(Promise.resolve(), 60_000, { signal });
  t.strictSame(getEventListeners(signal, 'abort'), []);
});

t.test('a deadline is aborted by its time, by its outer signal and by its end', async (t) => {
  const advance = stopTime(t);
  const late = startDeadline(1_000);
  await advance(1_000);
  t.match(late.signal.reason, { message: 'No answer within 1000 ms.' });
  const ended = startDeadline(1_000);
  ended.end();
  t.ok(ended.signal.aborted);
  t.ok(startDeadline(1_000, AbortSignal.abort()).signal.aborted);
});

t.test('endsWithin tells whether work ended, and does not reject', async (t) => {
  t.equal(await endsWithin(Promise.resolve(), 60_000), true);
  t.equal(await endsWithin(Promise.reject(new Error('broken')), 60_000), true);
  const advance = stopTime(t);
  const work = deferred<void>();
  const waited = endsWithin(work.promise, 1_000);
  await advance(1_000);
  t.equal(await waited, false);
});
