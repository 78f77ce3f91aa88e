import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { batchKeyOf } from '../../../ingest/batch-ids/batch-id.js';
import { type Claim, claimBatchIds } from '../../../ingest/batch-ids/claim-batch-ids.js';
import { deliverNext } from '../../../ingest/buffer/deliver-batches.js';
import { createDeliveryBuffer } from '../../../ingest/buffer/delivery-buffer.js';
import { releaseDue } from '../../../ingest/buffer/held-blocks.js';
import { packBlock } from '../../../ingest/buffer/packed-block.js';
import { Block } from '../../../ingest/commit/collapse.js';
import type { Committed } from '../../../ingest/commit/commit.js';
import type { HoldingBuffer } from '../../../ingest/commit/store-block.js';
import { createPostgresCommit, type OnceOutcome } from '../../../ingest/postgres/postgres-commit.js';
import { windowV1 } from '../../../ingest/read/time-window.js';
import { openPostgres, type Transaction } from '../../../sql/open-postgres.js';
import { makeBatch, makePageNames, registerAll } from '../../support/batches.js';
import { besideTransaction } from '../../support/beside-transaction.js';
import { captureLog } from '../../support/capture-log.js';
import { type Behaviour, makeControlledStore } from '../../support/controlled-store.js';
import { countTurns } from '../../support/count-turns.js';
import { decodeBlock } from '../../support/decode-block.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql, databaseUrl } = await openTestPostgres(t);
/** Stands still between the steps of a test. */
const clock = {
  time: Date.now(),
  now: () => clock.time,
  advance(ms: number) {
    clock.time += ms;
  },
};
const deps = { sql, clock, log: silentLog };
const { id: pageId } = await makePage(sql);
const never = new AbortController().signal;
const heldMs = 45_000;

async function setUp(t: Test, behaviour: Behaviour = 'store') {
  await sql`delete from held_blocks`;
  await sql`delete from delivery_batches`;
  await sql`delete from delivery_queues`;
  const store = makeControlledStore();
  store.behaviour = behaviour;
  const buffer = createDeliveryBuffer(deps, 'default');
  // Nothing is left of an earlier process.
  await buffer.look(2_000);
  const metrics = { inserted() {}, insertFailed() {} };
  const commit = createPostgresCommit({ store, buffer, log: silentLog, metrics });
  t.teardown(async () => {
    store.release();
    await commit.close();
  });
  const page = makePageNames();

  function add(id: string, ...endpoints: string[]): Promise<OnceOutcome<Committed | 'nothing'>> {
    const events = endpoints.map((endpoint) => ({ endpoint, status: 200 }));
    const batch = makeBatch(events, page, windowV1(clock.now()));
    registerAll(batch, page);
    return commit.addOnce(
      batch,
      endpoints.length === 0 ? [] : [page.unassigned],
      { pageId, at: clock.now(), answerBy: performance.now() + 60_000 },
      { key: batchKeyOf(undefined, `${t.name} ${id}`), describe: (committed) => committed ?? 'nothing' },
    );
  }
  /** Adds a batch without an id. */
  function addPlain(...endpoints: string[]): Promise<Committed> {
    const batch = makeBatch(
      endpoints.map((endpoint) => ({ endpoint, status: 200 })),
      page,
      windowV1(clock.now()),
    );
    registerAll(batch, page);
    const arrival = { pageId, at: clock.now(), answerBy: performance.now() + 60_000 };
    return commit.add(batch, [page.unassigned], arrival);
  }
  /** How often each endpoint is stored. */
  const stored = () => {
    const sums: Record<string, number> = {};
    for (const { endpoint, status, requests } of store.rows()) {
      if (status > 0) sums[endpoint] = (sums[endpoint] ?? 0) + requests;
    }
    return sums;
  };
  const deliver = () => deliverNext({ ...deps, random: () => 0, openStore: () => store }, never);
  return { store, buffer, commit, add, addPlain, stored, deliver };
}

/** Parts of blocks that are held, in the order of the blocks. */
const held = () =>
  sql<{ parts: number; heldUntil: Date }[]>`
    select count(*)::integer as parts, min(held_until) as "heldUntil"
    from held_blocks join held_parts using (token) group by token order by min(created_at), token`;
const waiting = () => sql<{ token: string }[]>`select token from delivery_batches order by id`;
const untilNoneHeld = () => waitUntil('no block is held', async () => (await held()).length === 0);

