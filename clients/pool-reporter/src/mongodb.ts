import { createHash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { listen } from './hooks.js';
import { PoolMeter } from './pool-meter.js';
import type { AttachedPool, PoolEntry, PoolNames, PoolSource } from './report.js';
import { countAt, driverVersion, limitAt } from './settings.js';

type PoolEvent = { address: string };
type ConnectionEvent = PoolEvent & { connectionId: number | '<monitor>' };

/**
 * A `MongoClient` of `mongodb`, from 6.9: one pool for each server, from the events of connection monitoring and pooling
 * (CMAP). The driver rounds durations to whole milliseconds.
 *
 * An address may say how to reach a server, so `serverPool` has a part of its SHA-256: the same in all processes.
 */
export function mongoClient(client: EventEmitter, names: Omit<PoolNames, 'serverPool'>): PoolSource {
  return { attach: () => attach(client, names) };
}

function attach(client: EventEmitter, names: Omit<PoolNames, 'serverPool'>): AttachedPool {
  const servers = new Map<string, ServerPool>();
  /** With these events a pool may begin for us; others may come late, of one that is gone. */
  const beginning = ['connectionPoolCreated', 'connectionCheckOutStarted'];
  const on = <Event extends PoolEvent>(name: string, change: (pool: ServerPool, event: Event) => void) =>
    listen(client, name, (event: Event) => {
      const { address } = event;
      if (beginning.includes(name) && !servers.has(address)) servers.set(address, new ServerPool());
      const pool = servers.get(address);
      if (pool !== undefined) change(pool, event);
    });
  const hooks = [
    on('connectionPoolCreated', (pool) => pool.begin()),
    on('connectionPoolClosed', (pool) => pool.end()),
    on('connectionCreated', (pool, { connectionId }: ConnectionEvent) => pool.pending.add(connectionId)),
    on('connectionReady', (pool, { connectionId }: ConnectionEvent) => pool.ready(connectionId)),
    on('connectionClosed', (pool, { connectionId }: ConnectionEvent) => pool.closed(connectionId)),
    on('connectionCheckOutStarted', (pool) => pool.meter.started()),
    on('connectionCheckOutFailed', (pool) => pool.meter.failed()),
    on('connectionCheckedOut', (pool, event: ConnectionEvent & { durationMS: number }) =>
      pool.checkedOut(event.connectionId, event.durationMS),
    ),
    on('connectionCheckedIn', (pool, { connectionId }: ConnectionEvent) => pool.busy.delete(connectionId)),
  ];
  const version = names.driverVersion ?? driverVersion('mongodb');
  const toEntry = ([address, pool]: [string, ServerPool]): PoolEntry => ({
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
      const entries = [...servers].map(toEntry);
      // The pool of a server that left the topology is reported once more, and then absent.
      for (const [address, pool] of servers) if (pool.ended && pool.busy.size === 0) servers.delete(address);
      return entries;
    },
    detach() {
      for (const unhook of hooks) unhook();
    },
  };
}

type ConnectionId = ConnectionEvent['connectionId'];

/** The connections to one server. A connection that is still being made is pending, not open. */
class ServerPool {
  readonly #open = new Set<ConnectionId>();
  readonly pending = new Set<ConnectionId>();
  readonly busy = new Set<ConnectionId>();
  ended = false;
  readonly meter = new PoolMeter(() => {
    const gauges = { open: this.#open.size, busy: this.busy.size };
    // There is no event for a caller that gives up by an AbortSignal. While a connection is idle, nobody waits but
    // for connections that are being made.
    return gauges.open > gauges.busy ? { ...gauges, waitingMax: this.pending.size } : gauges;
  });

  begin(): void {
    this.ended = false;
    this.#open.clear(); // Connections are numbered from 1 again.
    this.pending.clear();
    this.busy.clear();
  }

  end(): void {
    this.ended = true;
    this.pending.clear();
    this.meter.forgetWaiting();
  }

  ready(id: ConnectionId): void {
    this.pending.delete(id);
    this.#open.add(id);
    this.meter.created();
    this.meter.observe();
  }

  checkedOut(id: ConnectionId, durationMs: number): void {
    this.#open.add(id); // Unless it was made before we came, it is in there.
    this.busy.add(id);
    this.meter.acquired(durationMs);
    this.meter.observe();
  }

  closed(id: ConnectionId): void {
    this.pending.delete(id);
    this.busy.delete(id);
    if (this.#open.delete(id)) this.meter.closed(); // Else it is an attempt that failed.
  }
}

function aliasOf(address: string): string {
  return `server-${createHash('sha256').update(address).digest('hex').slice(0, 8)}`;
}
