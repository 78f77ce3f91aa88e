import type { EventEmitter } from 'node:events';
import { countAt, limitAt, objectsAt, valueAt } from './driver-state.js';
import { driverVersion } from './driver-version.js';
import { harmlessly, listen, type Method, type Unhook, wrapMethod } from './hooks.js';
import { PoolMeter } from './pool-meter.js';
import type { AttachedPool, Measurement, PoolNames, PoolSource } from './report.js';

/** A pool of `mysql2`, or one of `mysql2/promise`, which wraps the former. */
export type Mysql2Pool = EventEmitter | { readonly pool: EventEmitter };

/** Measures a pool of `mysql2`, from 3. Times acquisitions around `getConnection()`, which `query()` and `execute()` call. */
export function mysqlPool(pool: Mysql2Pool, names: PoolNames): PoolSource {
  return { attach: () => attach('pool' in pool ? pool.pool : pool, names) };
}

function attach(pool: EventEmitter, names: PoolNames): AttachedPool {
  const version = names.driverVersion ?? driverVersion('mysql2');
  const connections = new Connections(pool);
  const hooks = [
    wrapMethod(pool, 'getConnection', (getConnection) => timeGet(connections.meter, getConnection)),
    ...watchRemovals(pool, (connection) => connections.gone(connection)),
    listen(pool, 'connection', (connection: EventEmitter) => connections.made(connection)),
    listen(pool, 'acquire', (connection: EventEmitter) => connections.taken(connection)),
    listen(pool, 'release', (connection: EventEmitter) => connections.returned(connection)),
  ];
  connections.watch();
  return {
    take: () => [
      {
        system: 'mysql',
        target: names.target,
        pool: names.pool,
        serverPool: names.serverPool ?? 'default',
        driverVersion: version,
        ...connections.meter.take(),
        minimum: null,
        maximum: limitAt(pool, 'config', 'connectionLimit'),
      },
    ],
    detach() {
      for (const unhook of hooks) unhook();
      connections.forget();
    },
  };
}

/**
 * The connections of a pool: at first from the pool's state, then from its events. A connection that passes from one
 * caller directly to a waiting one causes no event: it stays busy.
 */
class Connections {
  readonly #pool: EventEmitter;
  /** Open connections, each with the hooks to remove when it closes. */
  readonly #open = new Map<EventEmitter, Unhook[]>();
  readonly #busy = new Set<EventEmitter>();
  /** Whether the pool showed its connections. */
  readonly #isKnown: boolean;
  readonly meter: PoolMeter;