t.test('a batch is acknowledged with its rows, stored, and waits nowhere', async (t) => {
  const { add, stored, commit } = await setUp(t);
  t.same(await add('a', '/a', '/a', '/b'), {
    acknowledgement: { rows: 2, writtenTo: 'postgres', isWaiting: false },
    isDuplicate: false,
  });
  t.equal(await commit.settle(pageId), undefined, 'a read sees everything');
  t.same(stored(), { '/a': 2, '/b': 1 });
  t.same([...(await held()), ...(await waiting())], []);
});

t.test('batches without an id claim none, and are whole beside a duplicate', async (t) => {
  const { add, addPlain, stored, commit } = await setUp(t);
  const countIds = async () => (await sql`select 1 from event_batches`).length;
  const before = await countIds();
  t.same(await addPlain('/a', '/a', '/b'), { rows: 2, writtenTo: 'postgres', isWaiting: false });
  t.equal(await countIds(), before);
  await add('once', '/once');
  const outcomes = await Promise.all([
    addPlain('/a'),
    add('once', '/never'),
    addPlain('/b'),
    add('new', '/new'),
  ]);
  t.match(outcomes, [{ rows: 1 }, { isDuplicate: true }, { rows: 1 }, { isDuplicate: false }]);
  t.equal(await countIds(), before + 2);
  await commit.settle(pageId);
  t.same(stored(), { '/a': 3, '/b': 2, '/once': 1, '/new': 1 });
});

t.test('a write whose block was taken over goes into a new one', async (t) => {
  const { store, add, addPlain, stored, deliver, commit } = await setUp(t);
  await addPlain('/a');
  clock.advance(heldMs);
  t.equal(await releaseDue(deps), true, 'another instance takes the writer for dead');
  t.match(await Promise.all([addPlain('/b'), add('c', '/c')]), [{ rows: 1 }, { isDuplicate: false }]);
  await commit.settle(pageId);
  t.match(await addPlain('/d'), { isWaiting: false }, 'the store is not behind for that');
  while (await deliver());
  await commit.settle(pageId);
  t.same(stored(), { '/a': 1, '/b': 1, '/c': 1, '/d': 1 });
  t.equal(new Set(store.attempts.map(({ token }) => token)).size, 3);
});

t.test('writes of a second leave as one block', async (t) => {
  const { add, stored, store } = await setUp(t);
  for (let i = 0; i < 30; i += 1) await add(String(i), i % 2 === 0 ? '/a' : '/b');
  await untilNoneHeld();
  t.ok(store.attempts.length < 30, `${store.attempts.length} inserts for 30 writes`);
  t.same(stored(), { '/a': 15, '/b': 15 });
});

t.test('a sender is answered when PostgreSQL has the block, whatever the store does', async (t) => {
  const { store, add, stored, deliver, commit } = await setUp(t, 'hang');
  await add('a', '/a');
  t.equal(await commit.settle(pageId), clock.now(), 'a read says from when on it may lack events');
  t.equal((await held()).length, 1);
  t.equal(await releaseDue(deps), false, 'the delivery leaves it to whoever wrote it');
  t.equal(await deliver(), false);
  store.release();
  await untilNoneHeld();
  t.same(stored(), { '/a': 1 });
});

t.test('after a crash the delivery takes the block over, and the store counts it once', async (t) => {
  const { store, add, stored, deliver } = await setUp(t, 'hang');
  await add('a', '/a');
  await add('b', '/b');
  await waitUntil('the store is asked', () => store.attempts.length === 1);
  clock.advance(heldMs - 1);
  t.equal(await releaseDue(deps), false, 'its writer may be at work');
  clock.advance(1);
  store.behaviour = 'store';
  t.equal(await releaseDue(deps), true);
  t.equal(await releaseDue(deps), false);
  t.equal(await deliver(), true);
  t.same([...(await held()), ...(await waiting())], []);
  store.release();
  t.same(stored(), { '/a': 1, '/b': 1 });
  t.equal(new Set(store.attempts.map(({ token }) => token)).size, 1);
});

/** A block of one request, as a write adds it to a held block. */
function partOf(token: string, endpoint: string) {
  const page = makePageNames();
  const batch = makeBatch([{ endpoint, status: 200 }], page, windowV1(clock.now()));
  registerAll(batch, page);
  const block = new Block();
  block.add(batch);
  return { token, packed: packBlock(block), rows: 1, events: 1 };
}

