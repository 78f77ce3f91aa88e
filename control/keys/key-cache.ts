import type { Clock } from '../../lib/clock.js';
import { createSeldomLog, type Log } from '../../lib/log.js';
import { createLru } from '../../lib/lru.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import { createBatchLookup } from '../../sql/batch-lookup.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { isKey } from './key.js';
import { createKeyChanges } from './key-changes.js';
import { type AdminGrant, type KeyGrant, type KeyState, loadKeyStates } from './key-grants.js';
import { createKeyUsage } from './key-usage.js';

const keysMax = 20_000;
export const pollEveryMsUsual = 1_000;
/** Queries without an answer yet. The bound keeps a server that hangs from collecting them without end. */
const openQueriesMax = 100;
/**
 * Keys that one query looks up, and keys that wait for the next ones. One query runs at a time, so that made-up keys,
 * however many, leave the connections to others.
 */
const lookupBounds = { keysMax: 500, waitingMax: 10_000 };

export type KeyCacheDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Pause between two queries for changes; 1,000 when absent. */
  pollEveryMs?: number;
  /** Limit of a query; the default of withQueryTimeout() when absent. */
  queryTimeoutMs?: number;
};

/** The rights of a valid key. */
export type AnyGrant = KeyGrant | AdminGrant;

export type KeyCache = {
  /**
   * The grant of a key, or `undefined` for a malformed, unknown, expired or revoked key. Answers from memory for a key that was
   * looked up before, without a promise and without a query.
   *
   * @throws ServiceError (the promise rejects) when the key is not in memory: `storeUnavailable` when PostgreSQL does not
   *   answer, `overloaded` when too many keys are looked up.
   */
  find(key: string): AnyGrant | undefined | Promise<AnyGrant | undefined>;
  /** Starts to follow changes. Does not fail when PostgreSQL is unavailable, but keeps trying. */
  start(): Promise<void>;
  /** Stops following changes and writes when keys were last used. */
  stop(): Promise<void>;
};

/**
 * Keeps keys in memory, current by a query for changes once a second: every instance knows of a revoked key, a
 * disabled capability or a new key after about a second, and within 5 seconds when a query hangs. Keys in memory keep
 * working while PostgreSQL is unavailable.
 *
 * The cache stores entries under the SHA-256 of the key: hashing costs 0.4 µs, and a heap dump of the service then
 * contains no working keys besides the keys of requests in flight.
 */
export function createKeyCache({ sql, clock, log, ...options }: KeyCacheDeps): KeyCache {
  const { pollEveryMs = pollEveryMsUsual, queryTimeoutMs } = options;
  const seldom = createSeldomLog(log);
  const usage = createKeyUsage({ sql, clock, log });
  const ask = createAsk(queryTimeoutMs);
  const memory = createKeyMemory();
  const loadState = createBatchLookup<string, KeyState>({
    ...lookupBounds,
    load: (hashes) => ask(() => loadKeyStates(sql, hashes)),
    onShed: () => seldom.note({}, 'Requests were refused, because too many keys are looked up.'),
  });
  const changes = createKeyChanges({
    ...{ sql, log, pollEveryMs, ask },
    onChange: memory.change,
    onGap: memory.clear,
    afterPoll: usage.writeIfDue,
  });

  async function load(hash: string): Promise<KeyState | undefined> {
    try {
      return await withQueryTimeout(loadState(hash), queryTimeoutMs);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      seldom.note({ err: error }, 'Keys that are not in memory cannot be looked up.');
      throw storeUnavailable();
    }
  }

  function useUnlessExpired(grant: AnyGrant | undefined): AnyGrant | undefined {
    if (grant === undefined) return undefined;
    if (grant.expiresAt !== null && grant.expiresAt <= clock.now()) return undefined;
    usage.record(grant.keyId);
    return grant;
  }

  return {
    find(key) {
      if (!isKey(key)) return undefined;
      const hash = hashSecret(key);
      const grant = memory.get(hash);
      if (grant === null) return undefined;
      if (grant !== undefined) return useUnlessExpired(grant);
      return memory.lookUp(hash, { load, mayBeKept: changes.areFollowed() }).then(useUnlessExpired);
    },
    start: changes.start,
    async stop() {
      await changes.stop();
      await usage.write();
    },
  };
}

/** Sends queries within the bounds of openQueriesMax and the query timeout. */
function createAsk(queryTimeoutMs: number | undefined): <T>(query: () => Promise<T>) => Promise<T> {
  let open = 0;
  return async (query) => {
    if (open >= openQueriesMax) throw new Error(`${open} queries already wait for PostgreSQL.`);
    open += 1;
    const answer = query().finally(() => {
      open -= 1;
    });
    return withQueryTimeout(answer, queryTimeoutMs);
  };
}

type Lookup = { answer: Promise<AnyGrant | undefined>; mayBeKept: boolean };
type Load = (hash: string) => Promise<KeyState | undefined>;

/** Holds the grants of keys by their hashes, and looks other keys up, each once at a time. */
function createKeyMemory() {
  const known = createLru<string, AnyGrant>(keysMax);
  const unknown = createLru<string, true>(keysMax);
  const lookups = new Map<string, Lookup>();

  function keep({ hash, grant }: KeyState): void {
    if (grant === undefined) {
      known.delete(hash);
      unknown.set(hash, true);
    } else {
      unknown.delete(hash);
      known.set(hash, grant);
    }
  }

  return {
    /** Returns the grant of a key, null for a key that is known not to work, `undefined` for a key that is not here. */
    get(hash: string): AnyGrant | null | undefined {
      return known.get(hash) ?? (unknown.get(hash) === true ? null : undefined);
    },
    lookUp(
      hash: string,
      { load, mayBeKept }: { load: Load; mayBeKept: boolean },
    ): Promise<AnyGrant | undefined> {
      const present = lookups.get(hash);
      if (present !== undefined) return present.answer;
      const answer = load(hash)
        .then((state) => {
          if (lookup.mayBeKept) keep(state ?? { hash, grant: undefined });
          return state?.grant;
        })
        .finally(() => lookups.delete(hash));
      const lookup: Lookup = { answer, mayBeKept };
      lookups.set(hash, lookup);
      return answer;
    },
    change(state: KeyState): void {
      // A lookup in flight may answer with the state before this change.
      const lookup = lookups.get(state.hash);
      if (lookup !== undefined) lookup.mayBeKept = false;
      if (known.has(state.hash) || unknown.has(state.hash)) keep(state);
    },
    clear(): void {
      known.clear();
      unknown.clear();
      for (const lookup of lookups.values()) lookup.mayBeKept = false;
    },
  };
}
