import t, { type Test } from 'tap';
import { type Deferred, deferred } from '../../lib/deferred.js';
import { type Closing, createOutbox, type OutboxOptions } from '../../lib/outbox/outbox.js';
import { retry } from '../../lib/outbox/retry.js';
import { stopTime } from '../support/fake-time.js';

const fits = (block: string[]) => block.length < 3;

/** An outbox of words, three to a block, whose commits end when the test ends them. */
function setUp(t: Test, options: Partial<OutboxOptions<string[], string>> = {}) {
  const pass = stopTime(t);
  const commits: { words: string; end: Deferred<string>; closing: Closing }[] = [];
  const outbox = createOutbox<string[], string>({
    makeBlock: () => [],
    commit(block, closing) {
      const end = deferred<string>();
      commits.push({ words: block.join(' '), end, closing });
      return end.promise;
    },
    paceMs: () => 100,
    burst: 1,
    stalledAfterMs: 10_000,
    ...options,
  });
  async function add(word: string): Promise<string> {
    const { block, outcome } = outbox.join(fits);
    block.push(word);
    return outcome;
  }
  return { pass, outbox, add, commits, words: () => commits.map(({ words }) => words) };
}

/** The error of an entry that is not admitted. */
const refusalOf = (sent: Promise<string>): Promise<unknown> => sent.catch((error: unknown) => error);

const busy = { kind: 'storeBusy', retryAfterSeconds: 1 };
const stalled = { kind: 'storeBusy', retryAfterSeconds: 5 };

t.test('one block is in flight; what arrives meanwhile forms the next one', async (t) => {
  const { pass, add, commits, words } = setUp(t);
  const first = add('a');
  await pass(0);
  const others = [add('b'), add('c')];
  await pass(1_000);
  t.strictSame(words(), ['a']);
  commits[0]?.end.resolve('stored');
  t.equal(await first, 'stored');
  await pass(0);
  t.strictSame(words(), ['a', 'b c']);
  commits[1]?.end.resolve('stored too');
  t.strictSame(await Promise.all(others), ['stored too', 'stored too']);
});

t.test('everyone who added to a block gets its error, and the next block leaves', async (t) => {
  const { pass, add, commits, words } = setUp(t);
  const sent = [add('a'), add('b')];
  await pass(0);
  void add('c');
  commits[0]?.end.reject(new Error('The disk is full.'));
  for (const outcome of sent) await t.rejects(outcome, { message: 'The disk is full.' });
  await pass(100);
  t.strictSame(words(), ['a b', 'c']);
});

t.test('a full block refuses entries until it leaves', async (t) => {
  const { pass, add, commits, words } = setUp(t);
  void add('a');
  await pass(0);
  for (const word of ['b', 'c', 'd']) void add(word);
  t.match(await refusalOf(add('e')), busy);
  commits[0]?.end.resolve('');
  await pass(100);
  void add('e');
  t.strictSame(words(), ['a', 'b c d']);
});

t.test('blocks leave at their pace, and a burst of them after a pause', async (t) => {
  const { pass, add } = setUp(t, { burst: 3, commit: async () => 'stored' });
  let leaving = 0;
  const send = async (ms: number) => {
    void add('a').then(() => {
      leaving += 1;
    });
    await pass(ms);
  };
  for (let i = 0; i < 4; i += 1) await send(0);
  t.equal(leaving, 3);
  await pass(100);
  t.equal(leaving, 4);
  await pass(1_000);
  for (let i = 0; i < 4; i += 1) await send(0);
  t.equal(leaving, 7, 'no credit beyond the burst');
});

t.test('a commit that takes too long refuses entries, however the time is corrected', async (t) => {
  const { pass, add, commits } = setUp(t);
  const realNow = Date.now;
  t.teardown(() => {
    Date.now = realNow;
  });
  void add('a');
  await pass(0);
  Date.now = () => realNow() + 3_600_000;
  const taken = add('b');
  await pass(9_900);
  void add('c');
  Date.now = () => realNow() - 3_600_000;
  await pass(200);
  t.match(await refusalOf(add('d')), stalled);
  commits[0]?.end.resolve('');
  await pass(200);
  void add('e');
  commits[1]?.end.resolve('stored');
  t.equal(await taken, 'stored');
});

