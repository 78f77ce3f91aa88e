import { type FileHandle, mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type EventLog, openEventLog } from '../../../ingest/log/event-log.js';
import { systemClock } from '../../../lib/clock.js';
import { makeControlledBuffer } from '../../support/controlled-buffer.js';
import { type ControlledStore, makeControlledStore } from '../../support/controlled-store.js';
import { silentLog } from '../../support/silent-log.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import { makePage, makeSmallBatch, type Page } from './support.js';

/** The certain contents of a disk, by inode: the length of each file at its last sync, and the names of each folder. */
type Durable = { lengths: Map<number, number>; names: Map<number, ReadonlyMap<string, number>> };

/** Notes what is synced. What is not is lost in a power failure. */
async function watchSyncs(t: Test): Promise<Durable> {
  const durable: Durable = { lengths: new Map(), names: new Map() };
  const handle = await open('/');
  const prototype: Pick<FileHandle, 'datasync' | 'sync'> = Object.getPrototypeOf(handle);
  await handle.close();
  const { datasync, sync } = prototype;
  t.teardown(() => Object.assign(prototype, { datasync, sync }));
  prototype.datasync = async function watchedDatasync(this: FileHandle) {
    const { ino, size } = await this.stat();
    await datasync.call(this);
    durable.lengths.set(ino, size);
  };
  prototype.sync = async function watchedSync(this: FileHandle) {
    const { ino } = await this.stat();
    const names = await namesOf(`/proc/self/fd/${this.fd}`);
    await sync.call(this);
    durable.names.set(ino, names);
  };
  return durable;
}

async function namesOf(folder: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const name of await readdir(folder)) found.set(name, (await stat(join(folder, name))).ino);
  return found;
}

const copyOf = ({ lengths, names }: Durable): Durable => ({
  lengths: new Map(lengths),
  names: new Map(names),
});

/** Copies what a disk has after a power failure: names that were synced, and files up to their last sync. */
async function copyDurable({ lengths, names }: Durable, from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const [name, ino] of names.get((await stat(from)).ino) ?? []) {
    const [source, target] = [join(from, name), join(to, name)];
    const found = await stat(source).catch(() => undefined);
    if (found?.ino !== ino) continue;
    if (found.isDirectory()) await copyDurable({ lengths, names }, source, target);
    else await writeFile(target, (await readFile(source)).subarray(0, lengths.get(ino) ?? 0));
  }
}

const owner = { description: 'this process', hasEnded: async () => true };
const metrics = { inserted() {}, insertFailed() {}, synced() {}, damaged() {} };

async function openLog(t: Test, dir: string, store: ControlledStore): Promise<EventLog> {
  const options = { dir, bytesMax: 1024 ** 3, clock: systemClock, log: silentLog, store };
  const log = await openEventLog({
    ...{ ...options, owner, metrics },
    bufferOf: makeControlledBuffer,
  });
  t.teardown(() => log.close());
  return log;
}

/** Sends one batch after another until `stop` says so, and notes the endpoints of those that were acknowledged. */
async function send(
  log: EventLog,
  page: Page,
  sender: number,
  acknowledged: Set<string>,
  stop: () => boolean,
) {
  for (let i = 0; !stop(); i += 1) {
    const endpoint = `/${sender}/${i}`;
    const { events, callers, arrival } = makeSmallBatch(page, endpoint);
    const answerBy = performance.now() + 8_500;
    await log.commit.add(events, callers, { pageId: page.id, at: arrival, answerBy });
    acknowledged.add(endpoint);
  }
}

const needsProc = process.platform === 'linux' ? {} : { skip: 'reads the names of a folder by its handle' };

t.test('a power failure loses nothing that was acknowledged', needsProc, async (t) => {
  const durable = await watchSyncs(t);
  const folder = await temporaryFolder(t);
  const data = join(folder, 'data');
  await mkdir(data);
  const page = makePage();
  const before = makeControlledStore();
  before.behaviour = 'fail';
  const log = await openLog(t, join(data, 'log'), before);
  const acknowledged = new Set<string>();
  let isOver = false;
  const senders = [1, 2, 3, 4].map((sender) => send(log, page, sender, acknowledged, () => isOver));
  for (let failure = 1; failure <= 8; failure += 1) {
    // The read seals a segment, so that the failures meet several files.
    const wanted = acknowledged.size + 50 * failure;
    await waitUntil('more is acknowledged', () => acknowledged.size >= wanted);
    if (failure % 2 === 0) await log.commit.settle(page.id);
    const [kept, copy] = [new Set(acknowledged), join(folder, `after-${failure}`)];
    await copyDurable(copyOf(durable), data, copy);
    const after = makeControlledStore();
    const next = await openLog(t, join(copy, 'log'), after);
    await waitUntil('the log is delivered', () => next.oldest === undefined);
    const rows = after.rows();
    const stored = new Set(rows.map(({ endpoint }) => endpoint));
    t.strictSame(
      [...kept].filter((endpoint) => !stored.has(endpoint)),
      [],
      `failure ${failure}, after ${kept.size} batches`,
    );
    t.ok(rows.every(({ requests }) => requests === 1));
  }
  isOver = true;
  await Promise.all(senders);
  before.behaviour = 'store';
});

t.test('a file that was delivered does not come back after a power failure', needsProc, async (t) => {
  const durable = await watchSyncs(t);
  const folder = await temporaryFolder(t);
  const store = makeControlledStore();
  store.behaviour = 'fail';
  const log = await openLog(t, folder, store);
  const page = makePage();
  const { events, callers, arrival } = makeSmallBatch(page, '/a');
  const answerBy = performance.now() + 8_500;
  await log.commit.add(events, callers, { pageId: page.id, at: arrival, answerBy });
  const files = () =>
    [...durable.names.values()].flatMap((found) => [...found.keys()]).filter((name) => name.endsWith('.log'));
  t.equal(files().length, 1, 'the disk has the name of the file');
  store.behaviour = 'store';
  await waitUntil('the log is delivered', () => log.oldest === undefined);
  t.equal(store.rows().length, 1);
  t.strictSame(files(), [], 'and that it is gone');
});
