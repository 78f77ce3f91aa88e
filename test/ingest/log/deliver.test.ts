import { ClickHouseError } from '@clickhouse/client';
import t, { type Test } from 'tap';
import type { EncodedBlock } from '../../../ingest/commit/store-block.js';
import { deliverToOwnStore, deliverToStore } from '../../../ingest/log/deliver.js';
import type { Delivery } from '../../../ingest/log/segment-queue.js';
import { captureLog } from '../../support/capture-log.js';
import { makeControlledBuffer } from '../../support/controlled-buffer.js';
import { makeControlledStore } from '../../support/controlled-store.js';
import { stopTime } from '../../support/fake-time.js';

const block: EncodedBlock = { token: 'f.1', bytes: Buffer.alloc(0), rows: 1, events: 3 };

function setUp(t: Test) {
  const pass = stopTime(t);
  const store = makeControlledStore();
  const buffer = makeControlledBuffer();
  buffer.works = true;
  const { log, text } = captureLog();
  const counts = { inserted: 0, failed: 0 };
  const metrics = {
    inserted({ events }: { events: number }) {
      counts.inserted += events;
    },
    insertFailed() {
      counts.failed += 1;
    },
  };
  return { pass, store, buffer, deps: { store, buffer, log, metrics }, counts, text };
}

const neverStopping = new AbortController().signal;
const deliveryAfter = (failures: number): Delivery => ({
  store: 'default',
  failures,
  firstFailedAt: performance.now() - 61_000,
});
const refuse = async (): Promise<void> => {
  throw new ClickHouseError({ message: 'Too many parts', code: '252', type: 'TOO_MANY_PARTS' });
};

/** How a delivery ended, so that a test may pass the time meanwhile. */
function watch(delivery: Promise<void>): { outcome: string } {
  const watched = { outcome: 'waiting' };
  delivery.then(
    () => {
      watched.outcome = 'delivered';
    },
    (error: unknown) => {
      watched.outcome = String(error);
    },
  );
  return watched;
}

t.test('a block goes to the store, and is counted', async (t) => {
  const { store, deps, counts } = setUp(t);
  await deliverToStore(deps)(block, deliveryAfter(0), neverStopping);
  t.match(store.attempts, [{ token: 'f.1' }]);
  t.strictSame(counts, { inserted: 3, failed: 0 });
});

t.test('a block that the store refuses ten times over a minute goes to the buffer', async (t) => {
  const { store, buffer, deps, counts, text } = setUp(t);
  store.insert = refuse;
  const deliver = deliverToStore(deps);
  const recent = { ...deliveryAfter(10), firstFailedAt: performance.now() - 59_000 };
  for (const delivery of [deliveryAfter(0), deliveryAfter(9), recent]) {
    await t.rejects(deliver(block, delivery, neverStopping), { code: '252' });
  }
  t.strictSame(buffer.blocks, []);
  await deliver(block, deliveryAfter(10), neverStopping);
  t.match(buffer.blocks, [{ token: 'f.1' }]);
  t.strictSame(counts, { inserted: 0, failed: 4 });
  t.match(text(), /refuses a block again and again/);
});

t.test('a refused block that the buffer does not take either is tried again', async (t) => {
  const { store, buffer, deps } = setUp(t);
  store.insert = refuse;
  buffer.works = false;
  await t.rejects(deliverToStore(deps)(block, deliveryAfter(10), neverStopping));
});

t.test('while the store is silent, blocks stay in the log', async (t) => {
  const { pass, store, buffer, deps } = setUp(t);
  const deliver = deliverToStore(deps);
  store.behaviour = 'fail';
  await t.rejects(deliver(block, deliveryAfter(1_000), neverStopping), /connection was closed/);
  store.behaviour = 'hang';
  const hanging = watch(deliver(block, deliveryAfter(1_000), neverStopping));
  await pass(19_000);
  t.equal(hanging.outcome, 'waiting');
  await pass(2_000);
  t.match(hanging.outcome, /20000 ms/);
  t.strictSame(buffer.blocks, []);
});

t.test('a stop ends an attempt at once', async (t) => {
  const { pass, store, deps } = setUp(t);
  store.behaviour = 'hang';
  const stopping = new AbortController();
  const hanging = watch(deliverToStore(deps)(block, deliveryAfter(0), stopping.signal));
  await pass(100);
  stopping.abort(new Error('The service stops.'));
  await pass(0);
  t.match(hanging.outcome, /The service stops/);
});

t.test("a page's own store has its blocks, or the delivery buffer after seconds", async (t) => {
  const { pass, store, buffer, deps, counts } = setUp(t);
  const delivered: string[] = [];
  const deliver = deliverToOwnStore(deps, (to) => delivered.push(to));
  await deliver(block, deliveryAfter(0), neverStopping);
  t.strictSame(delivered, ['store']);
  t.equal(counts.inserted, 3);
  store.behaviour = 'fail';
  const failing = watch(deliver({ ...block, token: 'f.2' }, deliveryAfter(0), neverStopping));
  await pass(5_000);
  t.equal(failing.outcome, 'delivered');
  t.strictSame(delivered, ['store', 'buffer']);
  t.match(buffer.blocks, [{ token: 'f.2' }]);
  t.equal(counts.inserted, 3, 'what waits in the buffer is not inserted');
  buffer.works = false;
  const refused = watch(deliver({ ...block, token: 'f.3' }, deliveryAfter(0), neverStopping));
  await pass(25_000);
  t.match(refused.outcome, /ServiceError/);
});
