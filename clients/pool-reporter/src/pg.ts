import type { EventEmitter } from 'node:events';
import { listen, wrapMethod } from './hooks.js';
import { PoolMeter } from './pool-meter.js';
import type { AttachedPool, PoolNames, PoolSource } from './report.js';
import { countAt, driverVersion, limitAt } from './settings.js';

/** What is needed of a `Pool` of pg. */
export type PgPool = EventEmitter & { readonly totalCount: number; readonly idleCount: number };

/**
 * A pool of `pg`, from 8.10. Acquisitions are timed around `pool.connect()`, which `pool.query()` goes through.
 * It is not listened for `error`: a pool without such a listener ends the process, and is to go on doing so.
 */
export function pgPool(pool: PgPool, names: PoolNames): PoolSource {
  return { attach: () => attach(pool, names) };
}

function attach(pool: PgPool, names: PoolNames): AttachedPool {
  const { meter, unhook } = measure(pool);
  const version = names.driverVersion ?? driverVersion('pg');
  return {
    take: () => [
      {
        system: 'postgresql',
        target: names.target,
        pool: names.pool,
        serverPool: names.serverPool ?? 'default',
        driverVersion: version,
        ...meter.take(),
        minimum: countAt(pool, 'options', 'min'),
        maximum: limitAt(pool, 'options', 'max'),
      },
    ],
    detach: unhook,
  };
}

/** totalCount has connections that are still being made, so what is busy is known from the events. */
function measure(pool: PgPool): { meter: PoolMeter; unhook: () => void } {
  const busy = new Set<object>();
  /** Clients that were out when we came; some may have been in the making, which the bound corrects. */
  let outBefore = pool.totalCount - pool.idleCount;
  const meter = new PoolMeter(() => {
    outBefore = Math.max(0, Math.min(outBefore, pool.totalCount - pool.idleCount - busy.size));
    const out = busy.size + outBefore;
    return { open: out + pool.idleCount, busy: out };
  });
  const hooks = [
    listen(pool, 'connect', () => meter.created()),
    listen(pool, 'acquire', (client: object) => {
      busy.add(client);
      meter.observe();
    }),
    listen(pool, 'release', (_error: unknown, client: object) => {
      if (!busy.delete(client)) outBefore -= 1;
    }),
    listen(pool, 'remove', (client: object) => {
      busy.delete(client);
      meter.closed();
    }),
    wrapMethod(pool, 'connect', (connect) => timeConnect(meter, connect)),
  ];
  return {
    meter,
    unhook() {
      for (const unhook of hooks) unhook();
    },
  };
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

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
