import type { EventEmitter } from 'node:events';
import { countAt, objectsAt, valueAt } from './driver-state.js';
import { PoolMeter } from './pool-meter.js';
import type { Measurement } from './report.js';

export type ConnectionId = number | '<monitor>';

/** What the driver lets us see of a pool that was there before us. */
type Seen = { driverPool: object; open: unknown[]; busy: unknown[]; callers: number };

/**
 * The connections to one server, by the events of its pool. A connection that is still being made is pending, not open.
 * Of a pool that was there before us we know what the driver lets us see, and else nothing of its connections until
 * there is a new one in its place.
 */
export class MongodbPool {
  readonly #open = new Set<unknown>();
  readonly #pending = new Set<unknown>();
  readonly #busy = new Set<unknown>();
  #isKnown: boolean;
  #seen: Seen | undefined;
  #hasEnded = false;
  readonly meter: PoolMeter;

  constructor(before: 'new' | 'unknown' | Seen) {
    this.#isKnown = before !== 'unknown';
    if (typeof before === 'object') {
      this.#seen = before;
      for (const id of before.open) this.#open.add(id);
      for (const id of before.busy) this.#busy.add(id);
    }
    this.meter = new PoolMeter(
      () => this.#gauges(),
      (waiting) => this.#unknown(waiting),
    );
    for (let i = 0; i < (this.#seen?.callers ?? 0); i++) this.meter.started();
  }

  #gauges() {
    const gauges = { open: this.#open.size, busy: this.#busy.size };
    // There is no event for a caller that gives up by an AbortSignal. While a connection is idle, nobody waits but
    // for connections that are being made.
    return gauges.open > gauges.busy ? { ...gauges, waitingMax: this.#pending.size } : gauges;
  }

  #unknown(waiting: number): Measurement[] {
    if (!this.#isKnown) return ['open', 'busy', 'idle', 'waiting', 'closed'];
    if (this.#seen === undefined) return [];
    const { driverPool } = this.#seen;
    // Connections are made to keep a minimum, too, and some that queue have given up: we are sure of those who asked
    // before us when nothing from then is being made, and the numbers are the same.
    const making = countAt(driverPool, 'pendingConnectionCount') ?? Infinity;
    return making <= this.#pending.size && callersOf(driverPool) === waiting ? [] : ['waiting'];
  }

  begin(): void {
    this.#hasEnded = false;
    this.#isKnown = true;
    this.#seen = undefined;
    this.#open.clear(); // Connections are numbered from 1 again.
    this.#pending.clear();
    this.#busy.clear();
    this.meter.forgetWaiting();
  }

  /** Of a connection that was being made then, and comes to nothing, there may be no event. */
  cleared(): void {
    this.#pending.clear();
  }

  end(): void {
    this.#hasEnded = true;
    this.#pending.clear();
    this.meter.forgetWaiting();
  }

  isOver(): boolean {
    return this.#hasEnded && this.#busy.size === 0;
  }

  making(id: ConnectionId): void {
    this.#pending.add(id);
  }

  ready(id: ConnectionId): void {
    this.#pending.delete(id);
    if (this.#open.has(id)) return;
    this.#open.add(id);
    this.meter.created();
    this.meter.observe();
  }

  checkedOut(id: ConnectionId, durationMs: number): void {
    if (this.#open.has(id)) this.#busy.add(id);
    this.meter.acquired(durationMs);
    this.meter.observe();
  }

  checkedIn(id: ConnectionId): void {
    this.#busy.delete(id);
  }

  closed(id: ConnectionId): void {
    this.#pending.delete(id);
    this.#busy.delete(id);
    if (this.#open.delete(id)) this.meter.closed(); // Else it is an attempt that failed.
  }
}

/** The pools that a client has, by the address of their server. */
export function findMongodbPools(client: EventEmitter): Map<string, MongodbPool> {
  const pools = new Map<string, MongodbPool>();
  const servers = valueAt(client, 'topology', 's', 'servers');
  for (const driverPool of servers instanceof Map ? [...servers.values()].map(poolOf) : []) {
    const address = valueAt(driverPool, 'address');
    if (typeof driverPool === 'object' && driverPool !== null && typeof address === 'string') {
      pools.set(address, new MongodbPool(see(driverPool) ?? 'unknown'));
    }
  }
  return pools;
}

function poolOf(server: unknown): unknown {
  return valueAt(server, 'pool');
}

function see(driverPool: object): Seen | undefined {
  const idle = objectsAt(driverPool, 'connections')?.map(idOf);
  const busy = objectsAt(driverPool, 'checkedOut')?.map(idOf);
  const callers = callersOf(driverPool);
  if (idle === undefined || busy === undefined || callers === null) return undefined;
  const open = [...idle, ...busy];
  return open.includes(undefined) ? undefined : { driverPool, open, busy, callers };
}

function idOf(connection: object): unknown {
  return valueAt(connection, 'id');
}

/** Callers that queue, and connections that are being made, mostly for one caller each; null where it cannot be seen. */
function callersOf(driverPool: object): number | null {
  const [queued, making] = [
    countAt(driverPool, 'waitQueueSize'),
    countAt(driverPool, 'pendingConnectionCount'),
  ];
  return queued === null || making === null ? null : queued + making;
}