const claimOf = (key: string): Claim => ({ pageId, key, acknowledgement: { of: key }, place: 0 });
const isClaimed = async (key: string) =>
  (await sql`select 1 from event_batches where key = ${key}`).length === 1;

t.test('nothing is added to a block that was taken over', async (t) => {
  const { buffer } = await setUp(t);
  const block = partOf('00000000-0000-4000-8000-000000000001', '/a');
  const key = batchKeyOf(undefined, t.name);
  const keep = (part: number) =>
    buffer.keepPart(
      async (tx, now) => {
        await claimBatchIds(tx, [claimOf(part === 0 ? randomUUID() : key)], now);
        return block;
      },
      { part, timeoutMs: 5_000 },
    );
  await keep(0);
  clock.advance(heldMs);
  t.equal(await releaseDue(deps), true);
  await t.rejects(keep(1), { name: 'NotHeldError' });
  const once = buffer.keepOnce(block, { claims: [claimOf(key)], part: 1, timeoutMs: 5_000 });
  await t.rejects(once, { name: 'NotHeldError' });
  t.equal(await isClaimed(key), false, 'the id is free');
  t.equal((await waiting()).length, 1);
});

t.test('one statement writes a part and all of its ids, or nothing', async (t) => {
  const { buffer } = await setUp(t);
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  const token = '00000000-0000-4000-8000-000000000006';
  const keepOnce = (keys: readonly string[], part: number) =>
    buffer.keepOnce(partOf(token, '/a'), { claims: keys.map(claimOf), part, timeoutMs: 5_000 });
  t.equal(await keepOnce([first], 0), true);
  t.equal(await keepOnce([second, first], 1), false);
  t.match([await held(), await isClaimed(second)], [[{ parts: 1 }], false]);
  t.equal(await keepOnce([second, third], 1), true);
  t.match([await held(), await isClaimed(second), await isClaimed(third)], [[{ parts: 2 }], true, true]);
});

t.test('a statement waits for a transaction that wants the same id', async (t) => {
  const { buffer } = await setUp(t);
  const other = openPostgres(databaseUrl);
  t.teardown(() => other.end({ timeout: 5 }));
  const [contended, free] = [randomUUID(), randomUUID()];
  const locks = {
    first: (tx: Transaction) => claimBatchIds(tx, [claimOf(contended)], clock.now()),
    next: async () => {},
  };
  const block = partOf('00000000-0000-4000-8000-000000000007', '/a');
  const isKept = await besideTransaction(other, locks, () =>
    buffer.keepOnce(block, { claims: [contended, free].map(claimOf), part: 0, timeoutMs: 5_000 }),
  );
  t.strictSame([isKept, (await held()).length, await isClaimed(free)], [false, 0, false]);
});

t.test('a block of a page that is deleted is given up', async (t) => {
  const { buffer } = await setUp(t);
  const block = partOf('00000000-0000-4000-8000-000000000001', '/a');
  await buffer.keepPart(async () => block, { part: 0, timeoutMs: 5_000 });
  await sql`update held_blocks set store = '00000000-0000-4000-8000-000000000002'`;
  await buffer.release(block.token);
  t.same([...(await held()), ...(await waiting())], []);
});

t.test('a store whose buffer is full keeps no block of another one held', async (t) => {
  const { buffer } = await setUp(t);
  const keep = (to: HoldingBuffer, token: string) =>
    to.keepPart(async () => partOf(token, '/a'), { part: 0, timeoutMs: 5_000 });
  const [full, other] = [
    '00000000-0000-4000-8000-000000000004',
    '00000000-0000-4000-8000-000000000005',
  ] as const;
  await keep(buffer, full);
  clock.advance(1);
  await keep(createDeliveryBuffer(deps, pageId), other);
  clock.advance(heldMs);
  await sql`alter table delivery_batches add constraint is_full check (store <> 'default') not valid`;
  await t.rejects(releaseDue(deps), { code: '23514' });
  t.match([await waiting(), await held()], [[{ token: other }], [{ parts: 1 }]]);
  await sql`alter table delivery_batches drop constraint is_full`;
  t.equal(await releaseDue(deps), true);
  t.match([await waiting(), await held()], [[{ token: other }, { token: full }], []]);
});

