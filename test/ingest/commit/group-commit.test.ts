import t, { type Test } from 'tap';
import type { WrittenTo } from '../../../ingest/commit/commit.js';
import { createGroupCommit } from '../../../ingest/commit/group-commit.js';
import type { Batch } from '../../../ingest/read/batch.js';
import { windowV1 } from '../../../ingest/read/normalize.js';
import { ServiceError } from '../../../lib/service-error.js';
import { makeBatch, makePageNames, registerAll } from '../../support/batches.js';
import { makeControlledBuffer } from '../../support/controlled-buffer.js';
import { makeControlledStore } from '../../support/controlled-store.js';
import { stopTime } from '../../support/fake-time.js';
import { silentLog } from '../../support/silent-log.js';

type Outcome = {
  state: 'waiting' | 'stored' | 'refused';
  rows?: number;
  writtenTo?: WrittenTo;
  error?: unknown;
};

function setUp(t: Test) {
  const pass = stopTime(t);
  const store = makeControlledStore();
  const buffer = makeControlledBuffer();
  const inserted: number[] = [];
  let failures = 0;
  const commit = createGroupCommit({
    store,
    buffer,
    log: silentLog,
    metrics: {
      inserted: ({ events }) => inserted.push(events),
      insertFailed: () => {
        failures += 1;
      },
    },
  });
  const page = makePageNames();

  function batchOf(endpoints: string[]): Batch {
    const events = endpoints.map((endpoint) => ({ endpoint, status: 200 }));
    const batch = makeBatch(events, page, windowV1(Date.now()));
    registerAll(batch, page);
    return batch;
  }

  /** Adds events with these endpoints and watches what becomes of them. */
  function add(...endpoints: string[]): Outcome {
    return addBatch(batchOf(endpoints));
  }

  /** `leftMs` is the time until its sender gets an answer in any case. */
  function addBatch(batch: Batch, leftMs = 8_500): Outcome {
    const outcome: Outcome = { state: 'waiting' };
    commit
      .add(batch, [page.unassigned], {
        pageId: page.pageId,
        arrival: Date.now(),
        answerBy: performance.now() + leftMs,
      })
      .then(
        (committed) => Object.assign(outcome, { state: 'stored', ...committed }),
        (error: unknown) => Object.assign(outcome, { state: 'refused', error }),
      );
    return outcome;
  }

  const events = () => store.rows().reduce((sum, row) => sum + (row.status > 0 ? row.requests : 0), 0);
  return { pass, store, buffer, commit, add, addBatch, batchOf, events, inserted, failures: () => failures };
}

function refusal({ state, error }: Outcome): string | undefined {
  return state === 'refused' && error instanceof ServiceError ? error.kind : undefined;
}

t.test('a sender is answered when the store has its rows, and not before', async (t) => {
  const { pass, store, add } = setUp(t);
  store.behaviour = 'hang';
  const sent = add('/a', '/a', '/b');
  await pass(1_000);
  t.equal(store.attempts.length, 1);
  t.equal(sent.state, 'waiting');
  store.release();
  await pass(0);
  t.match(sent, { state: 'stored', rows: 2 });
});

t.test('when idle a batch leaves without waiting', async (t) => {
  const { pass, add } = setUp(t);
  const sent = add('/a');
  await pass(0);
  t.equal(sent.state, 'stored');
});

t.test(
  'events that arrive while a block is in flight form the next one, in which equal rows are one',
  async (t) => {
    const { pass, store, add, commit } = setUp(t);
    store.behaviour = 'hang';
    const first = add('/a');
    await pass(0);
    store.behaviour = 'store';
    const others = [add('/a', '/a', '/b'), add('/a'), add('/c')];
    await pass(500);
    t.equal(commit.waitingEvents, 5);
    t.ok(others.every(({ state }) => state === 'waiting'));
    store.release();
    await pass(100);
    t.equal(first.rows, 1);
    t.strictSame(
      others.map(({ rows }) => rows),
      [2, 1, 1],
      'each sender gets the number of its own rows',
    );
    t.equal(store.attempts.length, 2);
    t.strictSame(
      store
        .rows()
        .slice(2)
        .map(({ endpoint, requests }) => `${requests} ${endpoint}`)
        .sort(),
      ['1 /b', '1 /c', '3 ', '3 /a'],
    );
    t.equal(commit.waitingEvents, 0);
  },
);

