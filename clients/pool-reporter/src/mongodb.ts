import { createHash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { countAt, limitAt } from './driver-state.js';
import { driverVersion } from './driver-version.js';
import { listen } from './hooks.js';
import { type ConnectionId, findMongodbPools, MongodbPool } from './mongodb-pool.js';
import type { AttachedPool, PoolEntry, PoolNames, PoolSource } from './report.js';

type PoolEvent = { address: string };
type ConnectionEvent = PoolEvent & { connectionId: ConnectionId };

/**
 * Measures a `MongoClient` of `mongodb`, from 6.9: one pool for each server, from the events of connection monitoring and
 * pooling (CMAP). The driver rounds durations to whole milliseconds.
 *
 * An address reveals how to reach a server, so `serverPool` is a part of its SHA-256, the same in all processes.
 */
export function mongoClient(client: EventEmitter, names: Omit<PoolNames, 'serverPool'>): PoolSource {
  return { attach: () => attach(client, names) };
}

function attach(client: EventEmitter, names: Omit<PoolNames, 'serverPool'>): AttachedPool {
  const version = names.driverVersion ?? driverVersion('mongodb');
  const pools = findMongodbPools(client);
  const hooks = follow(client, pools);
  const toEntry = ([address, pool]: [string, MongodbPool]): PoolEntry => ({
    system: 'mongodb',
    target: names.target,
    pool: names.pool,
    serverPool: aliasOf(address),
    driverVersion: version,
    ...pool.meter.take(),
    minimum: countAt(client, 'options', 'minPoolSize'),
    maximum: limitAt(client, 'options', 'maxPoolSize'),
  });
  return {
    take() {
      const entries = [...pools].map(toEntry);
      // The pool of a server that left the topology is reported once more, then no longer.
      for (const [address, pool] of pools) if (pool.isOver()) pools.delete(address);
      return entries;
    },
    detach() {
      for (const unhook of hooks) unhook();
    },
  };
}

function follow(client: EventEmitter, pools: Map<string, MongodbPool>) {
  const on = <Event extends PoolEvent>(name: string, change: (pool: MongodbPool, event: Event) => void) =>
    listen(client, name, (event: Event) => {
      const { address } = event;
      if (!pools.has(address)) {
        // These events start a pool; other events may arrive late, from a pool that is closed.
        if (name === 'connectionPoolCreated') pools.set(address, new MongodbPool('new'));
        else if (name === 'connectionCheckOutStarted') pools.set(address, new MongodbPool('unknown'));
      }
      const pool = pools.get(address);
      if (pool !== undefined) change(pool, event);
    });
  return [
    on('connectionPoolCreated', (pool) => pool.begin()),
    on('connectionPoolCleared', (pool) => pool.cleared()),
    on('connectionPoolClosed', (pool) => pool.end()),
    on('connectionCreated', (pool, { connectionId }: ConnectionEvent) => pool.making(connectionId)),
    on('connectionReady', (pool, { connectionId }: ConnectionEvent) => pool.ready(connectionId)),
    on('connectionClosed', (pool, { connectionId }: ConnectionEvent) => pool.closed(connectionId)),
    on('connectionCheckOutStarted', (pool) => pool.meter.started()),
    on('connectionCheckOutFailed', (pool) => pool.meter.failed()),
    on('connectionCheckedOut', (pool, event: ConnectionEvent & { durationMS: number }) =>
      pool.checkedOut(event.connectionId, event.durationMS),
    ),
    on('connectionCheckedIn', (pool, { connectionId }: ConnectionEvent) => pool.checkedIn(connectionId)),
  ];
}

function aliasOf(address: string): string {
  return `server-${createHash('sha256').update(address).digest('hex').slice(0, 8)}`;
}