t.test('a block that cannot be read keeps no other one of its store held', async (t) => {
  const { buffer } = await setUp(t);
  const [broken, whole] = [
    '00000000-0000-4000-8000-000000000009',
    '00000000-0000-4000-8000-00000000000a',
  ] as const;
  for (const token of [broken, whole]) {
    await buffer.keepPart(async () => partOf(token, '/a'), { part: 0, timeoutMs: 5_000 });
    clock.advance(1);
  }
  await sql`update held_parts set packed = '\\x09' where token = ${broken}`;
  clock.advance(heldMs);
  const { log, entries } = captureLog();
  t.equal(await releaseDue({ ...deps, log }), true);
  t.match([await waiting(), await held()], [[{ token: whole }], [{ parts: 1 }]]);
  t.match(entries(), [{ token: broken, store: 'default' }], 'once a run');
});

t.test('while the store is behind, a large write is encoded in slices', async (t) => {
  const store = makeControlledStore();
  const real = createDeliveryBuffer(deps, 'default');
  let turnsMax = 0;
  const buffer: HoldingBuffer = {
    ...real,
    behind: true,
    look: async () => true,
    keep: (decide, timeoutMs) =>
      real.keep(async (tx, now) => {
        const { result, turns } = await countTurns(() => decide(tx, now));
        turnsMax = Math.max(turnsMax, turns);
        return result;
      }, timeoutMs),
  };
  const commit = createPostgresCommit({
    ...{ store, buffer, log: silentLog, metrics: { inserted() {}, insertFailed() {} } },
  });
  t.teardown(() => commit.close());
  const page = makePageNames();
  const batches = Array.from({ length: 16 }, (_, part) => {
    const events = Array.from({ length: 1_000 }, (_, i) => ({ endpoint: `/${part}/x${i}y`, status: 200 }));
    const batch = makeBatch(events, page, windowV1(clock.now()));
    registerAll(batch, page);
    const arrival = { pageId, at: clock.now(), answerBy: performance.now() + 60_000 };
    return commit.add(batch, [page.unassigned], arrival);
  });
  await Promise.all(batches);
  t.ok(turnsMax >= 2, `${turnsMax} turns`);
});

t.test('a writer that falls silent in its transaction holds no lock for long', async (t) => {
  const { buffer } = await setUp(t);
  let limit: string | undefined;
  const decide = async (tx: Transaction) => {
    limit = (
      await tx<{ limit: string }[]>`
      select current_setting('idle_in_transaction_session_timeout') as limit`
    )[0]?.limit;
    return undefined;
  };
  await buffer.keepPart(decide, { part: 0, timeoutMs: 5_000 });
  t.equal(limit, '3s');
});

t.test('parts of a block are one block again, in which equal rows are one', async (t) => {
  const { buffer } = await setUp(t);
  const token = '00000000-0000-4000-8000-000000000003';
  for (let part = 0; part < 120; part += 1) {
    await buffer.keepPart(async () => partOf(token, `/${part % 2}`), { part, timeoutMs: 5_000 });
  }
  await buffer.release(token);
  const [row] = await sql<{ body: Buffer; rows: number; events: number }[]>`
    select body, rows, events from delivery_batches`;
  t.match(row, { events: 120 });
  const sums = new Map<string, number>();
  const rows = decodeBlock(Buffer.from(row?.body ?? []));
  for (const { endpoint, requests } of rows) sums.set(endpoint, (sums.get(endpoint) ?? 0) + requests);
  t.strictSame(
    [...sums],
    [
      ['/0', 60],
      ['/1', 60],
    ],
  );
  t.equal(row?.rows, rows.length);
});

t.test('parts from before they were packed are delivered as they are', async (t) => {
  const { buffer } = await setUp(t);
  const token = '00000000-0000-4000-8000-000000000008';
  await sql`insert into held_blocks (token, store, held_until) values (${token}, 'default', ${new Date(clock.now())})`;
  for (let part = 11; part >= 0; part -= 1) {
    await sql`
      insert into held_parts (token, part, body, rows, events, created_at)
      values (${token}, ${part}, ${Buffer.from(`${part},`)}, ${part}, 1, ${new Date(clock.now())})`;
  }
  await buffer.release(token);
  const [row] = await sql<{ body: Buffer }[]>`select body, rows, events from delivery_batches`;
  t.match(row, { rows: 66, events: 12 });
  t.equal(Buffer.from(row?.body ?? []).toString(), '0,1,2,3,4,5,6,7,8,9,10,11,');
});

