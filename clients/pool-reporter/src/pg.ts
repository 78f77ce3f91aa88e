import type { EventEmitter } from 'node:events';
import { countAt, limitAt, objectsAt, valueAt } from './driver-state.js';
import { driverVersion } from './driver-version.js';
import { listen, type Method, type Unhook, wrapMethod } from './hooks.js';
import { PoolMeter } from './pool-meter.js';
import type { AttachedPool, Measurement, PoolNames, PoolSource } from './report.js';

/** The parts of a `Pool` of pg that the reporter uses. */
export type PgPool = EventEmitter & {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
};

/**
 * Measures a pool of `pg`, from 8.10. Times acquisitions around `pool.connect()`, which `pool.query()` calls. Does not
 * listen for `error`: a pool without such a listener ends the process, and the reporter must not change that.
 */
export function pgPool(pool: PgPool, names: PoolNames): PoolSource {
  return { attach: () => attach(pool, names) };
}

function attach(pool: PgPool, names: PoolNames): AttachedPool {
  const version = names.driverVersion ?? driverVersion('pg');
  const { meter, unhook } = measure(pool);
  return {
    take: () => [
      {
        system: 'postgresql',
        target: names.target,
        pool: names.pool,
        serverPool: names.serverPool ?? 'default',
        driverVersion: version,
        ...meter.take(),
        ...limitsOf(pool),
      },
    ],
    detach: unhook,
  };
}

/** pg accepts a `min` above `max` and never reaches it. */
function limitsOf(pool: PgPool): { minimum: number | null; maximum: number | null } {
  const [minimum, maximum] = [countAt(pool, 'options', 'min'), limitAt(pool, 'options', 'max')];
  const isAbove = minimum !== null && maximum !== null && minimum > maximum;
  return { minimum: isAbove ? maximum : minimum, maximum };
}

/** totalCount includes pending connections, so the busy ones are known from events only. */
function measure(pool: PgPool): { meter: PoolMeter; unhook: Unhook } {
  for (const count of ['totalCount', 'idleCount', 'waitingCount']) {
    if (countAt(pool, count) === null) throw new Error(`The given pool has no ${count}.`);
  }
  const outBefore = clientsOut(pool);
  const busy = new Set(outBefore);
  const removed = new WeakSet<object>();
  const out = (): number => pool.totalCount - pool.idleCount;
  const unknown = (waiting: number): Measurement[] => {
    const making = out() - busy.size;
    // A caller waits for each pending connection. Callers unknown to the meter asked before it started, or there are none
    // and the connections are in use.
    if (making + pool.waitingCount <= waiting) return [];
    return ['waiting', 'acquisition', 'failures', ...(outBefore ? [] : (['open', 'busy'] as const))];
  };
  const meter = new PoolMeter(() => {
    // A client that fails in the pool's hook for new clients, while the reporter starts, causes no event.
    const busyNow = Math.min(busy.size, out());
    return { open: busyNow + pool.idleCount, busy: busyNow };
  }, unknown);
  const hooks = [
    wrapMethod(pool, 'connect', (connect) => timeConnect(meter, connect)),
    listen(pool, 'connect', () => meter.created()),
    listen(pool, 'acquire', (client: object) => {
      busy.add(client);
      meter.observe();
    }),
    listen(pool, 'release', (_error: unknown, client: object) => busy.delete(client)),
    listen(pool, 'remove', (client: object) => {
      busy.delete(client);
      if (!removed.has(client)) meter.closed();
      removed.add(client);
    }),
  ];
  return {
    meter,
    unhook() {
      for (const unhook of hooks) unhook();
    },
  };
}

/** Clients that are connected and checked out; `undefined` if the driver does not show them. */
function clientsOut(pool: PgPool): object[] | undefined {
  if (pool.totalCount === 0) return [];
  const [clients, idle] = [objectsAt(pool, '_clients'), objectsAt(pool, '_idle')];
  if (clients === undefined || idle === undefined) return undefined;
  if (clients.some((client) => typeof valueAt(client, '_connected') !== 'boolean')) return undefined;
  const isIdle = new Set(idle.map((item) => valueAt(item, 'client')));
  return clients.filter((client) => !isIdle.has(client) && valueAt(client, '_connected') === true);
}

/** Behaves like connect(): takes a callback, or returns a promise whose rejection is unhandled unless the caller handles it. */
function timeConnect(meter: PoolMeter, connect: Method): Method {
  return function (callback, ...rest) {
    const end = meter.begin();
    try {
      if (typeof callback === 'function') {
        const timed = (...results: unknown[]): unknown => {
          end(Boolean(results[0]));
          return callback(...results);
        };
        return connect.call(this, timed, ...rest);
      }
      const connected = connect.call(this, callback, ...rest) as PromiseLike<unknown>; // A promise without a callback.
      return connected.then(
        (client) => {
          end(false);
          return client;
        },
        (error) => {
          end(true);
          throw error;
        },
      );
    } catch (error) {
      end(true);
      throw error;
    }
  };
}
