import { loadavg } from 'node:os';
import { stopHeartline } from '../support/heartline.js';
import { line } from '../support/report.js';
import { type Stores, withStores } from '../support/stores.js';
import { type Case, measureCase } from './measure-case.js';
import { measureCost } from './measure-cost.js';
import { startPeers } from './peers.js';
import {
  type Baseline,
  named,
  peerTarget,
  type Service,
  startBaseline,
  startWithLog,
  startWithoutLog,
} from './targets.js';

/** Compares how fast the service acknowledges events with servers that store nothing, and with other stores. */
const saturating: Case = { eventsPerBatch: 1000, connections: 8, depth: 64 };
const cases: readonly Case[] = [
  saturating,
  { eventsPerBatch: 1000, connections: 8, depth: 1 },
  { eventsPerBatch: 1000, connections: 64, depth: 1 },
  { eventsPerBatch: 10, connections: 8, depth: 256 },
  { eventsPerBatch: 10, connections: 1, depth: 1 },
];

const sayLoad = (): unknown => line(`\nload of the machine ${loadavg()[0]?.toFixed(1)}`);

sayLoad();
await withStores(async (stores) => {
  const bare = await startBaseline('a  node:http + JSON.parse', '../servers/bare.js');
  const withLog = await startWithLog('c  Heartline, log', stores);
  await measureCase(
    'alone, nothing else runs',
    [bare, withLog, named(withLog, 'e  Heartline, batch ids')],
    saturating,
  );
  await withStores((others) => measureBeside(bare, withLog, stores, others));
  await stop([bare, withLog]);
  await withLog.store.close();
});

/** Measures beside all other servers, which are idle while one is measured. */
async function measureBeside(
  bare: Baseline,
  withLog: Service,
  stores: Stores,
  others: Stores,
): Promise<void> {
  const koa = await startBaseline('b  Koa + koa-body', '../servers/koa.js');
  const withoutLog = await startWithoutLog('d  Heartline, PostgreSQL', others, [withLog]);
  const services = [withLog, withoutLog];
  const peers = await startPeers(stores.dataDir);
  try {
    const withIds = named(withLog, 'e  Heartline, batch ids');
    const targets = [bare, koa, ...services, withIds, ...peers.map(peerTarget)];
    for (const load of cases) await measureCase('beside the other servers', targets, load);
    await measureCost(services);
    sayLoad();
  } finally {
    for (const { process } of peers) process.kill();
  }
  await stop([koa, withoutLog]);
  await withoutLog.store.close();
}

async function stop(targets: readonly Baseline[]): Promise<void> {
  for (const target of targets) await stopHeartline(target);
}
