import postgres from 'postgres';
import { arrayTypes } from './array-types.js';
import { interceptQuery } from './pool/driver-query.js';
import { createPool, type Pool } from './pool/pool.js';
import { runTransaction } from './pool/run-transaction.js';

/** bigint columns are JavaScript bigints in both directions; without this the driver returns strings. */
type Types = { bigint: bigint };

/** The limits of time of queries of a pool, in milliseconds. */
export type QueryLimits = {
  /** A query, from its execution to its answer, the wait for a connection included. */
  queryTimeoutMs: number;
  /** A transaction as a whole; unbounded when absent, as each of its statements has a bound. */
  transactionTimeoutMs?: number;
};

const access = Symbol('pool');

/** The connections and the limits of a handle. */
type Access = { pool: Pool; limits: QueryLimits };

/** A pool of connections to PostgreSQL. timestamptz is a Date, bigint a bigint, bytea a Buffer. */
export type Sql = postgres.Sql<Types> & { readonly [access]: Access };
/** The tag that `inTransaction` passes to its work, bound to one transaction. */
export type Transaction = postgres.TransactionSql<Types>;

/** A part of a statement that is made with the tag and put into another statement. */
export type Fragment = postgres.Fragment;

export type OpenPostgresOptions = {
  /** Most connections at once; 10 when not given. */
  max?: number;
  /** `backgroundLimits` when not given. */
  limits?: QueryLimits;
};

/** For queries that a request waits for: half of the 10 s within which every request is answered. */
export const requestLimits: QueryLimits = { queryTimeoutMs: 4_500, transactionTimeoutMs: 4_500 };
/** For loops, jobs and commands: longer than the limit that the server applies to a statement. */
export const backgroundLimits: QueryLimits = { queryTimeoutMs: 35_000 };

/**
 * Opens a pool, which connects at the first query. End it with `sql.end({ timeout: seconds })`. Every query rejects with
 * a QueryTimeout when its time is over, and nothing of it is sent afterwards.
 *
 * A pooler may stand before the server and give each transaction another session. Callers therefore use transactions
 * and pg_advisory_xact_lock, and nothing that belongs to a session: no SET, session locks, LISTEN or temporary tables.
 */
export function openPostgres(
  url: string,
  { max = 10, limits = backgroundLimits }: OpenPostgresOptions = {},
): Sql {
  const pool = createPool(url, {
    max,
    ...socketOf(url),
    // Less than a query may take: a query that needs a connection first fails for the reason.
    connect_timeout: 3,
    idle_timeout: 60,
    // The pauses of the driver between attempts grow to 20 s; a revoked key must stop within 5 s of the return of
    // the server. Seconds, not milliseconds.
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, 1),
    connection: { application_name: 'heartline', statement_timeout: 30_000 },
    fetch_types: false,
    types: { ...arrayTypes(), bigint: postgres.BigInt },
    onnotice: () => {},
  });
  return makeHandle({ pool, limits });
}

/** The driver takes the folder of a socket as an option alone; in a URL, as libpq reads it, `/` stands as `%2F`. */
export function socketOf(url: string): { host?: string } {
  const [, folder] = /^[^:]+:\/\/(?:[^@/]*@)?(%2f[^:/?]*)/i.exec(url) ?? [];
  return folder === undefined ? {} : { host: decodeURIComponent(folder) };
}

/** Returns the same connections with other limits. */
export function withLimits(sql: Sql, limits: QueryLimits): Sql {
  return makeHandle({ pool: sql[access].pool, limits });
}

/** Calls of the driver that choose a connection themselves. */
const unavailable: ReadonlySet<unknown> = new Set([
  ...['reserve', 'listen', 'notify', 'subscribe', 'largeObject', 'file', 'close', 'CLOSE', 'END'],
]);

function makeHandle({ pool, limits }: Access): Sql {
  const bind = <T>(query: T): T => interceptQuery(query, (asked) => pool.run(asked, limits.queryTimeoutMs));
  const handle: unknown = new Proxy(pool.first.client, {
    apply: (target, self, args) => bind(Reflect.apply(target, self, args)),
    get(target, name) {
      if (name === access) return { pool, limits };
      if (name === 'unsafe') return (...args: unknown[]) => bind(Reflect.apply(target.unsafe, target, args));
      if (name === 'begin')
        return (work: (tx: Transaction) => Promise<unknown>) => runTransaction(pool, limits, work);
      if (name === 'end') return pool.end;
      if (unavailable.has(name)) throw new Error(`sql.${String(name)} is not available.`);
      return Reflect.get(target, name);
    },
  });
  return handle as Sql; // The proxy has every member that callers use, and `access`.
}
