import postgres from 'postgres';
import { arrayTypes } from './array-types.js';

/** bigint columns come and go as JavaScript bigints; the driver would otherwise hand them out as strings. */
type Types = { bigint: bigint };

/** A pool of connections to PostgreSQL. timestamptz comes as Date, bigint as bigint, bytea as Buffer. */
export type Sql = postgres.Sql<Types>;
/** What `sql.begin` hands to its callback: the same tag, bound to one transaction. */
export type Transaction = postgres.TransactionSql<Types>;

/** A piece of a statement, made with the tag, that goes into another one. */
export type Fragment = postgres.Fragment;

export type OpenPostgresOptions = {
  /** Most connections at once; 10 when not given. */
  max?: number;
};

/**
 * Opens a pool; nothing connects before the first query. End it with `sql.end({ timeout: seconds })`.
 *
 * The embedded server runs every connection in one backend session, so callers use transactions and
 * pg_advisory_xact_lock, and nothing that lives in a session: SET, session locks, LISTEN, temporary tables.
 */
export function openPostgres(url: string, options: OpenPostgresOptions = {}): Sql {
  return postgres(url, {
    max: options.max ?? 10,
    connect_timeout: 10,
    idle_timeout: 60,
    // The driver's own pauses between attempts grow to 20 s; a revoked key has to be noticed within 5 s of
    // the server being back.
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, 1),
    // The embedded server takes statement_timeout and ignores it.
    connection: { application_name: 'heartline', statement_timeout: 30_000 },
    fetch_types: false,
    types: { ...arrayTypes(), bigint: postgres.BigInt },
    onnotice: () => {},
  });
}