for (const behaviour of ['fail', 'storeAndFail'] as const) {
  t.test(`a store that fails (${behaviour}) gets the block from the buffer`, async (t) => {
    const { store, add, stored, deliver, buffer, commit } = await setUp(t, behaviour);
    await add('a', '/a');
    await waitUntil('the block is released', async () => (await waiting()).length === 1);
    t.equal(buffer.behind, true);
    store.behaviour = 'store';
    const next = await add('b', '/b');
    t.match(
      next,
      { acknowledgement: { isWaiting: true } },
      'later blocks go behind it, and their senders know',
    );
    t.equal((await waiting()).length, 2);
    t.equal(await deliver(), true);
    while (await deliver());
    t.same(stored(), { '/a': 1, '/b': 1 });
    t.match(await add('c', '/c'), { acknowledgement: { isWaiting: false } });
    await commit.settle(pageId);
    t.same([...(await held()), ...(await waiting())], []);
  });
}

t.test('more than four blocks on their way wait in the buffer alone', async (t) => {
  const { store, add, stored, deliver, commit } = await setUp(t, 'hang');
  let sent = 0;
  for (; (await waiting()).length === 0; sent += 1) {
    await add(String(sent), '/a');
    void commit.settle(pageId); // A read seals the block, so that the next write begins another.
  }
  t.equal((await held()).length, 4);
  t.equal((await waiting()).length, 1);
  store.behaviour = 'store';
  t.equal(await deliver(), true);
  t.same(stored(), { '/a': 1 });
  store.release();
  await untilNoneHeld();
  t.same(stored(), { '/a': sent });
});

t.test('duplicates are left out of a write with others, to the row', async (t) => {
  const { add, stored } = await setUp(t);
  await Promise.all([add('a', '/a', '/b'), add('b', '/b')]);
  const outcomes = await Promise.all([
    add('c', '/a', '/c'),
    add('a', '/a', '/never'),
    add('d', '/c'),
    add('b', '/never'),
    add('e'),
  ]);
  t.strictSame(
    outcomes.map(({ isDuplicate }) => isDuplicate),
    [false, true, false, true, false],
  );
  t.equal(outcomes[4]?.acknowledgement, 'nothing', 'one without an event has an id all the same');
  await untilNoneHeld();
  t.same(stored()['/never'], undefined);
  t.same(Object.keys(stored()).sort(), ['/a', '/b', '/c']);
});

t.test('equal batches at once are one, and share its outcome', async (t) => {
  const { add, stored } = await setUp(t);
  const outcomes = await Promise.all([add('a', '/a'), add('a', '/a'), add('a', '/a')]);
  t.strictSame(
    outcomes.map(({ isDuplicate }) => isDuplicate),
    [false, true, true],
  );
  await untilNoneHeld();
  t.same(stored(), { '/a': 1 });
});

t.test('a block that PostgreSQL refuses takes no id', async (t) => {
  const { add, stored } = await setUp(t);
  await sql`alter table held_parts add constraint none check (false) not valid`;
  await t.rejects(add('a', '/a'), likeServiceError('storeUnavailable'));
  await sql`alter table held_parts drop constraint none`;
  t.match(await add('a', '/a'), { isDuplicate: false });
  await untilNoneHeld();
  t.same(stored(), { '/a': 1 });
});

t.test('a stop waits for what is on its way, and leaves the rest to the delivery', async (t) => {
  const { add, stored, commit } = await setUp(t);
  const sent = ['/a', '/b', '/c'].map((endpoint) => add(endpoint, endpoint));
  await commit.close();
  await Promise.all(sent);
  t.same(stored(), { '/a': 1, '/b': 1, '/c': 1 });
  t.same([...(await held()), ...(await waiting())], []);
  await t.rejects(add('d', '/d'), likeServiceError('shuttingDown'));
});

t.test('a batch whose sender is answered too soon is refused before it has an id', async (t) => {
  const { commit } = await setUp(t);
  const page = makePageNames();
  const late = commit.addOnce(
    makeBatch([], page, windowV1(clock.now())),
    [],
    { pageId, at: clock.now(), answerBy: performance.now() + 1_000 },
    { key: batchKeyOf(undefined, t.name), describe: () => 'described' },
  );
  await t.rejects(late, likeServiceError('storeBusy'));
  t.equal((await sql`select 1 from event_batches where key = ${batchKeyOf(undefined, t.name)}`).length, 0);
});
