import { randomUUID } from 'node:crypto';
import t from 'tap';
import { limits } from '../../../contract/limits.js';
import { pruneBatches } from '../../../ingest/buffer/backlog.js';
import { type DeliveryDeps, deliverNext } from '../../../ingest/buffer/deliver-batches.js';
import { createDeliveryBuffer } from '../../../ingest/buffer/delivery-buffer.js';
import type { StoreName } from '../../../ingest/buffer/waiting-blocks.js';
import { createClickHouseStore } from '../../../ingest/commit/clickhouse-store.js';
import { Block } from '../../../ingest/commit/collapse.js';
import { encodeBlock } from '../../../ingest/commit/encode-block.js';
import type { BlockStore } from '../../../ingest/commit/store-block.js';
import { windowV1 } from '../../../ingest/read/time-window.js';
import { openClickHouse } from '../../../sql/open-clickhouse.js';
import { makeBatch, makePageNames, registerAll } from '../../support/batches.js';
import { captureLog } from '../../support/capture-log.js';
import { makePage } from '../../support/pages.js';
import { select } from '../../support/rollups.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';
import { openTcpGate } from '../../support/tcp-gate.js';

/** More than a write takes on a busy machine. */
const writeMsMax = 10_000;
const { sql, clickhouse, clickhouseUrl } = await openStores(t);
const gate = await openTcpGate(t, clickhouseUrl);
const behindGate = openClickHouse(gate.url);
t.teardown(() => behindGate.close());
/** Stands still between the steps of a test. */
const clock = {
  time: Date.now(),
  now: () => clock.time,
  advance(ms: number) {
    clock.time += ms;
  },
};
const page = await makePage(sql);
const never = new AbortController().signal;
const deps = { sql, clock, log: silentLog };
const store = createClickHouseStore(behindGate);
const random = () => 0;

function depsWith(openStore: (name: StoreName) => BlockStore | undefined): DeliveryDeps {
  return { ...deps, random, openStore };
}
const delivery = depsWith(() => store);

/** A block of one event to an endpoint of this name. */
function blockOf(endpoint: string) {
  const names = makePageNames();
  const batch = makeBatch([{ endpoint, status: 200 }], names, windowV1(clock.now()));
  registerAll(batch, names);
  const block = new Block();
  block.add(batch);
  return { token: randomUUID(), bytes: encodeBlock(block), rows: block.rows, events: block.events };
}

const waiting = (name: StoreName) => sql`select * from delivery_batches where store = ${name} order by id`;
const countOf = async (endpoint: string): Promise<number> => {
  const rows = await select<{ n: number }>(
    clickhouse,
    `SELECT toUInt32(sum(requests)) AS n FROM requests_minute WHERE endpoint = '${endpoint}'`,
  );
  return rows[0]?.n ?? 0;
};
const clear = async () => {
  await sql`delete from delivery_batches`;
  await sql`delete from delivery_queues`;
};

t.test('batches are delivered when the store is available again, and then nothing is behind', async (t) => {
  const buffer = createDeliveryBuffer(deps, 'default');
  const blocks = [blockOf('/first'), blockOf('/second')];
  for (const block of [...blocks, ...blocks]) await buffer.put(block, writeMsMax);
  t.equal(buffer.behind, true);
  t.equal((await waiting('default')).length, 2, 'a block that is put twice waits once');
  await gate.close();
  t.equal(await deliverNext(delivery, never), true);
  t.match(
    await waiting('default'),
    [{ attempts: 1, last_error: /./ }, { attempts: 0 }],
    'one try, not one for each',
  );
  t.equal(await deliverNext(delivery, never), false, 'not before its pause is over');
  await gate.open();
  clock.advance(1_000);
  t.equal(await deliverNext(delivery, never), true);
  t.strictSame([...(await waiting('default'))], []);
  t.strictSame([await countOf('/first'), await countOf('/second')], [1, 1]);
  t.equal(await buffer.look(2_000), false);
  t.equal(buffer.behind, false);
});