t.test('a block that failed is sent again unchanged, under the same token', async (t) => {
  const { pass, store, add, events, inserted, failures } = setUp(t);
  store.behaviour = 'fail';
  const sent = add('/a', '/b');
  await pass(1_000);
  t.equal(sent.state, 'waiting');
  const failed = store.attempts.length;
  t.ok(failed >= 3 && failed <= 5, `${failed} attempts in the first second`);
  store.behaviour = 'store';
  await pass(2_000);
  t.equal(sent.state, 'stored');
  const [first] = store.attempts;
  t.ok(store.attempts.every(({ bytes, token }) => token === first?.token && bytes.equals(first.bytes)));
  t.equal(events(), 2);
  t.strictSame(inserted, [2]);
  t.equal(failures(), failed);
});

t.test('a block whose answer was lost counts once', async (t) => {
  const { pass, store, add, events } = setUp(t);
  store.behaviour = 'storeAndFail';
  const sent = [add('/a'), add('/a')];
  await pass(300);
  t.ok(sent.every(({ state }) => state === 'waiting'));
  store.behaviour = 'store';
  await pass(2_000);
  t.ok(sent.every(({ state }) => state === 'stored'));
  t.ok(store.attempts.length > 1);
  t.equal(events(), 2);
});

t.test('two blocks never share a token', async (t) => {
  const { pass, store, add } = setUp(t);
  for (let i = 0; i < 5; i += 1) {
    add('/a');
    await pass(200);
  }
  t.equal(store.attempts.length, 5);
  t.equal(new Set(store.attempts.map(({ token }) => token)).size, 5);
});

t.test(
  'a store and a buffer that stay unavailable are given up within 9 s with 503; later batches get through',
  async (t) => {
    const { pass, store, add } = setUp(t);
    store.behaviour = 'fail';
    const sent = add('/a');
    await pass(5_000);
    t.equal(sent.state, 'waiting');
    await pass(3_500);
    t.equal(refusal(sent), 'storeUnavailable');
    t.match(sent.error, { retryAfterSeconds: Number });
    store.behaviour = 'store';
    const later = add('/b');
    await pass(100);
    t.equal(later.state, 'stored');
    t.strictSame(
      store
        .rows()
        .filter(({ status }) => status > 0)
        .map(({ endpoint }) => endpoint),
      ['/b'],
    );
  },
);

t.test(
  'new batches are refused with 503 while nothing takes a block for 7 s, until it is through',
  async (t) => {
    const { pass, store, add, events } = setUp(t);
    store.behaviour = 'hang';
    const first = add('/a');
    await pass(6_900);
    const second = add('/b');
    t.equal(second.state, 'waiting');
    await pass(200);
    const third = add('/c');
    await pass(0);
    t.equal(refusal(third), 'storeBusy');
    t.match(third.error, { retryAfterSeconds: Number });
    store.behaviour = 'store';
    store.release();
    await pass(500);
    t.equal(first.state, 'stored');
    t.equal(second.state, 'stored');
    const fourth = add('/d');
    await pass(200);
    t.equal(fourth.state, 'stored');
    t.equal(events(), 3, 'nothing of the refused batch was stored');
  },
);

t.test('the block that waits is refused with the one before it, and is not stored later', async (t) => {
  const { pass, store, add, events } = setUp(t);
  store.behaviour = 'hang';
  const first = add('/a');
  await pass(5_000);
  const second = add('/b');
  await pass(4_000);
  t.equal(refusal(first), 'storeUnavailable');
  t.equal(refusal(second), 'storeBusy');
  t.match(second.error, { retryAfterSeconds: 5 });
  store.behaviour = 'store';
  const third = add('/c');
  await pass(200);
  t.equal(third.state, 'stored');
  t.equal(events(), 1);
});

t.test('a batch whose sender would be answered before its block is given up is not stored', async (t) => {
  const { pass, store, addBatch, batchOf, add } = setUp(t);
  const late = addBatch(batchOf(['/a']), 4_900);
  await pass(100);
  t.equal(refusal(late), 'storeBusy');
  t.equal(store.attempts.length, 0);
  add('/b');
  await pass(100);
  t.strictSame(
    store.rows().flatMap(({ endpoint, status }) => (status > 0 ? endpoint : [])),
    ['/b'],
  );
});

