import t, { type Test } from 'tap';
import { deliverNext } from '../../../ingest/buffer/deliver-batches.js';
import { createDeliveryBuffer } from '../../../ingest/buffer/delivery-buffer.js';
import { batchKeyOf } from '../../../ingest/claims/batch-key.js';
import { createNamedCommit, type NamedOutcome } from '../../../ingest/claims/named-commit.js';
import type { Committed } from '../../../ingest/commit/commit.js';
import { windowV1 } from '../../../ingest/read/normalize.js';
import { makeBatch, makePageNames, registerAll } from '../../support/batches.js';
import { type Behaviour, makeControlledStore } from '../../support/controlled-store.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql } = await openTestPostgres(t);
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
const heldMs = 30_000;

async function setUp(t: Test, behaviour: Behaviour = 'store') {
  await sql`delete from delivery_batches`;
  await sql`delete from delivery_queues`;
  const store = makeControlledStore();
  store.behaviour = behaviour;
  const buffer = createDeliveryBuffer(deps, 'default');
  // Nothing is left of an earlier process.
  await buffer.look(2_000);
  const metrics = { inserted() {}, insertFailed() {} };
  const commit = createNamedCommit({ store, buffer, log: silentLog, metrics });
  t.teardown(async () => {
    store.release();
    await commit.close();
  });
  const page = makePageNames();

  function add(id: string, ...endpoints: string[]): Promise<NamedOutcome<Committed | 'nothing'>> {
    const events = endpoints.map((endpoint) => ({ endpoint, status: 200 }));
    const batch = makeBatch(events, page, windowV1(clock.now()));
    registerAll(batch, page);
    return commit.add(
      batch,
      endpoints.length === 0 ? [] : [page.unassigned],
      { pageId, arrival: clock.now(), answerBy: performance.now() + 60_000 },
      { key: batchKeyOf(undefined, `${t.name} ${id}`), describe: (committed) => committed ?? 'nothing' },
    );
  }
  /** How often each endpoint is stored. */
  const stored = () => {
    const requests = store.rows().filter(({ status }) => status > 0);
    return Object.fromEntries(requests.map(({ endpoint, requests }) => [endpoint, requests]));
  };
  const deliver = () => deliverNext({ ...deps, random: () => 0, openStore: () => store }, never);
  return { store, buffer, commit, add, stored, deliver };
}

const waiting = () => sql<{ heldUntil: Date | null }[]>`
  select held_until as "heldUntil" from delivery_batches order by id`;
const untilWaiting = (count: number) =>
  waitUntil(`${count} blocks wait`, async () => (await waiting()).length === count);

t.test('a batch is acknowledged with its rows, stored, and waits nowhere', async (t) => {
  const { add, stored } = await setUp(t);
  t.same(await add('a', '/a', '/a', '/b'), {
    acknowledgement: { rows: 2, writtenTo: 'buffer', isWaiting: false },
    isDuplicate: false,
  });
  await untilWaiting(0);
  t.same(stored(), { '/a': 2, '/b': 1 });
});

t.test('a sender is answered when PostgreSQL has the block, whatever the store does', async (t) => {
  const { store, add, stored, deliver } = await setUp(t, 'hang');
  await add('a', '/a');
  t.match(await waiting(), [{ heldUntil: new Date(clock.now() + heldMs) }]);
  t.equal(await deliver(), false, 'the delivery leaves it to whoever wrote it');
  store.release();
  await untilWaiting(0);
  t.same(stored(), { '/a': 1 });
});

t.test('after a crash the delivery takes the block over, and the store counts it once', async (t) => {
  const { store, add, stored, deliver } = await setUp(t, 'hang');
  await add('a', '/a');
  await waitUntil('the store is asked', () => store.attempts.length === 1);
  clock.advance(heldMs);
  store.behaviour = 'store';
  t.equal(await deliver(), true);
  t.same([...(await waiting())], []);
  store.release();
  t.same(stored(), { '/a': 1 });
  t.equal(new Set(store.attempts.map(({ token }) => token)).size, 1);
});

