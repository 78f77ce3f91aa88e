import { limitAt } from './driver-state.js';
import { driverVersion } from './driver-version.js';
import type { PoolNames, PoolSource } from './report.js';

/** What is needed of what `postgres()` gives. */
export type PostgresJs = { readonly options: object };

/**
 * A client of `postgres` (Postgres.js). It has no event for a connection that is made, taken or given back, and queries
 * share connections without taking them; `onclose` is called for attempts to connect that failed as well. So nothing is
 * measured but how many connections it may make, and the report says so.
 */
export function postgresJs(sql: PostgresJs, names: PoolNames): PoolSource {
  return {
    attach() {
      const version = names.driverVersion ?? driverVersion('postgres');
      return {
        take: () => [
          {
            system: 'postgresql',
            target: names.target,
            pool: names.pool,
            serverPool: names.serverPool ?? 'default',
            driverVersion: version,
            coverage: 'partial',
            supported: [],
            snapshot: { open: null, busy: null, idle: null, waiting: null },
            peaks: { open: null, busy: null, waiting: null },
            acquisition: null,
            failures: null,
            created: null,
            closed: null,
            minimum: null,
            maximum: limitAt(sql, 'options', 'max'),
          },
        ],
        detach() {},
      };
    },
  };
}
