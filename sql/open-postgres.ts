import postgres from 'postgres';
import { arrayTypes } from './array-types.js';

/** bigint columns are JavaScript bigints in both directions; without this the driver returns strings. */
type Types = { bigint: bigint };

/** A pool of connections to PostgreSQL. timestamptz is a Date, bigint a bigint, bytea a Buffer. */
export type Sql = postgres.Sql<Types>;
/** The tag that `sql.begin` passes to its callback, bound to one transaction. */
export type Transaction = postgres.TransactionSql<Types>;

/** A part of a statement that is made with the tag and put into another statement. */
export type Fragment = postgres.Fragment;

export type OpenPostgresOptions = {
  /** Most connections at once; 10 when not given. */
  max?: number;
};

/**
 * Opens a pool, which connects at the first query. End it with `sql.end({ timeout: seconds })`.
 *
 * The embedded server runs every connection in one backend session. Callers therefore use transactions and
 * pg_advisory_xact_lock, and nothing that belongs to a session: no SET, session locks, LISTEN or temporary tables.
 */
export function openPostgres(url: string, options: OpenPostgresOptions = {}): Sql {
  return postgres(url, {
    max: options.max ?? 10,
    connect_timeout: 10,
    idle_timeout: 60,
    // The pauses of the driver between attempts grow to 20 s; a revoked key must stop within 5 s of the return of
    // the server. Seconds, not milliseconds.
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, 1),
    // The embedded server accepts statement_timeout and ignores it.
    connection: { application_name: 'heartline', statement_timeout: 30_000 },
    fetch_types: false,
    types: { ...arrayTypes(), bigint: postgres.BigInt },
    onnotice: () => {},
  });
}
