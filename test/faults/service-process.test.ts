import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import { makeKey, makePage } from '../support/pages.js';
import { openStores } from '../support/stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { inThirdTier, isThirdTier } from '../support/tiers.js';
import { checkAccounts } from './accounting.js';
import { type Load, startLoad, untilStored } from './load.js';
import { acknowledgers, onLinux, type RunningService, serveOn } from './running-service.js';

const kills = isThirdTier ? 10 : 2;
/** Longest time under load before the kill; storing a block takes a few milliseconds. */
const killAfterMsMax = 400;
const idleConnections = 5_000;
const connectAtATime = 250;
/** Allowed growth of the service's resident memory; measured 33 to 53 MiB. */
const idleBytesMax = 100 * 1024 * 1024;

for (const from of acknowledgers) {
  t.test(`the process of the service (${from})`, onLinux, async (t) => {
    const stores = await openStores(t);
    const { slug } = await makePage(stores.sql);
    const { key } = await makeKey({ sql: stores.sql, clock: systemClock }, { slug, scope: 'ingest' });
    const settings = from === 'log' ? { HEARTLINE_DATA_DIR: await temporaryFolder(t) } : {};
    const start = () => serveOn(t, stores, settings);
    let service = await start();
    let before: Load['sent'] = [];

    await t.test('killed at random moments under load: accepted batches are stored once', async (t) => {
      const random = makeRandom(t);
      const load = startLoad(t, () => service.url, key);
      for (let kill = 1; kill <= kills; kill += 1) {
        await load.untilAccepted(1);
        await sleep(random() * killAfterMsMax);
        process.kill(service.pid, 'SIGKILL');
        await service.exited;
        service = await start();
      }
      await load.untilAccepted(1);
      await load.end();
      const refused = load.sent.filter(({ status }) => status !== undefined && status !== 202);
      t.strictSame(refused, [], 'every batch that was answered was accepted');
      await untilStored(service, key);
      await checkAccounts(t, stores.clickhouseUrl, load.sent);
      before = load.sent;
    });

    await t.test('5,000 idle connections: others are answered as before', needsIdle(), async (t) => {
      const bytesBefore = await readResidentBytes(service);
      const sockets = await openIdle(t, service.url);
      const load = startLoad(t, () => service.url, key, { firstBatch: before.length });
      await load.untilAccepted(50);
      await load.end();
      t.equal(sockets.filter(({ closed }) => !closed).length, idleConnections, 'all of them are open still');
      const bytes = (await readResidentBytes(service)) - bytesBefore;
      t.comment(`${Math.round(bytes / 1024 ** 2)} MiB more memory`);
      t.ok(bytes < idleBytesMax, 'they cost little memory', { found: { bytes } });
      t.strictSame(
        load.sent.filter(({ status }) => status !== 202),
        [],
        'every batch was accepted',
      );
      await untilStored(service, key);
      await checkAccounts(t, stores.clickhouseUrl, load.sent, before);
    });
  });
}

/** Random numbers from 0 to 1 by mulberry32, repeated by FAULT_SEED. */
function makeRandom(t: Test): () => number {
  let state = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 32));
  t.comment(`FAULT_SEED=${state}`);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Node.js raises its limit of open files to the machine's maximum, and the service inherits it. */
function needsIdle(): { skip?: string } {
  if (inThirdTier.skip !== undefined) return inThirdTier;
  const [, open = '0'] = /^Max open files +\S+ +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const enough = open === 'unlimited' || Number(open) > idleConnections + 1_000;
  return enough ? {} : { skip: `a process may have ${open} files open here` };
}

/** Opens connections that have received an answer and stay open. */
async function openIdle(t: Test, url: string): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  while (sockets.length < idleConnections) {
    const opened = Array.from({ length: connectAtATime }, () => connect(Number(port), hostname));
    sockets.push(...opened);
    for (const socket of opened) socket.write('GET /healthz HTTP/1.1\r\nhost: idle\r\n\r\n');
    await Promise.all(opened.map((socket) => once(socket, 'data')));
  }
  return sockets;
}

async function readResidentBytes({ pid }: RunningService): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
