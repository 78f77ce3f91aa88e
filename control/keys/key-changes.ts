import type { Log } from '../../lib/log.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Horizon, type KeyState, loadChangedKeyStates, loadHorizon } from './key-grants.js';

/** More changes than this at once empty the cache instead of updating it. */
const changesMax = 1_000;

type Deps = {
  sql: Sql;
  log: Log;
  /** Pause between two queries for changes. */
  pollEveryMs: number;
  /** Sends a query of the cache. */
  ask<T>(query: () => Promise<T>): Promise<T>;
  onChange(state: KeyState): void;
  /** Called when changes may have been missed. */
  onGap(): void;
  /** Called after each query for changes. Never throws. */
  afterPoll(): Promise<void>;
};

type KeyChanges = {
  /** False until the first query has succeeded, and after each failure: what is loaded meanwhile must not be kept. */
  areFollowed(): boolean;
  /** Starts to follow changes. Does not fail when PostgreSQL is unavailable, but keeps trying. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** Follows the changes of keys with a query after each pause. */
export function createKeyChanges(deps: Deps): KeyChanges {
  const follow = createFollowing(deps);
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;

  async function poll(): Promise<void> {
    await follow.next();
    await deps.afterPoll();
  }

  function schedule(): void {
    timer = setTimeout(() => {
      polling = poll().then(() => {
        if (timer !== undefined) schedule();
      });
    }, deps.pollEveryMs);
    timer.unref();
  }

  return {
    areFollowed: follow.isCurrent,
    async start() {
      await poll();
      schedule();
    },
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await polling;
    },
  };
}

/** Asks for the changes since the last time. */
function createFollowing({ sql, log, ask, onChange, onGap }: Deps) {
  let horizon: Horizon | undefined;
  let failing = false;

  async function load(): Promise<void> {
    if (horizon === undefined) {
      // The server after a failure may be a promoted replica without the last transactions, whose transaction numbers
      // start lower. So the cache discards everything once a server answers.
      horizon = await ask(() => loadHorizon(sql));
      onGap();
      return;
    }
    const since = horizon;
    const changes = await ask(() => loadChangedKeyStates(sql, since, changesMax));
    horizon = changes.horizon;
    if (changes.states.length === changesMax || changes.horizon < since) onGap();
    else for (const state of changes.states) onChange(state);
  }

  return {
    isCurrent: () => horizon !== undefined,
    /** Does not throw. */
    async next(): Promise<void> {
      try {
        await load();
        if (failing) log.info({}, 'Changes of keys are followed again.');
        failing = false;
      } catch (error) {
        if (!failing)
          log.warn({ err: error }, 'Changes of keys cannot be followed; keys in memory keep working.');
        failing = true;
        horizon = undefined;
      }
    },
  };
}
