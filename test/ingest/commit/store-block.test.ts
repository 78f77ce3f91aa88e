import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { Block } from '../../../ingest/commit/collapse.js';
import { encodeBlock } from '../../../ingest/commit/encode-block.js';
import { type EncodedBlock, storeBlock } from '../../../ingest/commit/store-block.js';
import { windowV1 } from '../../../ingest/read/time-window.js';
import { ServiceError } from '../../../lib/service-error.js';
import { makeBatch, makePageNames, registerAll } from '../../support/batches.js';
import { makeControlledBuffer } from '../../support/controlled-buffer.js';
import { makeControlledStore } from '../../support/controlled-store.js';
import { stopTime } from '../../support/fake-time.js';
import { silentLog } from '../../support/silent-log.js';

type Outcome = { state: 'waiting' | 'stored' | 'refused'; storedIn?: string; error?: unknown };

function setUp(t: Test) {
  const pass = stopTime(t);
  const store = makeControlledStore();
  const buffer = makeControlledBuffer();
  const closing: { signal: AbortSignal; at: number | undefined } = {
    signal: new AbortController().signal,
    at: undefined,
  };
  let failures = 0;
  const insertFailed = () => {
    failures += 1;
  };
  const page = makePageNames();

  function blockOf(...endpoints: string[]): EncodedBlock {
    const events = endpoints.map((endpoint) => ({ endpoint, status: 200 }));
    const batch = makeBatch(events, page, windowV1(Date.now()));
    registerAll(batch, page);
    const block = new Block();
    block.add(batch);
    return { token: randomUUID(), bytes: encodeBlock(block), rows: block.rows, events: block.events };
  }

  /** Stores a block whose first sender is answered after `leftMs`, and watches the outcome. */
  function send(block: EncodedBlock, leftMs = 8_500): Outcome {
    const outcome: Outcome = { state: 'waiting' };
    const deps = { store, buffer, log: silentLog, insertFailed, closing };
    storeBlock(deps, block, performance.now() + leftMs).then(
      (storedIn) => Object.assign(outcome, { state: 'stored', storedIn }),
      (error: unknown) => Object.assign(outcome, { state: 'refused', error }),
    );
    return outcome;
  }

  const stored = () => store.rows().map(({ endpoint }) => endpoint);
  return { pass, store, buffer, closing, blockOf, send, stored, failures: () => failures };
}

function refusal({ state, error }: Outcome): string | undefined {
  return state === 'refused' && error instanceof ServiceError ? error.kind : undefined;
}

t.test('a block that failed is sent again unchanged, under the same token', async (t) => {
  const { pass, store, send, blockOf, stored, failures } = setUp(t);
  store.behaviour = 'fail';
  const sent = send(blockOf('/a', '/b'));
  await pass(1_000);
  t.equal(sent.state, 'waiting');
  const failed = store.attempts.length;
  t.ok(failed >= 3 && failed <= 5, `${failed} attempts in the first second`);
  store.behaviour = 'store';
  await pass(2_000);
  t.match(sent, { state: 'stored', storedIn: 'store' });
  const [first] = store.attempts;
  t.ok(store.attempts.every(({ bytes, token }) => token === first?.token && bytes.equals(first.bytes)));
  t.strictSame(stored().sort(), ['/a', '/b']);
  t.equal(failures(), failed);
});

t.test('a block whose answer was lost counts once', async (t) => {
  const { pass, store, send, blockOf, stored } = setUp(t);
  store.behaviour = 'storeAndFail';
  const sent = send(blockOf('/a'));
  await pass(300);
  t.equal(sent.state, 'waiting');
  store.behaviour = 'store';
  await pass(2_000);
  t.equal(sent.state, 'stored');
  t.ok(store.attempts.length > 1);
  t.strictSame(stored(), ['/a']);
});

t.test(
  'a block that neither takes is given up half a second before its first sender is answered',
  async (t) => {
    const { pass, store, send, blockOf } = setUp(t);
    store.behaviour = 'fail';
    const sent = send(blockOf('/a'));
    await pass(5_000);
    t.equal(sent.state, 'waiting');
    await pass(3_000);
    t.equal(refusal(sent), 'storeUnavailable');
    t.match(sent.error, { retryAfterSeconds: 5 });
    const attempts = store.attempts.length;
    store.behaviour = 'store';
    await pass(5_000);
    t.equal(store.attempts.length, attempts, 'nothing is sent after that');
  },
);

t.test('a block that its store does not take for 2 s is written to the buffer', async (t) => {
  const { pass, store, buffer, send, blockOf } = setUp(t);
  store.behaviour = 'fail';
  buffer.works = true;
  const sent = send(blockOf('/a', '/b'));
  await pass(1_500);
  t.equal(sent.state, 'waiting', 'the store has time for a restart');
  await pass(2_000);
  t.match(sent, { state: 'stored', storedIn: 'buffer' });
  const [attempt] = store.attempts;
  t.match(buffer.blocks, [{ token: attempt?.token, rows: 2, events: 2 }]);
  t.ok(
    buffer.blocks[0]?.bytes.equals(attempt?.bytes ?? Buffer.of()),
    'a block that may be stored is not changed',
  );
});

t.test('a store that hangs is left after 4.5 s', async (t) => {
  const { pass, store, buffer, send, blockOf } = setUp(t);
  store.behaviour = 'hang';
  buffer.works = true;
  const sent = send(blockOf('/a'));
  await pass(4_400);
  t.equal(sent.state, 'waiting');
  await pass(200);
  t.match(sent, { state: 'stored', storedIn: 'buffer' });
  t.equal(store.attempts.length, 1);
});

t.test('a block goes behind those that wait, and to the store when none does', async (t) => {
  const { pass, store, buffer, send, blockOf } = setUp(t);
  Object.assign(buffer, { works: true, behind: true });
  const behind = send(blockOf('/a'));
  await pass(0);
  t.match(behind, { state: 'stored', storedIn: 'buffer' });
  t.equal(store.attempts.length, 0, 'the store is left alone');
  buffer.behind = false;
  const later = send(blockOf('/b'));
  await pass(0);
  t.match(later, { state: 'stored', storedIn: 'store' });
});

t.test('when the buffer fails while blocks wait in it, the block goes to the store', async (t) => {
  const { pass, store, buffer, send, blockOf } = setUp(t);
  buffer.behind = true;
  store.behaviour = 'fail';
  const sent = send(blockOf('/a'));
  await pass(3_000);
  t.equal(sent.state, 'waiting');
  store.behaviour = 'store';
  await pass(2_500);
  t.match(sent, { state: 'stored', storedIn: 'store' });
});

t.test('a buffer that hangs with blocks in it takes no time that the store needs', async (t) => {
  const { pass, buffer, send, blockOf } = setUp(t);
  buffer.behind = true;
  buffer.look = (timeoutMs) =>
    new Promise((_, reject) => setTimeout(() => reject(new Error('No answer.')), timeoutMs));
  buffer.put = (_block, timeoutMs) => buffer.look(timeoutMs).then(() => {});
  const sent = send(blockOf('/a'));
  await pass(2_100);
  t.match(sent, { state: 'stored', storedIn: 'store' });
});

t.test('a close ends the patience with a failing store, and not the time that the block has', async (t) => {
  const { pass, store, buffer, closing, send, blockOf } = setUp(t);
  store.behaviour = 'fail';
  closing.at = performance.now();
  const sent = send(blockOf('/a'));
  await pass(5_000);
  t.equal(sent.state, 'waiting');
  buffer.works = true;
  await pass(2_000);
  t.match(sent, { state: 'stored', storedIn: 'buffer' });
});
