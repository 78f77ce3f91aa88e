import type { EventEmitter } from 'node:events';
import { countAt, objectsAt, valueAt } from './driver-state.js';
import { PoolMeter } from './pool-meter.js';
import type { Measurement } from './report.js';

export type ConnectionId = number | '<monitor>';

/**
 * The connections to one server, by the events of its pool. A connection that is still being made is pending, not open.
 * Of a pool that was there before us we know what the driver lets us see, and else nothing of its connections until
 * there are no others than those whose events we had, or a new pool in its place.
 */
export class MongodbPool {
  readonly #open = new Set<unknown>();
  readonly #pending = new Set<unknown>();
  readonly #busy = new Set<unknown>();
  #isKnown: boolean;
  /** Of the driver, when it was there before us. */
  #driverPool: object | undefined;
  #hasEnded = false;
  readonly meter: PoolMeter;

  /** @param before a pool of the driver that was there before us; `unknown` when it does not show it. */
  constructor(before: 'new' | 'unknown' | object) {
    this.#isKnown = before === 'new';
    if (typeof before === 'object') {
      this.#driverPool = before;
      const [idle, busy] = [idsAt(before, 'connections'), idsAt(before, 'checkedOut')];
      for (const id of [...idle, ...busy]) this.#open.add(id);
      for (const id of busy) this.#busy.add(id);
    }
    this.meter = new PoolMeter(
      () => this.#gauges(),
      (waiting) => this.#unknown(waiting),
    );
    const callers = (this.#driverPool && callersOf(this.#driverPool)) ?? 0;
    for (let i = 0; i < callers; i++) this.meter.started();
  }

  #gauges() {
    const gauges = { open: this.#open.size, busy: this.#busy.size };
    // There is no event for a caller that gives up by an AbortSignal. While a connection is idle, nobody waits but
    // for connections that are being made.
    return gauges.open > gauges.busy ? { ...gauges, waitingMax: this.#pending.size } : gauges;
  }

  #unknown(waiting: number): Measurement[] {
    const driverPool = this.#driverPool;
    if (driverPool !== undefined) this.#isKnown ||= this.#agreesWith(driverPool);
    if (!this.#isKnown) return ['open', 'busy', 'idle', 'waiting', 'closed'];
    if (driverPool === undefined) return [];
    // Connections are made to keep a minimum, too, and some that queue have given up: we are sure of those who asked
    // before us when nothing from then is being made, and the numbers are the same.
    const making = countAt(driverPool, 'pendingConnectionCount') ?? Infinity;
    return making <= this.#pending.size && callersOf(driverPool) === waiting ? [] : ['waiting'];
  }

  /** Not every version shows the connections, while all show how many there are. */
  #agreesWith(driverPool: object): boolean {
    const idle = countAt(driverPool, 'availableConnectionCount');
    const busy = countAt(driverPool, 'currentCheckedOutCount');
    return busy === this.#busy.size && idle === this.#open.size - busy;
  }

  begin(): void {
    this.#hasEnded = false;
    this.#isKnown = true;
    this.#driverPool = undefined;
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
  for (const server of servers instanceof Map ? servers.values() : []) {
    const driverPool = valueAt(server, 'pool');
    const address = valueAt(driverPool, 'address');
    if (typeof driverPool === 'object' && driverPool !== null && typeof address === 'string') {
      pools.set(address, new MongodbPool(driverPool));
    }
  }
  return pools;
}

/** Of the connections that the driver shows. */
function idsAt(driverPool: object, list: string): unknown[] {
  const ids = objectsAt(driverPool, list)?.map((connection) => valueAt(connection, 'id')) ?? [];
  return ids.filter((id) => id !== undefined);
}

/** Callers that queue, and connections that are being made, mostly for one caller each; null where it cannot be seen. */
function callersOf(driverPool: object): number | null {
  const [queued, making] = [
    countAt(driverPool, 'waitQueueSize'),
    countAt(driverPool, 'pendingConnectionCount'),
  ];
  return queued === null || making === null ? null : queued + making;
}
