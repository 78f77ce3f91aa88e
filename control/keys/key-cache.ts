import type { Clock } from '../../lib/clock.js';
import { createSeldomLog, type Log } from '../../lib/log.js';
import { createLru } from '../../lib/lru.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import { createBatchLookup } from '../../sql/batch-lookup.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { isKey } from './key.js';
import {
  type AdminGrant,
  type Horizon,
  type KeyGrant,
  type KeyState,
  loadChangedKeyStates,
  loadHorizon,
  loadKeyStates,
} from './key-grants.js';
import { createKeyUsage } from './key-usage.js';

const keysMax = 20_000;
export const pollEveryMsUsual = 1_000;
/** More changes than this at once empty the cache instead of updating it. */
const changesMax = 1_000;
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
  /** Limit of a query; that of withQueryTimeout() when absent. */
  queryTimeoutMs?: number;
};

/** What a valid key may do. */
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

type Lookup = { answer: Promise<AnyGrant | undefined>; mayBeKept: boolean };

/**
 * Keys in memory, kept current by a query once a second for what changed: every instance knows of a revoked key, a
 * disabled capability or a new key after about a second, and within 5 seconds when a query hangs. Keys in memory keep
 * working while PostgreSQL is unavailable.
 *
 * The cache stores entries under the SHA-256 of the key: hashing costs 0.4 µs, and a heap dump of the service then
 * contains no working keys other than those of requests in flight.
 */
export function createKeyCache({ sql, clock, log, ...options }: KeyCacheDeps): KeyCache {
  const { pollEveryMs = pollEveryMsUsual, queryTimeoutMs } = options;
  const known = createLru<string, AnyGrant>(keysMax);
  const unknown = createLru<string, true>(keysMax);
  const lookups = new Map<string, Lookup>();
  const seldom = createSeldomLog(log);
  const loadState = createBatchLookup<string, KeyState>({
    ...lookupBounds,
    load: (hashes) => ask(() => loadKeyStates(sql, hashes)),
    onShed: () => seldom.note({}, 'Requests were refused, because too many keys are looked up.'),
  });
  const usage = createKeyUsage({ sql, clock, log });
  let openQueries = 0;
  /** `undefined` until the cache follows changes, and after each failure to do so. Nothing is cached meanwhile. */
  let horizon: Horizon | undefined;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;

  function find(key: string): AnyGrant | undefined | Promise<AnyGrant | undefined> {
    if (!isKey(key)) return undefined;
    const hash = hashSecret(key);
    const grant = known.get(hash);
    if (grant !== undefined) return useUnlessExpired(grant);
    if (unknown.get(hash) === true) return undefined;
    return (lookups.get(hash) ?? lookUp(hash)).answer;
  }

  function useUnlessExpired(grant: AnyGrant): AnyGrant | undefined {
    if (grant.expiresAt !== null && grant.expiresAt <= clock.now()) return undefined;
    usage.record(grant.keyId);
    return grant;
  }

  function lookUp(hash: string): Lookup {
    const lookup: Lookup = { answer: answerLookup(), mayBeKept: horizon !== undefined };
    lookups.set(hash, lookup);
    return lookup;

    async function answerLookup(): Promise<AnyGrant | undefined> {
      try {
        const state = await withQueryTimeout(loadState(hash), queryTimeoutMs);
        if (lookup.mayBeKept) keep(state ?? { hash, grant: undefined });
        return state?.grant && useUnlessExpired(state.grant);
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        seldom.note({ err: error }, 'Keys that are not in memory cannot be looked up.');
        throw storeUnavailable();
      } finally {
        lookups.delete(hash);
      }
    }
  }

  function keep({ hash, grant }: KeyState): void {
    if (grant === undefined) {
      known.delete(hash);
      unknown.set(hash, true);
    } else {
      unknown.delete(hash);
      known.set(hash, grant);
    }
  }

  async function followChanges(): Promise<void> {
    if (horizon === undefined) {
      // The server after a failure may be a promoted replica without the last transactions, whose transaction numbers
      // start lower. So the cache discards everything once a server answers.
      horizon = await ask(() => loadHorizon(sql));
      forgetAll();
      return;
    }
    const since = horizon;
    const changes = await ask(() => loadChangedKeyStates(sql, since, changesMax));
    horizon = changes.horizon;
    if (changes.states.length === changesMax || changes.horizon < since) forgetAll();
    else for (const state of changes.states) applyChange(state);
  }

  function applyChange(state: KeyState): void {
    // A lookup in flight may answer with the state before this change.
    const lookup = lookups.get(state.hash);
    if (lookup !== undefined) lookup.mayBeKept = false;
    if (known.has(state.hash) || unknown.has(state.hash)) keep(state);
  }

  function forgetAll(): void {
    known.clear();
    unknown.clear();
    for (const lookup of lookups.values()) lookup.mayBeKept = false;
  }

  async function poll(): Promise<void> {
    try {
      await followChanges();
      if (failing) log.info({}, 'Changes of keys are followed again.');
      failing = false;
    } catch (error) {
      if (!failing)
        log.warn({ err: error }, 'Changes of keys cannot be followed; keys in memory keep working.');
      failing = true;
      horizon = undefined;
    }
    await usage.writeIfDue();
  }

  function schedule(): void {
    timer = setTimeout(() => {
      polling = poll().then(() => {
        if (timer !== undefined) schedule();
      });
    }, pollEveryMs);
    timer.unref();
  }

  async function ask<T>(query: () => Promise<T>): Promise<T> {
    if (openQueries >= openQueriesMax) throw new Error(`${openQueries} queries already wait for PostgreSQL.`);
    openQueries += 1;
    const answer = query().finally(() => {
      openQueries -= 1;
    });
    return withQueryTimeout(answer, queryTimeoutMs);
  }

  async function start(): Promise<void> {
    await poll();
    schedule();
  }

  async function stop(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    await polling;
    await usage.write();
  }

  return { find, start, stop };
}
