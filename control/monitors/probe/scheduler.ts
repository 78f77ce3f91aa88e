import { setMaxListeners } from 'node:events';
import { checkErrors } from '../../../contract/monitors.js';
import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import { createLimiter } from '../../../lib/limiter.js';
import type { Log } from '../../../lib/log.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { withQueryTimeout } from '../../../sql/query-timeout.js';
import { type ClaimedCheck, type FinishedCheck, finishCheck } from './decide-state.js';
import { claimChecks, releaseChecks } from './due-checks.js';
import { type Outcome, ProbeError } from './outcome.js';

/** The ends of a check in metrics: `none` when it could not be made for a reason on our side. */
export const checkOutcomes = ['ok', ...checkErrors, 'blocked', 'metadata', 'waiting', 'none'] as const;
type CheckOutcome = (typeof checkOutcomes)[number];

export type SchedulerMetrics = {
  /** A check has begun, this long after it was due. */
  began(lagSeconds: number): void;
  ended(outcome: CheckOutcome): void;
};

export type Scheduler = {
  /** Stops claiming, gives checks in flight `graceMs` to end, and gives back the claims of all others. */
  stop(graceMs: number): Promise<void>;
};

type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  metrics?: SchedulerMetrics;
  /** Makes a check, and aborts it with the signal. */
  run(check: ClaimedCheck, signal: AbortSignal): Promise<Outcome>;
  record(finished: FinishedCheck): void;
};

/** Most checks in flight, over all pages and for one page. */
const slotsMax = { max: 500, maxPerKey: 250 };
/** Most claimed checks, waiting ones included: a check that cannot begin within a second would only lapse. */
const heldMax = 2_000;
const heldPerPageMax = 500;
/** A claim whose answer takes longer lapses like the claim of an instance that died. */
const queryTimeoutMs = 10_000;

/**
 * Looks for due checks every `lookEveryMs` milliseconds, and starts each check when it is due. Any number of schedulers
 * can share a database: the scheduler that claimed a check makes it, and another one does when the claim has lapsed.
 */
export function startScheduler(deps: Deps, lookEveryMs: number): Scheduler {
  const { clock, log } = deps;
  const slots = createLimiter<PageId>(slotsMax);
  /** Claimed checks with the timer until they are due; undefined once they are. */
  const held = new Map<ClaimedCheck, NodeJS.Timeout | undefined>();
  const begun = new Map<ClaimedCheck, Promise<void>>();
  const stopping = new AbortController();
  // Every check in flight listens.
  setMaxListeners(0, stopping.signal);
  let looking: Promise<void> | undefined;
  let stopped = false;

  function look(): void {
    if (stopped || looking !== undefined) return;
    looking = claimDue()
      .catch((error: unknown) =>
        log.warn({ error: String(error) }, 'Due checks could not be loaded; the next look tries again.'),
      )
      .finally(() => {
        looking = undefined;
      });
  }

  async function claimDue(): Promise<void> {
    const room = heldMax - held.size;
    if (room <= 0) return;
    const claimed = await withQueryTimeout(
      claimChecks(deps, { room, fullPages: fullPages(held.keys()) }),
      queryTimeoutMs,
    );
    for (const check of claimed) hold(check);
  }

  function hold(check: ClaimedCheck): void {
    const due = (): void => {
      held.set(check, undefined);
      void beginInTurn(check);
    };
    const waitMs = check.dueAt.getTime() - clock.now();
    if (waitMs <= 0) due();
    else held.set(check, setTimeout(due, waitMs));
  }

  /** A check whose turn does not come before the stop stays held, and its claim is given back. */
  async function beginInTurn(check: ClaimedCheck): Promise<void> {
    const release = await slots.take(check.pageId);
    if (!stopped) await begin(check);
    release?.();
  }

  function begin(check: ClaimedCheck): Promise<void> {
    const ended = makeCheck(deps, check, stopping.signal).finally(() => {
      held.delete(check);
      begun.delete(check);
    });
    begun.set(check, ended);
    return ended;
  }

  const timer = setInterval(look, lookEveryMs);
  look();

  return {
    async stop(graceMs) {
      stopped = true;
      clearInterval(timer);
      await looking;
      const idle = [...held.keys()].filter((check) => !begun.has(check));
      for (const check of idle) clearTimeout(held.get(check));
      await release(deps, idle);
      const grace = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all(begun.values());
      clearTimeout(grace);
    },
  };
}

/** Returns the pages that hold as many checks as one page may. */
function fullPages(held: Iterable<ClaimedCheck>): PageId[] {
  const counts = new Map<PageId, number>();
  for (const { pageId } of held) counts.set(pageId, (counts.get(pageId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= heldPerPageMax).map(([pageId]) => pageId);
}

async function makeCheck(deps: Deps, check: ClaimedCheck, signal: AbortSignal): Promise<void> {
  const { clock, log, metrics } = deps;
  const at = clock.now();
  // The check waited so long that another instance may claim it before this one is done.
  if (at + check.timeoutMs > check.claimedUntil.getTime()) return;
  metrics?.began(Math.max(0, at - check.dueAt.getTime()) / 1000);
  try {
    const outcome = await deps.run(check, signal);
    metrics?.ended(outcome.error ?? 'ok');
    deps.record(finishCheck(check, at, outcome));
  } catch (err) {
    if (signal.aborted) return await release(deps, [check]);
    const problem = toProblem(err);
    metrics?.ended(problem.unobserved === 'internal' ? 'none' : problem.unobserved);
    logProblem(log, check, problem);
    deps.record({ check, at, problem });
  }
}

function toProblem(error: unknown): ProbeError {
  if (error instanceof ProbeError) return error;
  return new ProbeError('internal', 'The check ended unexpectedly; the log has the reason.', {
    cause: error,
  });
}

/** Logs once for each monitor that cannot be checked any more: a cause on our side concerns all of them. */
function logProblem(
  log: Log,
  { monitorId, pageId, unobservedSince }: ClaimedCheck,
  problem: ProbeError,
): void {
  if (problem.unobserved === 'waiting' || unobservedSince !== null) return;
  const fields = { monitorId, pageId, cause: problem.unobserved, error: problem.message };
  log.error(
    problem.cause === undefined ? fields : { ...fields, err: problem.cause },
    'A monitor cannot be checked; the time counts as not observed.',
  );
}

async function release({ sql, log }: Deps, checks: readonly ClaimedCheck[]): Promise<void> {
  await withQueryTimeout(releaseChecks(sql, checks), queryTimeoutMs).catch((error: unknown) => {
    log.warn({ error: String(error) }, 'Claims could not be given back; they lapse.');
  });
}
