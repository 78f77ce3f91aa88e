import type { EventEmitter } from 'node:events';
import { listen, type Unhook, wrapMethod } from './hooks.js';
import { PoolMeter } from './pool-meter.js';
import type { AttachedPool, PoolNames, PoolSource } from './report.js';
import { driverVersion, limitAt } from './settings.js';

/** A pool of `mysql2`, or one of `mysql2/promise`, which has the first in it. */
export type Mysql2Pool = EventEmitter | { readonly pool: EventEmitter };

/** A pool of `mysql2`, from 3. Acquisitions are timed around `getConnection()`, which `query()` and `execute()` go through. */
export function mysqlPool(pool: Mysql2Pool, names: PoolNames): PoolSource {
  return { attach: () => attach('pool' in pool ? pool.pool : pool, names) };
}

function attach(pool: EventEmitter, names: PoolNames): AttachedPool {
  const connections = new Connections();
  const hooks = [
    listen(pool, 'connection', (connection: EventEmitter) => connections.made(connection)),
    listen(pool, 'acquire', (connection: EventEmitter) => connections.taken(connection)),
    listen(pool, 'release', (connection: EventEmitter) => connections.returned(connection)),
    wrapMethod(pool, 'getConnection', (getConnection) => timeGet(connections.meter, getConnection)),
  ];
  const version = names.driverVersion ?? driverVersion('mysql2');
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
 * The connections of a pool, as its events tell of them. Of a connection that goes from one caller to the next, which
 * waited for it, there is no event: it stays busy. One that was made before we came is known from its next event on.
 */
class Connections {
  /** With what is to be taken away when the connection goes. */
  readonly #open = new Map<EventEmitter, Unhook[]>();
  readonly #busy = new Set<EventEmitter>();
  readonly meter = new PoolMeter(() => ({ open: this.#open.size, busy: this.#busy.size }));

  made(connection: EventEmitter): void {
    this.#know(connection);
    this.meter.created();
  }

  taken(connection: EventEmitter): void {
    this.#know(connection);
    this.#busy.add(connection);
    this.meter.observe();
  }

  returned(connection: EventEmitter): void {
    this.#know(connection);
    this.#busy.delete(connection);
  }

  forget(): void {
    for (const hooks of this.#open.values()) for (const unhook of hooks) unhook();
  }

  #know(connection: EventEmitter): void {
    if (this.#open.has(connection)) return;
    const gone = (): void => this.#gone(connection);
    this.#open.set(connection, [
      listen(connection, 'end', gone),
      // The pool listens for the first error too; like it we do not for a second one, which is to reach the host.
      listenOnce(connection, 'error', gone),
      wrapMethod(connection, 'destroy', (destroy) => {
        return function (...args) {
          gone();
          return destroy.apply(this, args);
        };
      }),
    ]);
    this.meter.observe();
  }

  #gone(connection: EventEmitter): void {
    const hooks = this.#open.get(connection);
    if (hooks === undefined) return;
    for (const unhook of hooks) unhook();
    this.#open.delete(connection);
    this.#busy.delete(connection);
    this.meter.closed();
  }
}

function listenOnce(emitter: EventEmitter, event: string, listener: () => void): Unhook {
  emitter.once(event, listener);
  return () => emitter.off(event, listener);
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

function timeGet(meter: PoolMeter, getConnection: Method): Method {
  /** Of callers that wait: the pool calls getConnection() with them again when the connection they would get breaks. */
  const waiting = new WeakSet<object>();
  return function (callback, ...rest) {
    if (typeof callback !== 'function' || waiting.has(callback)) {
      return getConnection.call(this, callback, ...rest);
    }
    const end = meter.begin();
    const timed = (...results: unknown[]): unknown => {
      end(Boolean(results[0]));
      return callback(...results);
    };
    waiting.add(timed);
    return getConnection.call(this, timed, ...rest);
  };
}