for (const behaviour of ['fail', 'storeAndFail'] as const) {
  t.test(`a store that fails (${behaviour}) gets the block from the buffer`, async (t) => {
    const { store, add, stored, deliver, buffer } = await setUp(t, behaviour);
    await add('a', '/a');
    await waitUntil('the block is released', async () => (await waiting())[0]?.heldUntil === null);
    t.equal(buffer.behind, true);
    store.behaviour = 'store';
    const next = await add('b', '/b');
    t.match(
      next,
      { acknowledgement: { isWaiting: true } },
      'later blocks go behind it, and their senders know',
    );
    t.match(await waiting(), [{ heldUntil: null }, { heldUntil: null }]);
    t.equal(await deliver(), true);
    while (await deliver());
    t.same(stored(), { '/a': 1, '/b': 1 });
    t.match(await add('c', '/c'), { acknowledgement: { isWaiting: false } });
    await untilWaiting(0);
  });
}

t.test('more than four blocks on their way wait in the buffer alone', async (t) => {
  const { store, add, stored, deliver } = await setUp(t, 'hang');
  for (let i = 1; i <= 5; i += 1) await add(String(i), `/${i}`);
  const held = (await waiting()).map(({ heldUntil }) => heldUntil !== null);
  t.strictSame(held, [true, true, true, true, false]);
  store.behaviour = 'store';
  t.equal(await deliver(), true);
  t.same(stored(), { '/5': 1 });
  store.release();
  await untilWaiting(0);
  t.same(stored(), { '/1': 1, '/2': 1, '/3': 1, '/4': 1, '/5': 1 });
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
  await untilWaiting(0);
  t.same(stored()['/never'], undefined);
  t.same(Object.keys(stored()).sort(), ['/a', '/b', '/c']);
});

t.test('equal batches at once are one, and share what becomes of it', async (t) => {
  const { add, stored } = await setUp(t);
  const outcomes = await Promise.all([add('a', '/a'), add('a', '/a'), add('a', '/a')]);
  t.strictSame(
    outcomes.map(({ isDuplicate }) => isDuplicate),
    [false, true, true],
  );
  await untilWaiting(0);
  t.same(stored(), { '/a': 1 });
});

t.test('a block that PostgreSQL refuses takes no id', async (t) => {
  const { add, stored } = await setUp(t);
  await sql`alter table delivery_batches add constraint none check (false) not valid`;
  await t.rejects(add('a', '/a'), likeServiceError('storeUnavailable'));
  await sql`alter table delivery_batches drop constraint none`;
  t.match(await add('a', '/a'), { isDuplicate: false });
  await untilWaiting(0);
  t.same(stored(), { '/a': 1 });
});

t.test('a stop waits for what is on its way, and leaves the rest to the delivery', async (t) => {
  const { add, stored, commit } = await setUp(t);
  const sent = ['/a', '/b', '/c'].map((endpoint) => add(endpoint, endpoint));
  await commit.close();
  await Promise.all(sent);
  t.same(stored(), { '/a': 1, '/b': 1, '/c': 1 });
  t.equal((await waiting()).length, 0);
  await t.rejects(add('d', '/d'), likeServiceError('shuttingDown'));
});

t.test('a batch whose sender is answered too soon is refused before it has an id', async (t) => {
  const { commit } = await setUp(t);
  const page = makePageNames();
  const late = commit.add(
    makeBatch([], page, windowV1(clock.now())),
    [],
    { pageId, arrival: clock.now(), answerBy: performance.now() + 1_000 },
    { key: batchKeyOf(undefined, t.name), describe: () => 'described' },
  );
  await t.rejects(late, likeServiceError('storeBusy'));
  t.equal((await sql`select 1 from event_batches where key = ${batchKeyOf(undefined, t.name)}`).length, 0);
});
