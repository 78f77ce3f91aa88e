import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type EventLog, openEventLog } from '../../../ingest/log/event-log.js';
import { systemClock } from '../../../lib/clock.js';
import { makeControlledBuffer } from '../../support/controlled-buffer.js';
import { type ControlledStore, makeControlledStore } from '../../support/controlled-store.js';
import { decodeBlock } from '../../support/decode-block.js';
import { silentLog } from '../../support/silent-log.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import { type Capture, diskStates, watchDisk } from '../../support/watched-disk.js';
import { makePage, makeSmallBatch, type Page } from './support.js';

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
  sender: string,
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

/** Opens the log that a disk has, delivers it, and returns the endpoints in each block by its token. */
async function deliverCopy(t: Test, dir: string): Promise<Map<string, string[]>> {
  const after = makeControlledStore();
  const next = await openLog(t, join(dir, 'log'), after);
  await waitUntil('the log is delivered', () => next.oldest === undefined);
  await next.close();
  return endpointsOf(after);
}

function endpointsOf({ attempts }: Pick<ControlledStore, 'attempts'>): Map<string, string[]> {
  const rows = attempts.map(({ token, bytes }) => [token, decodeBlock(bytes)] as const);
  return new Map(
    rows.map(([token, found]) => [
      token,
      found.flatMap(({ endpoint, requests }) => Array(requests).fill(endpoint)),
    ]),
  );
}

/**
 * Delivers what a disk may have after a power failure. Returns what is wrong.
 *
 * @param stored the endpoints of the blocks that the store had by then.
 */
async function findLosses(
  t: Test,
  { capture, kept, stored }: { capture: Capture; kept: ReadonlySet<string>; stored: Map<string, string[]> },
): Promise<string[]> {
  const wrong: string[] = [];
  for (const state of diskStates) {
    const copy = join(await temporaryFolder(t), state);
    await capture.write(copy, state);
    const delivered = await deliverCopy(t, copy);
    for (const [token, endpoints] of delivered) {
      const known = stored.get(token);
      if (known !== undefined && known.join() !== endpoints.join())
        wrong.push(`${state}: ${token} has changed`);
    }
    // The store knows a block by its token.
    const all = [...new Map([...delivered, ...stored]).values()].flat();
    const once = new Set(all);
    if (once.size !== all.length) wrong.push(`${state}: ${all.length - once.size} events were stored twice`);
    const lost = [...kept].filter((endpoint) => !once.has(endpoint));
    if (lost.length > 0) wrong.push(`${state}: ${lost.length} of ${kept.size} batches are lost`);
  }
  return wrong;
}

for (const behaviour of ['hang', 'store'] as const) {
  const name = behaviour === 'hang' ? 'while files wait' : 'while files are used again and again';
  t.test(`a power failure ${name} loses nothing that was acknowledged`, needsProc, async (t) => {
    const disk = await watchDisk(t);
    const data = join(await temporaryFolder(t), 'data');
    await mkdir(data);
    const page = makePage();
    const store = makeControlledStore();
    store.behaviour = behaviour;
    const log = await openLog(t, join(data, 'log'), store);
    const acknowledged = new Set<string>();
    const wrong: string[] = [];
    for (let failure = 1; failure <= 8; failure += 1) {
      const wanted = acknowledged.size + 25 * failure;
      let isOver = false;
      const senders = [1, 2, 3, 4].map((sender) =>
        send(log, page, `${failure}/${sender}`, acknowledged, () => isOver),
      );
      // A read seals a segment, so that the failures meet several files. It waits long for a store that hangs.
      for (let reads = failure % 4; reads > 0; reads -= 1) {
        const read = log.commit.settle(page.id);
        if (behaviour === 'store') await read;
      }
      await waitUntil('more is acknowledged', () => acknowledged.size >= wanted);
      const [capture, kept] = [disk.capture(data), new Set(acknowledged)];
      const stored = behaviour === 'store' ? endpointsOf(store) : new Map();
      isOver = true;
      await Promise.all(senders);
      wrong.push(...(await findLosses(t, { capture, kept, stored })));
    }
    t.strictSame(wrong, []);
    store.behaviour = 'store';
    store.release();
  });
}

t.test('a file that was delivered does not come back after a power failure', needsProc, async (t) => {
  const disk = await watchDisk(t);
  const folder = await temporaryFolder(t);
  const data = join(folder, 'data');
  await mkdir(data);
  const store = makeControlledStore();
  store.behaviour = 'fail';
  const log = await openLog(t, join(data, 'log'), store);
  const page = makePage();
  const { events, callers, arrival } = makeSmallBatch(page, '/a');
  const answerBy = performance.now() + 8_500;
  await log.commit.add(events, callers, { pageId: page.id, at: arrival, answerBy });
  await disk.capture(data).write(join(folder, 'while it waits'), 'synced');
  t.strictSame([...(await deliverCopy(t, join(folder, 'while it waits'))).values()], [['/a']]);
  store.behaviour = 'store';
  await waitUntil('the log is delivered', () => log.oldest === undefined);
  t.equal(store.rows().length, 1);
  const found: unknown[] = [];
  for (const state of diskStates) {
    await disk.capture(data).write(join(folder, state), state);
    found.push(...(await deliverCopy(t, join(folder, state))).values());
  }
  t.strictSame(found, []);
});
