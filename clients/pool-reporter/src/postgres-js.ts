import { limitAt } from './driver-state.js';
import { driverVersion } from './driver-version.js';
import type { PoolNames, PoolSource } from './report.js';

/** The parts of the result of `postgres()` that the reporter uses. */
export type PostgresJs = { readonly options: object };

/**
 * Reports a client of `postgres` (Postgres.js). The driver has no event for a connection that is made, taken or returned,
 * queries share connections without taking them, and `onclose` is also called for failed attempts to connect. The report
 * therefore contains only the maximum of connections, and says so.
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