t.test('without room behind the acknowledgement entries are refused', async (t) => {
  let hasRoom = false;
  const { pass, add, commits } = setUp(t, { hasRoomBehind: () => hasRoom });
  t.match(await refusalOf(add('a')), stalled);
  hasRoom = true;
  void add('b');
  await pass(0);
  t.equal(commits.length, 1);
});

t.test('a flush does not wait for the pace, and resolves after a failure too', async (t) => {
  const { pass, outbox, add, commits, words } = setUp(t, { paceMs: () => 10_000 });
  await outbox.flush();
  add('a').catch(() => {});
  await pass(0);
  commits[0]?.end.reject(new Error('The disk is full.'));
  await pass(0);
  add('b').catch(() => {});
  await pass(1_000);
  t.strictSame(words(), ['a'], 'the pace holds');
  let isFlushed = false;
  void outbox.flush().then(() => {
    isFlushed = true;
  });
  await pass(0);
  t.strictSame(words(), ['a', 'b']);
  t.equal(isFlushed, false);
  commits[1]?.end.reject(new Error('The disk is full.'));
  await pass(0);
  t.equal(isFlushed, true);
  add('c').catch(() => {});
  await pass(1_000);
  t.equal(commits.length, 2, 'the pace holds again');
});

t.test('a close sends what waits, whatever the pace, and refuses the rest', async (t) => {
  const { pass, outbox, add, commits, words } = setUp(t, { paceMs: () => 10_000 });
  void add('a');
  await pass(0);
  const last = add('b');
  t.equal(commits[0]?.closing.at, undefined);
  let isClosed = false;
  const closed = outbox.close().then(() => {
    isClosed = true;
  });
  t.match(await refusalOf(add('c')), { kind: 'shuttingDown', retryAfterSeconds: 1 });
  t.equal(commits[0]?.closing.signal.aborted, true);
  commits[0]?.end.resolve('');
  await pass(5);
  t.strictSame(words(), ['a', 'b']);
  t.equal(isClosed, false);
  commits[1]?.end.resolve('stored');
  t.equal(await last, 'stored');
  await closed;
  await outbox.close();
});

/** Attempts that fail, at what time after the first one, until `closeAtMs`, when an outbox begins to close. */
async function failingAttempts(
  t: Test,
  { giveUpAfterMs, closeAtMs = Number.POSITIVE_INFINITY }: { giveUpAfterMs?: number; closeAtMs?: number },
) {
  const pass = stopTime(t);
  const stopping = new AbortController();
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  let closedAt: number | undefined;
  const attempts: number[] = [];
  let ended: number | undefined;
  const attempt = async () => {
    attempts.push(elapsed());
    return undefined;
  };
  const closing: Closing = {
    signal: stopping.signal,
    get at() {
      return closedAt;
    },
  };
  const backOff = { firstMs: 100, maxMs: 400 };
  const limit = giveUpAfterMs === undefined ? {} : { giveUpAfterMs };
  void retry(attempt, { backOff, closing, giveUpAfterCloseMs: 500, ...limit }).then((result) => {
    t.equal(result, undefined);
    ended = elapsed();
  });
  for (let passed = 0; passed < 5_000 && ended === undefined; passed += 5) {
    if (passed === closeAtMs) {
      closedAt = performance.now();
      stopping.abort();
    }
    await pass(5);
  }
  return { attempts, ended };
}

t.test('pauses between attempts double up to a bound', async (t) => {
  const { attempts, ended } = await failingAttempts(t, { giveUpAfterMs: 1_600 });
  t.strictSame(attempts, [0, 100, 300, 700, 1_100, 1_500]);
  t.equal(ended, 1_500, 'another pause would end too late');
});

t.test('a close ends the pause, and attempts go on for the time that it leaves', async (t) => {
  const { attempts, ended } = await failingAttempts(t, { closeAtMs: 850 });
  t.strictSame(attempts, [0, 100, 300, 700, 850, 1_250]);
  t.equal(ended, 1_250);
});

t.test('the first result ends the attempts', async (t) => {
  const pass = stopTime(t);
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
    return attempts === 3 ? 'stored' : undefined;
  };
  const closing: Closing = { signal: new AbortController().signal, at: undefined };
  const result = retry(attempt, { backOff: { firstMs: 1, maxMs: 1 }, closing, giveUpAfterCloseMs: 0 });
  await pass(100);
  t.equal(await result, 'stored');
  t.equal(attempts, 3);
});
