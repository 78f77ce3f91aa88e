import t from 'tap';
import { createMemoryRelease } from '../../lib/chunks.js';
import { waitUntil } from '../support/wait-until.js';

const release = createMemoryRelease();
/** Buffers whose memory is in use. */
const held = (buffers: readonly Buffer[]): number[] => buffers.map(({ length }) => length);

t.test('memory of large buffers is freed at once, also when it was freed before', async (t) => {
  const buffers = [Buffer.alloc(5_000), Buffer.allocUnsafeSlow(64 * 1024 * 1024)];
  const before = process.memoryUsage().arrayBuffers;
  release(buffers);
  t.strictSame(held(buffers), [0, 0]);
  // The port of a new function holds it until the port has closed.
  await waitUntil(
    'the memory is free',
    async () => process.memoryUsage().arrayBuffers <= before - 60_000_000,
  );
  release(buffers);
});

t.test('memory that is shared, and small buffers, are left alone', async (t) => {
  const whole = Buffer.alloc(10_000, 'a');
  const buffers = [whole.subarray(0, 5_000), Buffer.from('pooled'), Buffer.alloc(100)];
  release(buffers);
  t.strictSame(held(buffers), [5_000, 6, 100]);
  t.equal(whole.length, 10_000);
});