  constructor(pool: EventEmitter) {
    this.#pool = pool;
    const before = connectionsOf(pool);
    this.#isKnown = before !== undefined;
    for (const { connection, isIdle } of before ?? []) {
      this.#open.set(connection, []);
      if (!isIdle) this.#busy.add(connection);
    }
    this.meter = new PoolMeter(
      () => ({ open: this.#open.size, busy: this.#busy.size }),
      (waiting) => this.#unknown(waiting),
    );
  }

  /** Follows the connections that are older than the reporter. */
  watch(): void {
    for (const connection of this.#open.keys()) this.#watch(connection);
  }

  made(connection: EventEmitter): void {
    if (this.#open.has(connection)) return;
    this.#watch(connection);
    this.meter.created();
    this.meter.observe();
  }

  taken(connection: EventEmitter): void {
    if (!this.#open.has(connection)) return;
    this.#busy.add(connection);
    this.meter.observe();
  }

  returned(connection: EventEmitter): void {
    this.#busy.delete(connection);
  }

  gone(connection: EventEmitter): void {
    const hooks = this.#open.get(connection);
    if (hooks === undefined) return;
    for (const unhook of hooks) unhook();
    this.#open.delete(connection);
    this.#busy.delete(connection);
    this.meter.closed();
  }

  forget(): void {
    for (const hooks of this.#open.values()) for (const unhook of hooks) unhook();
  }

  #watch(connection: EventEmitter): void {
    const gone = (): void => this.gone(connection);
    const stream = valueAt(connection, 'stream');
    this.#open.set(connection, [
      listen(connection, 'end', gone),
      // The pool also listens for the first error only; a second one must reach the host.
      listen(connection, 'error', gone),
      // After pool.end() a connection that the server resets causes neither event.
      ...(isEmitter(stream) ? [listen(stream, 'close', gone)] : []),
      wrapMethod(connection, 'destroy', (destroy) => {
        return function (...args) {
          harmlessly(gone);
          return destroy.apply(this, args);
        };
      }),
    ]);
  }

  #unknown(waiting: number): Measurement[] {
    const callers: Measurement[] = ['waiting', 'acquisition', 'failures'];
    if (!this.#isKnown) return ['open', 'busy', 'idle', 'closed', ...callers];
    if (valueAt(this.#pool, '_closed') === true) return []; // It has closed all connections, but still lists them.
    const making = (countAt(this.#pool, '_allConnections', 'length') ?? 0) - this.#open.size;
    const queued = countAt(this.#pool, '_connectionQueue', 'length') ?? 0;
    // A caller waits for each pending connection. Callers unknown to the meter asked before it started.
    return making + queued > waiting ? callers : [];
  }
}

/** In early versions the driver's promises end a connection without calling its hooked destroy(). */
function watchRemovals(pool: EventEmitter, gone: (connection: EventEmitter) => void): Unhook[] {
  if (typeof valueAt(pool, '_removeConnection') !== 'function') return [];
  return [
    wrapMethod(pool, '_removeConnection', (remove) => {
      return function (connection, ...rest) {
        if (isEmitter(connection)) harmlessly(() => gone(connection));
        return remove.call(this, connection, ...rest);
      };
    }),
  ];
}

/** The established connections; `undefined` if the driver does not show them. */
function connectionsOf(pool: EventEmitter): { connection: EventEmitter; isIdle: boolean }[] | undefined {
  const all = objectsAt(pool, '_allConnections');
  const idle = objectsAt(pool, '_freeConnections');
  if (all === undefined || idle === undefined || countAt(pool, '_connectionQueue', 'length') === null) {
    return undefined;
  }
  const isIdle = new Set(idle);
  const found: { connection: EventEmitter; isIdle: boolean }[] = [];
  for (const connection of all) {
    const [isMade, isGone] = [valueAt(connection, 'authorized'), valueAt(connection, 'stream', 'destroyed')];
    if (typeof isMade !== 'boolean' || typeof isGone !== 'boolean' || !isEmitter(connection))
      return undefined;
    if (isMade && !isGone) found.push({ connection, isIdle: isIdle.has(connection) });
  }
  return found;
}

function isEmitter(value: unknown): value is EventEmitter {
  return typeof valueAt(value, 'on') === 'function' && typeof valueAt(value, 'off') === 'function';
}

/** The callbacks behind the one given to a pool, since several reporters may measure one pool. */
const timedCallbacks = new WeakMap<object, object>();

function timeGet(meter: PoolMeter, getConnection: Method): Method {
  /** Callbacks of waiting callers: the pool calls getConnection() with them again if the connection for them breaks. */
  const waiting = new WeakSet<object>();
  const isWaiting = (callback: object | undefined): boolean =>
    callback !== undefined && (waiting.has(callback) || isWaiting(timedCallbacks.get(callback)));
  return function (callback, ...rest) {
    if (typeof callback !== 'function' || isWaiting(callback)) {
      return getConnection.call(this, callback, ...rest);
    }
    const end = meter.begin();
    const timed = (...results: unknown[]): unknown => {
      end(Boolean(results[0]));
      return callback(...results);
    };
    waiting.add(timed);
    timedCallbacks.set(timed, callback);
    try {
      return getConnection.call(this, timed, ...rest);
    } catch (error) {
      end(true);
      throw error;
    }
  };
}
