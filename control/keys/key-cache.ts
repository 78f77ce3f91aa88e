import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { hashKey, isKey } from './key-format.js';
import {
  type Horizon,
  type KeyGrant,
  type KeyState,
  readChangedKeyStates,
  readHorizon,
  readKeyState,
} from './key-grants.js';
import { createKeyUsage } from './key-usage.js';

const keysMax = 20_000;
const pollEveryMs = 1_000;
/** More changes than this at once, and the cache is emptied instead of mended. */
const changesMax = 1_000;
/** Queries that were sent and not answered; a server that hangs must not collect them without end. */
const openQueriesMax = 1_000;

/** A key could not be checked because PostgreSQL did not answer; the request may be repeated. */
export class KeyLookupError extends Error {
  override name = 'KeyLookupError';
}

export type KeyCache = {
  /**
   * The grant of a key, undefined when it is malformed, unknown or revoked. A key that was asked for before is
   * answered at once, without a promise and without a query.
   *
   * @throws KeyLookupError (the promise rejects) when the key is not in memory and PostgreSQL does not answer.
   */
  find(key: string): KeyGrant | undefined | Promise<KeyGrant | undefined>;
  /** Begins to follow changes. Does not fail when PostgreSQL cannot be reached; it goes on trying. */
  start(): Promise<void>;
  /** Ends that and writes when keys were last used. */
  stop(): Promise<void>;
};

type Lookup = { answer: Promise<KeyGrant | undefined>; mayBeKept: boolean };

/**
 * Keys in memory, kept true by asking PostgreSQL once a second what changed: a revoked key, a switched off
 * capability or a new key counts on every instance after about a second. While PostgreSQL is away, the keys in
 * memory go on working.
 *
 * Entries are filed under the key's SHA-256, not the key: hashing costs 0.4 µs here, and a heap dump of the
 * service then holds no working keys but those of the requests in flight.
 */
export function createKeyCache({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): KeyCache {
  const known = new LRUCache<string, KeyGrant>({ max: keysMax });
  const unknown = new LRUCache<string, true>({ max: keysMax });
  const lookups = new Map<string, Lookup>();
  const usage = createKeyUsage({ sql, clock, log });
  let openQueries = 0;
  /** Undefined until changes are followed, and after each failure to do so. Nothing is kept meanwhile. */
  let horizon: Horizon | undefined;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;

  function find(key: string): KeyGrant | undefined | Promise<KeyGrant | undefined> {
    if (!isKey(key)) return undefined;
    const hash = hashKey(key);
    const grant = known.get(hash);
    if (grant !== undefined) {
      usage.record(grant.keyId);
      return grant;
    }
    if (unknown.get(hash) === true) return undefined;
    return (lookups.get(hash) ?? lookUp(hash)).answer;
  }

  function lookUp(hash: string): Lookup {
    const lookup: Lookup = { answer: answerLookup(), mayBeKept: horizon !== undefined };
    lookups.set(hash, lookup);
    return lookup;

    async function answerLookup(): Promise<KeyGrant | undefined> {
      try {
        const state = await ask(() => readKeyState(sql, hash));
        if (lookup.mayBeKept) keep(state ?? { hash, grant: undefined });
        if (state?.grant !== undefined) usage.record(state.grant.keyId);
        return state?.grant;
      } catch (error) {
        throw new KeyLookupError('The key could not be checked because PostgreSQL did not answer.', {
          cause: error,
        });
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
      // After a failure the server may be another one, a promoted replica without the last transactions, whose
      // numbers begin again; so what is in memory counts for nothing once a server answers.
      horizon = await ask(() => readHorizon(sql));
      forgetAll();
      return;
    }
    const since = horizon;
    const changes = await ask(() => readChangedKeyStates(sql, since, changesMax));
    horizon = changes.horizon;
    if (changes.states.length === changesMax || changes.horizon < since) forgetAll();
    else for (const state of changes.states) applyChange(state);
  }

  function applyChange(state: KeyState): void {
    // A lookup under way may answer from before this change.
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
      if (failing) log.info({}, 'changes of keys are followed again');
      failing = false;
    } catch (error) {
      if (!failing)
        log.warn({ err: error }, 'changes of keys cannot be followed; keys in memory go on working');
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
    if (openQueries >= openQueriesMax) throw new Error(`${openQueries} queries wait for PostgreSQL already.`);
    openQueries += 1;
    const answer = query().finally(() => {
      openQueries -= 1;
    });
    return withQueryTimeout(answer);
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
