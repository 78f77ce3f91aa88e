import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { PageId } from '../../lib/ids.js';
import { startHeartline, stopHeartline } from '../support/heartline.js';
import type { LoadJob } from '../support/load.js';
import { nextMessage } from '../support/next-message.js';
import type { Stores } from '../support/stores.js';
import { type EventStore, openEventStore } from './event-store.js';
import { startInflux, startVictoria } from './peers.js';

/** Names of targets in ratios, in the order in which a round measures them. */
const targetNames = {
  a: 'node:http + JSON.parse',
  'a gzip': 'the same',
  b: 'Koa + koa-body',
  c: 'Heartline, log',
  'c gzip': 'the same',
  e: 'Heartline, log, batch ids',
  d: 'Heartline, PostgreSQL',
  InfluxDB: '1.6, /write',
  'InfluxDB gzip': 'the same',
  VictoriaMetrics: '/write',
  'VictoriaMetrics gzip': 'the same',
} as const;

export type TargetId = keyof typeof targetNames;

/** A server that the same events are sent to. */
export type Target = Pick<LoadJob, 'port' | 'key' | 'path' | 'format' | 'isNamed' | 'isGzipped'> & {
  id: TargetId;
  name: string;
  process: ChildProcess;
};

/** The service, with stores of its own, so that the merges after its inserts count for no other target. */
export type Service = Target & { pageId: PageId; store: EventStore };

const path = '/api/v1/events';
/** The default of the service. */
const logBytesMax = 2 ** 30;

export function isService(target: Target | Service): target is Service {
  return 'store' in target;
}

/** Picks targets, in the order of a round: running servers, and the same servers with compressed or named batches. */
export function pickTargets(
  ids: ReadonlySet<TargetId>,
  running: readonly (Target | Service)[],
): (Target | Service)[] {
  const found = new Map(running.map((target) => [target.id, target]));
  for (const target of running) {
    const gzipped = `${target.id} gzip`;
    if (isTargetId(gzipped)) found.set(gzipped, { ...target, ...labelOf(gzipped), isGzipped: true });
    if (target.id === 'c') found.set('e', { ...target, ...labelOf('e'), isNamed: true });
  }
  return Object.keys(targetNames).flatMap((id) => {
    const target = isTargetId(id) && ids.has(id) ? found.get(id) : undefined;
    return target ?? [];
  });
}

function isTargetId(name: string): name is TargetId {
  return name in targetNames;
}

function labelOf(id: TargetId): Pick<Target, 'id' | 'name'> {
  return { id, name: id.length === 1 ? `${id}  ${targetNames[id]}` : `${id}: ${targetNames[id]}` };
}

/** A server that stores nothing. */
export async function startBaseline(id: TargetId, file: string): Promise<Target> {
  const child = fork(new URL(file, import.meta.url));
  const ready = await nextMessage<{ port: number; key: string }>(child);
  return { ...labelOf(id), process: child, path, format: 'json', ...ready };
}

/** The service that acknowledges when its log on disk has the events. */
export function startWithLog(stores: Stores): Promise<Service> {
  const eventLog = { dir: join(stores.dataDir, 'event-log'), bytesMax: logBytesMax };
  return startWith('c', stores, { eventLog }, []);
}

/** The service that acknowledges when PostgreSQL has the events. */
export function startWithoutLog(stores: Stores, others: readonly Service[]): Promise<Service> {
  return startWith('d', stores, {}, others);
}

async function startWith(
  id: TargetId,
  stores: Stores,
  more: { eventLog?: { dir: string; bytesMax: number } },
  others: readonly Service[],
): Promise<Service> {
  const { databaseUrl, clickhouseUrl } = stores;
  const heartline = await startHeartline({ databaseUrl, clickhouseUrl, ...more });
  const store = await openEventStore(
    stores,
    others.map((other) => other.store),
  );
  return { ...labelOf(id), path, format: 'json', store, ...heartline };
}

/** The peers that are wanted and installed. */
export async function startPeers(folder: string, ids: ReadonlySet<TargetId>): Promise<Target[]> {
  const starts = { InfluxDB: startInflux, VictoriaMetrics: startVictoria };
  const started: Target[] = [];
  for (const id of ['InfluxDB', 'VictoriaMetrics'] as const) {
    const peer = ids.has(id) ? await starts[id](join(folder, id)) : undefined;
    if (peer !== undefined) started.push({ ...labelOf(id), ...peer, key: 'none', format: 'lines' });
  }
  return started;
}

/** Ends the servers in turn; a service delivers what it holds. */
export async function stopTargets(targets: readonly (Target | Service)[]): Promise<void> {
  for (const target of targets) {
    if (target.format === 'lines') target.process.kill();
    else await stopHeartline(target);
    if (isService(target)) await target.store.close();
  }
}