t.test('a block is given up before the first of its senders is answered', async (t) => {
  const { pass, store, addBatch, batchOf, add } = setUp(t);
  store.behaviour = 'fail';
  const [early, late] = [add('/a'), addBatch(batchOf(['/b']), 5_500)];
  await pass(4_900);
  t.equal(refusal(late), 'storeUnavailable');
  t.equal(refusal(early), 'storeUnavailable', 'it is in the same block');
  const attempts = store.attempts.length;
  store.behaviour = 'store';
  await pass(5_000);
  t.equal(store.attempts.length, attempts, 'nothing is sent after that');
});

t.test('a block that its store does not take for 2 s is written to the buffer', async (t) => {
  const { pass, store, buffer, add, inserted } = setUp(t);
  store.behaviour = 'fail';
  buffer.works = true;
  const sent = add('/a', '/b');
  await pass(1_500);
  t.equal(sent.state, 'waiting', 'the store has time for a restart');
  await pass(2_000);
  t.match(sent, { state: 'stored', writtenTo: 'buffer', rows: 2 });
  const [attempt] = store.attempts;
  t.match(buffer.blocks, [{ token: attempt?.token, rows: 3, events: 2 }]);
  t.ok(buffer.blocks[0]?.bytes.equals(attempt?.bytes ?? Buffer.of()), 'what may be stored is not changed');
  t.strictSame(inserted, []);
});

t.test('a store that hangs is left after 4.5 s', async (t) => {
  const { pass, store, buffer, add } = setUp(t);
  store.behaviour = 'hang';
  buffer.works = true;
  const sent = add('/a');
  await pass(4_400);
  t.equal(sent.state, 'waiting');
  await pass(200);
  t.match(sent, { state: 'stored', writtenTo: 'buffer' });
  t.equal(store.attempts.length, 1);
});

t.test('batches that arrive while blocks wait go behind them, in one block a second', async (t) => {
  const { pass, store, buffer, add } = setUp(t);
  Object.assign(buffer, { works: true, behind: true });
  const sent: Outcome[] = [];
  for (let i = 0; i < 300; i += 1) {
    sent.push(add(`/${i}`));
    await pass(100);
  }
  await pass(1_000);
  t.ok(sent.every(({ state, writtenTo }) => state === 'stored' && writtenTo === 'buffer'));
  t.equal(store.attempts.length, 0, 'the store is left alone');
  t.ok(buffer.blocks.length >= 35 && buffer.blocks.length <= 42, `${buffer.blocks.length} blocks in 30 s`);
  t.equal(
    buffer.blocks.reduce((sum, { events }) => sum + events, 0),
    300,
  );
  buffer.behind = false;
  const later = add('/later');
  await pass(1_000);
  t.match(later, { state: 'stored', writtenTo: 'store' });
});

t.test('when the buffer fails while blocks wait in it, the block goes to the store', async (t) => {
  const { pass, store, buffer, add, events } = setUp(t);
  buffer.behind = true;
  store.behaviour = 'fail';
  const sent = add('/a');
  await pass(3_000);
  t.equal(sent.state, 'waiting');
  store.behaviour = 'store';
  await pass(2_500);
  t.match(sent, { state: 'stored', writtenTo: 'store' });
  t.equal(events(), 1);
});

t.test('a buffer that hangs with blocks in it refuses no batch while the store works', async (t) => {
  const { pass, store, buffer, add, events } = setUp(t);
  buffer.behind = true;
  buffer.look = (timeoutMs) =>
    new Promise((_, reject) => setTimeout(() => reject(new Error('No answer.')), timeoutMs));
  buffer.put = (_block, timeoutMs) => buffer.look(timeoutMs).then(() => {});
  const sent: Outcome[] = [];
  for (let i = 0; i < 100; i += 1) {
    sent.push(add(`/${i}`));
    await pass(100);
  }
  await pass(5_000);
  t.strictSame(
    sent.filter(({ state, writtenTo }) => state !== 'stored' || writtenTo !== 'store'),
    [],
  );
  t.equal(events(), 100);
  t.ok(store.attempts.length > 1);
});

