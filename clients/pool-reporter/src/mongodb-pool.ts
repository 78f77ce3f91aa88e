import type { EventEmitter } from 'node:events';
import { countAt, objectsAt, valueAt } from './driver-state.js';
import { PoolMeter } from './pool-meter.js';
import type { Measurement } from './report.js';

export type ConnectionId = number | '<monitor>';

/**
 * The connections to one server, from the events of its pool. A connection that is still being made is pending, not open.
 * For a pool older than the reporter, the driver's visible state counts. Without it, nothing is known about connections
 * until only connections remain whose events were seen, or until a new pool replaces the old one.
 */
export class MongodbPool {
  readonly #open = new Set<unknown>();
  readonly #pending = new Set<unknown>();
  readonly #busy = new Set<unknown>();
  #isKnown: boolean;
  /** The driver's pool, if it is older than the reporter. */
  #driverPool: object | undefined;
  #hasEnded = false;
  readonly meter: PoolMeter;

  /** @param before the driver's pool if it is older than the reporter; `unknown` if the driver does not show it. */
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
    // A caller that gives up through an AbortSignal causes no event. While a connection is idle, callers wait only for
    // connections that are being made.
    return gauges.open > gauges.busy ? { ...gauges, waitingMax: this.#pending.size } : gauges;
  }

  #unknown(waiting: number): Measurement[] {
    const driverPool = this.#driverPool;
    if (driverPool !== undefined) this.#isKnown ||= this.#agreesWith(driverPool);
    if (!this.#isKnown) return ['open', 'busy', 'idle', 'waiting', 'closed'];
    if (driverPool === undefined) return [];
    // Connections are also made to keep a minimum, and some callers in the queue have given up. The callers from before
    // the reporter are certain once no connection from then is pending and the numbers agree.
    const making = countAt(driverPool, 'pendingConnectionCount') ?? Infinity;
    return making <= this.#pending.size && callersOf(driverPool) === waiting ? [] : ['waiting'];
  }

  /** Not every version shows the connections, but all show their number. */
  #agreesWith(driverPool: object): boolean {
    const idle = countAt(driverPool, 'availableConnectionCount');
    const busy = countAt(driverPool, 'currentCheckedOutCount');
    return busy === this.#busy.size && idle === this.#open.size - busy;
  }

  begin(): void {
    this.#hasEnded = false;
    this.#isKnown = true;
    this.#driverPool = undefined;
    this.#open.clear(); // Connection ids start at 1 again.
    this.#pending.clear();
    this.#busy.clear();
    this.meter.forgetWaiting();
  }

  /** A connection that was pending then and fails may cause no event. */
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
    if (this.#open.delete(id)) this.meter.closed(); // Otherwise it is a failed attempt.
  }
}

/** The pools of a client, by the address of their server. */
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

/** State of the connections that the driver shows. */
function idsAt(driverPool: object, list: string): unknown[] {
  const ids = objectsAt(driverPool, list)?.map((connection) => valueAt(connection, 'id')) ?? [];
  return ids.filter((id) => id !== undefined);
}

/** Callers in the queue, and pending connections, mostly for one caller each; `null` if not visible. */
function callersOf(driverPool: object): number | null {
  const [queued, making] = [
    countAt(driverPool, 'waitQueueSize'),
    countAt(driverPool, 'pendingConnectionCount'),
  ];
  return queued === null || making === null ? null : queued + making;
}
