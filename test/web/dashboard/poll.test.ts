import t from 'tap';
import { ReadError } from '../../../web/dashboard/reads/fetch-json.js';
import { poll, type Surroundings } from '../../../web/dashboard/reads/poll.js';
import { parseRetryAfter, patiently, retryMsAfter } from '../../../web/dashboard/reads/retry.js';

const busy = (seconds: number) => new ReadError(503, 'Busy.', {}, false, seconds * 1_000);

/** A tab whose timers run by hand, and reads that end as listed. */
function watch(outcomes: (ReadError | undefined)[], everyMs?: number) {
  let isVisible = true;
  let changed = (): void => {};
  let timer: { ms: number; call(): void } | undefined;
  const told: number[] = [];
  let reads = 0;
  const tab: Surroundings = {
    isVisible: () => isVisible,
    onVisibility(listener) {
      changed = listener;
      return () => {};
    },
    after(ms, call) {
      timer = { ms, call };
      return () => {
        timer = undefined;
      };
    },
    random: () => 0,
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const end = poll(
    {
      everyMs,
      async read() {
        const outcome = outcomes[reads];
        reads += 1;
        if (outcome !== undefined) throw outcome;
      },
      onError: ({ status }) => told.push(status),
    },
    tab,
  );
  return {
    ...{ told, settle, end },
    reads: () => reads,
    waitMs: () => timer?.ms,
    async pass() {
      timer?.call();
      await settle();
    },
    async look(visible: boolean) {
      isVisible = visible;
      changed();
      await settle();
    },
  };
}

t.test('a read that is turned away comes again when the service says, and later each time', async (t) => {
  const watched = watch([busy(1), busy(2), busy(2), busy(2), undefined], 10_000);
  const waits: (number | undefined)[] = [];
  for (let i = 0; i < 5; i += 1) {
    if (i === 0) await watched.settle();
    else await watched.pass();
    waits.push(watched.waitMs());
  }
  t.strictSame(waits, [1_000, 2_000, 4_000, 8_000, 10_000]);
  t.strictSame(watched.told, [503, 503], 'two short waits pass unseen');
  watched.end();
});

t.test('a read that comes once is repeated, too, until it is answered', async (t) => {
  const watched = watch([busy(2), undefined]);
  await watched.settle();
  t.equal(watched.waitMs(), 2_000);
  await watched.pass();
  t.strictSame([watched.reads(), watched.waitMs(), watched.told], [2, undefined, []]);
});

t.test('a long wait and other failures are told at once', async (t) => {
  const long = watch([busy(30)], 10_000);
  const failed = watch([new ReadError(500, '')], 10_000);
  const gone = watch([new ReadError(404, '')]);
  await long.settle();
  const states = [long, failed, gone].map(({ told, waitMs }) => [told, waitMs()]);
  t.strictSame(states, [
    [[503], 30_000],
    [[500], 10_000],
    [[404], undefined],
  ]);
});

t.test(
  'a look at the tab does not come before the time of the service, and makes up for one that is over',
  async (t) => {
    const watched = watch([busy(5), undefined, undefined], 10_000);
    await watched.settle();
    await watched.look(false);
    await watched.look(true);
    t.equal(watched.reads(), 1);
    await watched.look(false);
    await watched.pass();
    t.equal(watched.reads(), 1, 'nobody sees it');
    await watched.look(true);
    t.equal(watched.reads(), 2);
    await watched.look(true);
    t.equal(watched.reads(), 3, 'afterwards a look reads at once');
  },
);

t.test('the wait is bounded, and spreads', (t) => {
  t.strictSame(['3', '0', '999999', '-1', 'Wed, 21 Oct', null].map(parseRetryAfter), [
    ...[3_000, 0, 120_000],
    ...[undefined, undefined, undefined],
  ]);
  t.equal(retryMsAfter(busy(1), 20, 0), 30_000);
  t.equal(retryMsAfter(busy(1), 1, 0.5), 1_250);
  t.end();
});

t.test('a read that no poll repeats waits as well, and tells the third refusal in a row', async (t) => {
  const tries = async (outcomes: (Error | string)[]) => {
    const waits: number[] = [];
    const read = async (): Promise<string> => {
      const outcome = outcomes.shift() ?? 'nothing is left';
      if (typeof outcome === 'string') return outcome;
      throw outcome;
    };
    const pace = { wait: async (ms: number) => void waits.push(ms), random: () => 0 };
    const ended = await patiently(read, pace).catch((error: Error) => error.message);
    return [ended, waits];
  };
  t.strictSame(await tries(['read']), ['read', []]);
  t.strictSame(await tries([busy(1), busy(2), 'read']), ['read', [1_000, 2_000]]);
  t.strictSame(await tries([busy(1), busy(1), busy(1)]), ['Busy.', [1_000, 2_000]]);
  t.strictSame(await tries([busy(60)]), ['Busy.', []], 'a long wait is said at once');
  t.strictSame(await tries([new ReadError(500, 'Broken.')]), ['Broken.', []]);
  t.strictSame(await tries([new DOMException('Left.', 'AbortError')]), ['Left.', []]);
});
