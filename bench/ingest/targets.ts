import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { PageId } from '../../lib/ids.js';
import { startHeartline } from '../support/heartline.js';
import type { LoadJob } from '../support/load.js';
import { nextMessage } from '../support/next-message.js';
import type { Stores } from '../support/stores.js';
import { type EventStore, openEventStore } from './event-store.js';
import type { Peer } from './peers.js';

/** A server that the same events are sent to. The ratios refer to it by the first word of its name. */
export type Target = Pick<LoadJob, 'port' | 'key' | 'path' | 'format' | 'isNamed'> & { name: string };

/** A target in a child process that ends with the channel to it. */
export type Baseline = Target & { process: ChildProcess };

/** The service, with stores of its own, so that the merges after its inserts count for no other target. */
export type Service = Baseline & { pageId: PageId; store: EventStore };

const path = '/api/v1/events';
/** The default of the service. */
const logBytesMax = 2 ** 30;

/** A server that stores nothing. */
export async function startBaseline(name: string, file: string): Promise<Baseline> {
  const child = fork(new URL(file, import.meta.url));
  const ready = await nextMessage<{ port: number; key: string }>(child);
  return { name, process: child, path, format: 'json', ...ready };
}

/** The service that acknowledges when its log on disk has the events. */
export function startWithLog(name: string, stores: Stores): Promise<Service> {
  const eventLog = { dir: join(stores.dataDir, 'event-log'), bytesMax: logBytesMax };
  return startWith(name, stores, { eventLog }, []);
}

/** The service that acknowledges when PostgreSQL has the events. */
export function startWithoutLog(name: string, stores: Stores, others: readonly Service[]): Promise<Service> {
  return startWith(name, stores, {}, others);
}

/** A service again, with batches that have an id. */
export function named(service: Service, name: string): Service {
  return { ...service, name, isNamed: true };
}

async function startWith(
  name: string,
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
  return { name, path, format: 'json', store, ...heartline };
}

export function peerTarget({ name, port, path }: Peer): Target {
  return { name, port, path, key: 'none', format: 'lines' };
}
