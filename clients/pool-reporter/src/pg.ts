import type { EventEmitter } from 'node:events';
import { countAt, limitAt, objectsAt, valueAt } from './driver-state.js';
import { driverVersion } from './driver-version.js';
import { listen, type Method, type Unhook, wrapMethod } from './hooks.js';
import { PoolMeter } from './pool-meter.js';
import type { AttachedPool, Measurement, PoolNames, PoolSource } from './report.js';

/** What is needed of a `Pool` of pg. */
export type PgPool = EventEmitter & {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
};

/**
 * A pool of `pg`, from 8.10. Acquisitions are timed around `pool.connect()`, which `pool.query()` goes through.
 * It is not listened for `error`: a pool without such a listener ends the process, and is to go on doing so.
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

/** pg takes a `min` above `max` and never gets there. */
function limitsOf(pool: PgPool): { minimum: number | null; maximum: number | null } {
  const [minimum, maximum] = [countAt(pool, 'options', 'min'), limitAt(pool, 'options', 'max')];
  const isAbove = minimum !== null && maximum !== null && minimum > maximum;
  return { minimum: isAbove ? maximum : minimum, maximum };
}

/** totalCount has connections that are still being made, so what is busy is known from the events. */
function measure(pool: PgPool): { meter: PoolMeter; unhook: Unhook } {
  for (const count of ['totalCount', 'idleCount', 'waitingCount']) {
    if (countAt(pool, count) === null) throw new Error(`What was given as a pool has no ${count}.`);
  }
  const outBefore = clientsOut(pool);
  const busy = new Set(outBefore);
  const removed = new WeakSet<object>();
  const out = (): number => pool.totalCount - pool.idleCount;
  const unknown = (waiting: number): Measurement[] => {
    const making = out() - busy.size;
    // For each that is being made a caller waits. Those whom the meter does not know asked before it came, or are none
    // and the connections are in use.
    if (making + pool.waitingCount <= waiting) return [];
    return ['waiting', 'acquisition', 'failures', ...(outBefore ? [] : (['open', 'busy'] as const))];
  };
  const meter = new PoolMeter(() => {
    // Of a client that fails in the pool's hook for new ones, after we came in the middle of that, there is no event.
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

/** Clients that are connected and out, or undefined where the driver does not let us see them. */
function clientsOut(pool: PgPool): object[] | undefined {
  if (pool.totalCount === 0) return [];
  const [clients, idle] = [objectsAt(pool, '_clients'), objectsAt(pool, '_idle')];
  if (clients === undefined || idle === undefined) return undefined;
  if (clients.some((client) => typeof valueAt(client, '_connected') !== 'boolean')) return undefined;
  const isIdle = new Set(idle.map((item) => valueAt(item, 'client')));
  return clients.filter((client) => !isIdle.has(client) && valueAt(client, '_connected') === true);
}

/** Behaves as connect(): with a callback, or with a promise whose rejection is unhandled unless the caller handles it. */
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
      const connected = connect.call(this, callback, ...rest) as PromiseLike<unknown>; // Without a callback it is a promise.
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