t.test('a clock that is put back delays no batch and keeps no claim of a dead instance', async (t) => {
  const buffer = createDeliveryBuffer(deps, 'default');
  await buffer.put(blockOf('/before'), writeMsMax);
  clock.advance(-60_000);
  t.equal(await deliverNext(delivery, never), false, 'the clock of another instance is behind');
  clock.advance(-3_600_000);
  const waitingFor = new Date(clock.now() + 3_600_000);
  await sql`update delivery_queues set claimed_until = ${waitingFor}`;
  t.equal(await deliverNext(delivery, never), true);
  t.equal((await waiting('default')).length, 0);
  t.equal(await countOf('/before'), 1);
});

t.test('a block that the store had already counts once', async (t) => {
  const buffer = createDeliveryBuffer(deps, 'default');
  const block = blockOf('/once');
  await store.insert(block.bytes, block.token);
  await buffer.put(block, writeMsMax);
  // Dies between the store's answer and leaving the buffer.
  const dying = depsWith(() => ({
    async insert(bytes, token) {
      await store.insert(bytes, token);
      throw new Error('The answer was lost.');
    },
  }));
  t.equal(await deliverNext(dying, never), true);
  t.equal((await waiting('default')).length, 1);
  clock.advance(2_000);
  t.equal(await deliverNext(delivery, never), true);
  t.equal((await waiting('default')).length, 0);
  t.equal(await countOf('/once'), 1);
});

t.test('another process finds what an earlier one left', async (t) => {
  await createDeliveryBuffer(deps, 'default').put(blockOf('/left'), writeMsMax);
  const later = createDeliveryBuffer(deps, 'default');
  t.equal(later.behind, true, 'unknown before the first look');
  t.equal(await later.look(2_000), true);
  t.equal(later.behind, true);
  await clear();
});

t.test(
  'one of several instances delivers to a store, in order; another one takes over from a dead one after 30 s',
  async (t) => {
    const buffer = createDeliveryBuffer(deps, page.id);
    const blocks = Array.from({ length: 5 }, (_, i) => blockOf(`/order/${i}`));
    for (const block of blocks) await buffer.put(block, writeMsMax);
    const tokens: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = depsWith(() => ({
      async insert(_, token) {
        tokens.push(token);
        await held;
      },
    }));
    const first = deliverNext(slow, never);
    while (tokens.length === 0) await new Promise((resolve) => setImmediate(resolve));
    t.equal(await deliverNext(slow, never), false, 'the other instance leaves it alone');
    clock.advance(30_000);
    const second = deliverNext(slow, never);
    while (tokens.length === 1) await new Promise((resolve) => setImmediate(resolve));
    t.equal(tokens[0], tokens[1], 'the same block, under the same token');
    release();
    await Promise.all([first, second]);
    t.strictSame(
      [...new Set(tokens)],
      blocks.map(({ token }) => token),
    );
    t.equal((await waiting(page.id)).length, 0);
  },
);

t.test('a failing store delays no other store; nothing waits for a store that is gone', async (t) => {
  const other = await makePage(sql, { slug: 'other' });
  for (const name of [page.id, other.id, 'default'] as const) {
    await createDeliveryBuffer(deps, name).put(blockOf('/works'), writeMsMax);
  }
  const failing: BlockStore = {
    async insert() {
      throw new Error('refused');
    },
  };
  const mixed = depsWith((name) => (name === page.id ? failing : name === 'default' ? store : undefined));
  for (let i = 0; i < 3; i += 1) t.equal(await deliverNext(mixed, never), true);
  t.equal(await deliverNext(mixed, never), false);
  t.equal(await countOf('/works'), 1);
  t.match(await waiting(page.id), [{ attempts: 1, last_error: /refused/ }]);
  t.equal((await waiting(other.id)).length, 0, 'that page is back at the store of all');
  await clear();
});

