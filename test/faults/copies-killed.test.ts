import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { seeded } from '../../bench/support/batches.js';
import { deletePage } from '../../control/pages/index.js';
import type { PageId } from '../../lib/ids.js';
import { hourMs, secondMs } from '../../lib/times.js';
import { removePages } from '../../service/jobs/remove-pages.js';
import { testActor } from '../support/actor.js';
import { insertCopied, readBoth } from '../support/copies.js';
import { insertMonitor } from '../support/monitors.js';
import { makePage } from '../support/pages.js';
import { select } from '../support/rollups.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';
import { isThirdTier } from '../support/tiers.js';
import { waitUntil } from '../support/wait-until.js';
import type { CopiesEvent, CopyStep } from './copies-process.js';

/** How long instances are killed; HEARTLINE_TEST_COPIES_SECONDS=600 takes ten minutes. */
const seconds = Number(process.env['HEARTLINE_TEST_COPIES_SECONDS'] ?? 20);
/**
 * The longest time from the last kill until both stores have the same. Beside the tests of other slots, a process takes seconds to
 * start.
 */
const equalWithinMs = isThirdTier ? 10_000 : 60_000;
/** PostgreSQL takes the lock from a process that is silent for so long. */
const silentMs = 10_000;
const pageCount = 4;
const steps: readonly CopyStep[] = ['version', 'read', 'inserted', 'forgotten'];

const stores = await openStores(t);
const { sql, clickhouse, databaseUrl, clickhouseUrl } = stores;
const seed = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 31));
t.comment(`FAULT_SEED=${seed}`);

type Instance = { child: ChildProcess; isCopying: boolean; copied: number; isSuspended: boolean };

const entry = fileURLToPath(new URL('copies-process.js', import.meta.url));
const complaints = new Set<string>();