t.test('the block that waits is bounded by rows', async (t) => {
  const { pass, store, add, events } = setUp(t);
  store.behaviour = 'hang';
  add('/first');
  await pass(0);
  store.behaviour = 'store';
  const sent = Array.from({ length: 70 }, (_, part) =>
    add(...Array.from({ length: 1_000 }, (_, i) => `/${part}/${i}`)),
  );
  await pass(0);
  const refused = sent.filter((outcome) => refusal(outcome) === 'storeBusy').length;
  t.ok(refused >= 5 && refused <= 10, `${refused} of 70 batches refused`);
  store.release();
  await pass(200);
  t.equal(sent.filter(({ state }) => state === 'stored').length, 70 - refused);
  t.equal(events(), 1 + (70 - refused) * 1_000);
});

t.test('the block that waits is bounded by events and by batches', async (t) => {
  const { pass, store, add, addBatch, batchOf, events } = setUp(t);
  const flood = async (endpoints: string[], batches: number): Promise<number> => {
    store.behaviour = 'hang';
    add('/first');
    await pass(200);
    store.behaviour = 'store';
    const batch = batchOf(endpoints);
    const sent = Array.from({ length: batches }, () => addBatch(batch));
    await pass(0);
    const waiting = sent.filter(({ state }) => state === 'waiting').length;
    t.equal(sent.filter((outcome) => refusal(outcome) === 'storeBusy').length, batches - waiting);
    store.release();
    await pass(200);
    t.equal(sent.filter(({ state }) => state === 'stored').length, waiting);
    return waiting;
  };
  const thousand = Array.from({ length: 1_000 }, () => '/a');
  t.equal(await flood(thousand, 1_010), 1_000);
  t.equal(await flood(['/a'], 20_010), 20_000);
  t.equal(events(), 1_000_000 + 20_000 + 2);
});

t.test('under sustained load about ten blocks leave a second', async (t) => {
  const { pass, store, add } = setUp(t);
  const sent: Outcome[] = [];
  const begin = Date.now();
  while (Date.now() < begin + 10_000) {
    sent.push(add('/a'));
    await pass(10);
  }
  await pass(200);
  t.ok(sent.every(({ state }) => state === 'stored'));
  t.ok(store.attempts.length >= 95, `${store.attempts.length} blocks in 10 s`);
  t.ok(store.attempts.length <= 112, `${store.attempts.length} blocks in 10 s: ten a second and a burst`);
  const late = store.attempts.filter(({ at }) => at >= begin + 5_000 && at < begin + 9_000).length;
  t.ok(late >= 38 && late <= 41, `${late} blocks in four of the later seconds`);
});

t.test('closing sends what waits, refuses new batches, and resolves when all is answered', async (t) => {
  const { pass, store, commit, add, events } = setUp(t);
  store.behaviour = 'hang';
  const first = add('/a');
  await pass(0);
  const second = add('/b');
  let isClosed = false;
  void commit.close().then(() => {
    isClosed = true;
  });
  const late = add('/c');
  await pass(0);
  t.equal(refusal(late), 'shuttingDown');
  t.equal(isClosed, false);
  store.behaviour = 'store';
  store.release();
  await pass(10);
  t.match([first, second], [{ state: 'stored' }, { state: 'stored' }]);
  t.equal(isClosed, true);
  t.equal(events(), 2);
});

t.test('closing waits neither for the pace nor when there is nothing to do', async (t) => {
  const { pass, store, commit, add } = setUp(t);
  for (let i = 0; i < 30; i += 1) {
    add('/a');
    await pass(0);
  }
  const paced = add('/b');
  await pass(0);
  t.equal(paced.state, 'waiting', 'the burst is used up');
  let isClosed = false;
  void commit.close().then(() => {
    isClosed = true;
  });
  await pass(0);
  t.equal(paced.state, 'stored');
  t.equal(isClosed, true);
  const attempts = store.attempts.length;
  await commit.close();
  await pass(1_000);
  t.equal(store.attempts.length, attempts);
});

t.test('closing does not shorten the time that a failing store has', async (t) => {
  const { pass, store, commit, add } = setUp(t);
  store.behaviour = 'fail';
  const sent = add('/a');
  await pass(1_000);
  let isClosed = false;
  void commit.close().then(() => {
    isClosed = true;
  });
  await pass(5_000);
  t.equal(isClosed, false);
  await pass(2_500);
  t.equal(isClosed, true);
  t.equal(refusal(sent), 'storeUnavailable');
});