t.test('batches for a store that this instance does not know yet are kept', async (t) => {
  const block = blockOf('/just-set');
  await createDeliveryBuffer(deps, page.id).put(block, writeMsMax);
  await sql`
    insert into event_stores (page_id, url, database, username, password, set_at)
    values (${page.id}, 'http://127.0.0.1:1', 'heartline', 'x', '\\x00', now())`;
  const unknowing = depsWith(() => undefined);
  t.equal(await deliverNext(unknowing, never), true);
  t.match(await waiting(page.id), [{ token: block.token }]);
  t.equal(await deliverNext(unknowing, never), false, 'it does not ask again at once');
  clock.advance(1_000);
  t.equal(await deliverNext(delivery, never), true);
  t.equal(await countOf('/just-set'), 1);
  await sql`delete from event_stores`;
  await clear();
});

t.test('after fifty attempts a batch waits for a replay, and the next one has its turn', async (t) => {
  const { log, text } = captureLog();
  const buffer = createDeliveryBuffer(deps, page.id);
  const [poison, next] = [blockOf('/poison'), blockOf('/next')];
  await buffer.put(poison, writeMsMax);
  await buffer.put(next, writeMsMax);
  const refusing = {
    ...depsWith(() => ({
      async insert(bytes, token) {
        if (token === poison.token) throw new Error('Cannot parse it.');
        await store.insert(bytes, token);
      },
    })),
    log,
  };
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= limits.deliveryAttempts; attempt += 1) {
    const [queue] = await sql`select next_attempt_at from delivery_queues where store = ${page.id}`;
    const pause = Math.max(0, queue?.['next_attempt_at'].getTime() - clock.now());
    pauses.push(pause);
    clock.advance(pause);
    t.equal(await deliverNext(refusing, never), true);
  }
  t.strictSame(pauses.slice(1, 5), [1_000, 2_000, 4_000, 8_000]);
  t.equal(pauses.at(-1), 300_000);
  t.match(await waiting(page.id), [
    { token: poison.token, attempts: 50, exhausted_at: Date },
    { token: next.token, attempts: 0, exhausted_at: null },
  ]);
  t.match(text(), /replay/);
  clock.advance(300_000);
  t.equal(await deliverNext(refusing, never), true);
  t.match(await waiting(page.id), [{ token: poison.token }]);
  t.equal(await countOf('/next'), 1);
  clock.advance(86_400_000);
  t.equal(await deliverNext(refusing, never), false, 'nothing is tried any more');
  t.equal(await buffer.look(2_000), false);
  t.equal(buffer.behind, false, 'and nothing waits for it');
  await clear();
});

t.test("a page's store keeps the newest 2,000 batches; the default store gives up none", async (t) => {
  const many = limits.bufferedBatchesPerPage + 3;
  for (const name of [page.id, 'default'] as const) {
    await createDeliveryBuffer(deps, name).put(blockOf('/oldest'), writeMsMax);
    await sql`
      insert into delivery_batches (store, token, body, rows, events, created_at)
      select ${name}, gen_random_uuid(), '\\x00', 1, 10, now() from generate_series(1, ${many - 2})`;
    await createDeliveryBuffer(deps, name).put(blockOf('/newest'), writeMsMax);
  }
  t.equal((await waiting('default')).length, many);
  const kept = await waiting(page.id);
  t.equal(kept.length, limits.bufferedBatchesPerPage);
  t.equal(kept.at(-1)?.['events'], 1, 'the newest is there');
  const [queue] = await sql`select * from delivery_queues where store = ${page.id}`;
  t.match(queue, { removed_batches: 3n, removed_events: 21n }, 'and what was removed is counted');
  await clear();
});

t.test('exhausted batches are deleted after a week, except for the default store', async (t) => {
  for (const name of [page.id, 'default'] as const) {
    for (let i = 0; i < 2; i += 1) await createDeliveryBuffer(deps, name).put(blockOf('/old'), writeMsMax);
    const [oldest] = await waiting(name);
    await sql`update delivery_batches set exhausted_at = now() where token = ${oldest?.['token']}`;
  }
  clock.advance(7 * 86_400_000 - 1);
  await pruneBatches(deps);
  t.equal((await waiting(page.id)).length, 2);
  clock.advance(2);
  await pruneBatches(deps);
  t.match(await waiting(page.id), [{ exhausted_at: null }], 'what is still tried stays');
  t.equal((await waiting('default')).length, 2);
});
