import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { limits } from '../../../contract/limits.js';
import { batchKeyOf } from '../../../ingest/batch-ids/batch-id.js';
import { type Claim, claimBatchIds, pruneBatchIds } from '../../../ingest/batch-ids/claim-batch-ids.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import { openPostgres, type Transaction } from '../../../sql/open-postgres.js';
import { besideTransaction } from '../../support/beside-transaction.js';
import { propertyOf } from '../../support/property.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const start = Date.UTC(2026, 0, 31, 12);
const windowMs = limits.batchIdMinutes * minuteMs;
const pageId = newId<PageId>(start);

const claimOf = (id: string, acknowledgement: unknown = { of: id }, page = pageId): Claim => ({
  ...{ pageId: page, key: batchKeyOf(undefined, id), acknowledgement, place: 0 },
});

async function claim(some: readonly Claim[], now = start): Promise<[number, unknown][]> {
  const claims = some.map((one, place) => ({ ...one, place }));
  const late = await sql.begin((tx) => claimBatchIds(tx, claims, now));
  return [...late].sort(([a], [b]) => a - b);
}

t.test('the first of a key gets it, and later ones get its acknowledgement', async (t) => {
  t.strictSame(await claim([claimOf('a', { rows: 1 })]), []);
  t.strictSame(await claim([claimOf('a', { rows: 2 })]), [[0, { rows: 1 }]]);
  const mixed = [claimOf('z'), claimOf('a'), claimOf('b'), claimOf('y')];
  t.strictSame(await claim(mixed), [[1, { rows: 1 }]], 'by their place');
  t.strictSame(await claim(mixed, start + 1), [
    [0, { of: 'z' }],
    [1, { rows: 1 }],
    [2, { of: 'b' }],
    [3, { of: 'y' }],
  ]);
  t.strictSame(await claim([claimOf('a', {}, newId<PageId>(start))]), [], 'another page');
});

t.test('a key is free again after 15 minutes, and taken for as long again', async (t) => {
  await claim([claimOf('window', { is: 'first' })]);
  t.strictSame(await claim([claimOf('window')], start + windowMs - 1), [[0, { is: 'first' }]]);
  t.strictSame(await claim([claimOf('window', { is: 'second' })], start + windowMs), []);
  t.strictSame(await claim([claimOf('window')], start + 2 * windowMs - 1), [[0, { is: 'second' }]]);
});

t.test('nothing is claimed by a transaction that ends with an error', async (t) => {
  const failed = sql.begin(async (tx) => {
    await claimBatchIds(tx, [claimOf('undone')], start);
    throw new Error('The block is refused.');
  });
  await t.rejects(failed, { message: 'The block is refused.' });
  t.strictSame(await claim([claimOf('undone')]), []);
});

t.test('a transaction waits for another one that wants the same key', async (t) => {
  const other = openPostgres(databaseUrl);
  t.teardown(() => other.end({ timeout: 5 }));
  const own = claimOf('contended', { is: 'first' });
  const locks = { first: (tx: Transaction) => claimBatchIds(tx, [own], start), next: async () => {} };
  const late = await besideTransaction(sql, locks, () =>
    other.begin((tx) => claimBatchIds(tx, [claimOf('contended')], start)),
  );
  t.strictSame([...late], [[0, { is: 'first' }]]);
});

t.test('transactions with the same keys in any order do not lock up', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(ids, { minLength: 2 }),
      fc.shuffledSubarray(ids, { minLength: 2 }),
      async (one, other) => {
        const round = randomUUID();
        const claimsOf = (ids: readonly string[]) => ids.map((id) => claimOf(`${round} ${id}`));
        const late = await Promise.all([claim(claimsOf(one)), claim(claimsOf(other))]);
        const shared = one.filter((id) => other.includes(id)).length;
        if (late[0].length + late[1].length !== shared) throw new Error('A key was claimed twice.');
      },
    ),
    propertyOf(t, { few: 25, many: 200 }),
  );
});

t.test('what can no longer be a duplicate is pruned', async (t) => {
  await sql`delete from event_batches`;
  await claim([claimOf('old')]);
  await claim([claimOf('young')], start + 10 * minuteMs);
  const prune = (now: number) => pruneBatchIds({ sql, clock: { now: () => now } });
  const count = async () => (await sql`select 1 from event_batches`).length;
  await prune(start + windowMs);
  t.equal(await count(), 2, 'the clocks of instances may differ');
  await prune(start + windowMs + 5 * minuteMs);
  t.equal(await count(), 1);
  t.strictSame(await claim([claimOf('young')], start + windowMs), [[0, { of: 'young' }]]);
});

t.test('keys are told apart by reporter and id', async (t) => {
  const pairs: [string | undefined, string][] = [
    [undefined, 'a'],
    ['null', 'a'],
    ['', 'a'],
    ['a', ''],
    ['a,b', 'c'],
    ['a', 'b,c'],
    ['a","b', 'c'],
  ];
  t.equal(new Set(pairs.map(([reporter, id]) => batchKeyOf(reporter, id))).size, pairs.length);
  t.match(batchKeyOf('a', 'b'), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
