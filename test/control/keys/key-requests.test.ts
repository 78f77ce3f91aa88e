import t from 'tap';
import { countKeyRequest } from '../../../control/keys/index.js';
import type { KeyId } from '../../../lib/ids.js';
import { makeKey, makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
await makePage(sql, { slug: 'acme' });
const start = Date.UTC(2026, 0, 1);

/** Counts requests of a new key that reach PostgreSQL in this order, at these milliseconds. */
async function countAll(times: readonly number[]): Promise<number[]> {
  const clock = { now: () => start };
  const { id }: { id: KeyId } = await makeKey({ sql, clock }, { slug: 'acme', scope: 'incident' });
  const counts: number[] = [];
  for (const ms of times) {
    const { requests } = await countKeyRequest({ sql, clock: { now: () => start + ms } }, id);
    counts.push(requests);
  }
  return counts;
}

t.test('requests count in the minute that the first of them begins', async (t) => {
  t.strictSame(await countAll([0, 30_000, 59_999, 60_000, 119_999, 120_000]), [1, 2, 3, 1, 2, 1]);
});

t.test('a request that was overtaken, or whose clock is slightly behind, counts too', async (t) => {
  t.strictSame(await countAll([5, 0, 3]), [1, 2, 3]);
  t.strictSame(await countAll([59_999, 0]), [1, 2]);
});

t.test('a minute that began before the clock was set back ends', async (t) => {
  t.strictSame(await countAll([3_600_000, 0, 1]), [1, 1, 2]);
});