/** Starts a process that runs the loop, and that sends itself a signal at a step of its first copy when one is given. */
function open(step?: CopyStep, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL'): Instance {
  const args = [entry, databaseUrl, clickhouseUrl, ...(step === undefined ? [] : [step, signal])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const instance: Instance = { child, isCopying: false, copied: 0, isSuspended: false };
  t.teardown(() => kill(instance));
  child.on('message', (event: CopiesEvent) => {
    // A process that was suspended finds its connection cut.
    if (event.event === 'complaint' && !instance.isSuspended) complaints.add(event.text);
    if (event.event === 'suspending') instance.isSuspended = true;
    instance.isCopying = event.event === 'begun';
    if (event.event === 'ended') instance.copied += 1;
  });
  return instance;
}

async function kill({ child }: Instance): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Two instances, of which one at a time is killed at a random moment. */
function openInstances(t: Test) {
  const random = seeded(seed);
  const found = { kills: 0, cut: 0 };
  const running = [open(), open()];
  t.teardown(() => Promise.all(running.map(kill)));

  /** Kills an instance that has copied before, within the time that one copy takes. */
  async function killOne(): Promise<void> {
    await waitUntil(
      'one copies',
      () => running.some(({ copied, isCopying }) => copied > 0 && isCopying),
      equalWithinMs,
    );
    const at = running.findIndex(({ isCopying }) => isCopying);
    const victim = running[at];
    if (victim === undefined) return;
    await wait(random() * 15);
    if (victim.isCopying) found.cut += 1;
    await kill(victim);
    running[at] = open();
    found.kills += 1;
  }

  return { found, killOne };
}

async function areEqual(): Promise<boolean> {
  const { rows, copies } = await readBoth(stores);
  return rows.length === copies.length && rows.every((row, i) => row === copies[i]);
}

/** Makes changes of all kinds, one after the other, until it is stopped. */
function startChanges(pageIds: readonly PageId[]) {
  const random = seeded(seed + 1);
  let isOver = false;
  let changes = 0;
  const kinds: readonly ((pageId: PageId) => PromiseLike<unknown>)[] = [
    (pageId) => insertMonitor(sql, { pageId }),
    (pageId) => sql`
      update monitors set name = ${`Name ${changes}`}, failures = failures + 1 where page_id = ${pageId}`,
    (pageId) => sql`
      delete from monitors where id = (select id from monitors where page_id = ${pageId} order by id desc limit 1)`,
    (pageId) => sql`update incidents set title = ${`Title ${changes}`} where page_id = ${pageId}`,
    (pageId) => sql`
      insert into deployments (id, page_id, service, version, environment, at, announced_at)
      values (${randomUUID()}, ${pageId}, 'cart', ${`${changes}`}, '', now(), now())`,
    (pageId) => sql`
      delete from deployments where id = (select id from deployments where page_id = ${pageId} order by at limit 1)`,
    (pageId) => sql`update alerts set title = ${`Title ${changes}`} where page_id = ${pageId}`,
    (pageId) => sql`update sources set name = ${`Name ${changes}`} where page_id = ${pageId}`,
  ];

  async function run(): Promise<void> {
    while (!isOver) {
      const change = kinds[Math.floor(random() * kinds.length)];
      const pageId = pageIds[Math.floor(random() * pageIds.length)];
      if (change === undefined || pageId === undefined) continue;
      changes += 1;
      await change(pageId);
    }
  }

  const ended = run();
  return {
    async stop(): Promise<number> {
      isOver = true;
      await ended;
      return changes;
    },
  };
}

/** Makes a page with a row of each kind, and lets an instance copy all rows. */
async function makeCopiedPage(slug: string): Promise<PageId> {
  const { id } = await makePage(sql, { slug });
  await insertCopied(sql, id);
  const instance = open();
  await waitUntil('both stores have the same', areEqual, equalWithinMs);
  const isNoted = async () => {
    const left = await sql`
      select from copies_due union all select from copies_state where noted_to is not null`;
    return left.length === 0;
  };
  await waitUntil('all rows were noted', isNoted, equalWithinMs);
  await kill(instance);
  return id;
}

t.test('an instance that is killed at any step leaves nothing that the next one does not mend', async (t) => {
  const pageId = await makeCopiedPage('steps');
  for (const step of steps) {
    await sql`update monitors set name = ${`Changed before ${step}`} where page_id = ${pageId}`;
    await sql`delete from sources where ctid = (select ctid from sources where page_id = ${pageId} limit 1)`;
    const { child } = open(step);
    if (child.signalCode === null) await once(child, 'exit');
    t.equal(child.signalCode, 'SIGKILL', `killed after ${step}`);
    const next = open();
    await waitUntil(`both stores have the same after ${step}`, areEqual, equalWithinMs);
    await kill(next);
  }
  t.strictSame([...complaints], []);
});

t.test('an instance that is suspended for longer than its lock lasts brings no older row back', async (t) => {
  const pageId = await makeCopiedPage('suspended');
  await sql`update monitors set name = 'Read by the one that is suspended' where page_id = ${pageId}`;
  const suspended = open('read', 'SIGSTOP');
  t.teardown(() => kill(suspended));
  await waitUntil('it is suspended', () => suspended.isSuspended, equalWithinMs);
  await sql`update monitors set name = 'Read by the next' where page_id = ${pageId}`;
  const next = open();
  t.teardown(() => kill(next));
  await waitUntil('the next one copies', areEqual, equalWithinMs + silentMs);
  suspended.child.kill('SIGCONT');
  await waitUntil('the older copy has arrived', () => suspended.copied > 0, equalWithinMs);
  t.ok(await areEqual());
  await sql`update monitors set name = 'Of later' where page_id = ${pageId}`;
  await waitUntil('both go on', areEqual, equalWithinMs);
  const [state] = await sql`select noted_to from copies_state`;
  t.strictSame(state?.['noted_to'], null, 'the stores do not seem to differ');
  t.strictSame([...complaints], []);
});

t.test(
  'instances killed while they copy: both stores agree again, and have nothing of a deleted page',
  { timeout: (seconds + 120) * secondMs },
  async (t) => {
    const pageIds: PageId[] = [];
    for (let i = 0; i <= pageCount; i += 1) {
      const { id } = await makePage(sql, { slug: `page-${i}` });
      await insertCopied(sql, id);
      pageIds.push(id);
    }
    const [deleted, ...others] = pageIds;
    if (deleted === undefined) throw new Error('There is a page to delete.');
    const { found, killOne } = openInstances(t);
    const changes = startChanges(others);
    const deps = { sql, clickhouse, log: silentLog, by: testActor };
    const endAt = performance.now() + seconds * secondMs;
    while (performance.now() < endAt) {
      await killOne();
      if (found.kills !== 3) continue;
      await sql`update monitors set name = 'Last' where page_id = ${deleted}`;
      await deletePage({ ...deps, clock: { now: Date.now } }, deleted);
      await removePages({ ...deps, clock: { now: Date.now } });
    }
    const made = await changes.stop();

    await waitUntil('both stores have the same', areEqual, equalWithinMs);
    const waiting = await sql`select from copies_due where page_id = ${deleted}`;
    t.equal(waiting.length, 0, 'no note of the deleted page is left');
    // An insert of a process that was killed may arrive when it is gone; the second look finds that.
    await removePages({ ...deps, clock: { now: () => Date.now() + 2 * hourMs } });
    await waitUntil('nothing of the deleted page is left', async () => {
      return (await select(clickhouse, `SELECT 1 FROM copies WHERE page_id = '${deleted}'`)).length === 0;
    });
    t.ok(found.cut > 0, 'some copies were cut off');
    t.strictSame([...complaints], [], 'no copy failed, and the stores never seemed to differ');
    t.comment(`${made} changes, ${found.kills} kills of which ${found.cut} within a copy`);
  },
);
