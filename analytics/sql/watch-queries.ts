import { ClickHouseError } from '@clickhouse/client';
import { sqlLimits } from '../../contract/sql-tables.js';
import { createSeldomLog, type Log } from '../../lib/log.js';
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import { minuteMs } from '../../lib/times.js';
import type { PageTurns } from './page-turns.js';
import { killQuery, loadOverdueQueries, type OverdueQuery, type QueryServer } from './running-queries.js';

export type WatchOptions = QueryServer & {
  log: Log;
  /** Restarts the server, and returns whether it does. Absent when the server is the operator's. */
  restart?: ((reason: string) => Promise<boolean>) | undefined;
  /** Called after a restart. */
  restarted(): void;
  /** Refuses the SQL of a page in this process from now on, for a while. */
  block: PageTurns['block'];
};

const pollMs = 10_000;
/** A query may ignore its end for this long before the server is restarted. */
const survivalSeconds = 60;
/**
 * Its page is blocked earlier: the restart ends the query, and one process asks for it. Each other process has a poll
 * or more in the 20 seconds before, and so knows the page by then.
 */
const blockSeconds = 40;
/** A server that is starved does not answer; the next poll asks again. */
const killTimeoutMs = 5_000;
const killLogMs = 10 * minuteMs;

/**
 * Ends queries of pages that run past their limit, whichever process started them. ClickHouse cannot stop inside a call,
 * so a query that survives for a minute has the server restarted; on a server of the operator, the log says so. The page
 * of such a query is blocked, or it would start the same query again at once, and cause one restart after the other.
 */
export function watchQueries({ log, restart, restarted, block, ...server }: WatchOptions): PollLoop {
  const seldom = createSeldomLog(log, killLogMs);
  /** Ids of queries that an earlier poll asked the server to end. */
  let killed: ReadonlySet<string> = new Set();
  let reported: ReadonlySet<string> = new Set();

  async function run(): Promise<boolean> {
    const overdue = await loadOverdueQueries(server).catch((error: unknown) => {
      // Other parts report a server that does not answer, and it has no queries then.
      if (error instanceof ClickHouseError) throw error;
      return undefined;
    });
    if (overdue === undefined) return false;
    // A query that slept with its machine is old at its first poll, and then ends when it is killed.
    const survivors = overdue.filter(({ queryId }) => killed.has(queryId));
    const survivingFor = (seconds: number): OverdueQuery[] =>
      survivors.filter((query) => query.seconds > sqlLimits.timeSeconds + seconds);
    for (const { pageId } of survivingFor(blockSeconds)) if (pageId !== undefined) block(pageId);
    await Promise.all(overdue.map(kill));
    killed = new Set(overdue.map(({ queryId }) => queryId));
    await endSurvivors(survivingFor(survivalSeconds));
    return false;
  }

  async function kill({ queryId }: OverdueQuery): Promise<void> {
    try {
      await killQuery(server, queryId, AbortSignal.timeout(killTimeoutMs));
    } catch (err) {
      seldom.note({ queryId, err }, 'A query of a page that runs too long could not be killed.');
    }
  }

  async function endSurvivors(surviving: readonly OverdueQuery[]): Promise<void> {
    for (const { queryId, seconds } of surviving) {
      if (restart !== undefined) {
        const reason = `The query ${queryId} of a page has run for ${Math.round(seconds)} s and cannot be killed.`;
        if (await restart(reason)) restarted();
        break;
      }
      if (reported.has(queryId)) continue;
      log.error({ queryId, seconds }, 'A query of a page cannot be killed; restart the ClickHouse server.');
    }
    reported = new Set(surviving.map(({ queryId }) => queryId));
  }

  return startPollLoop('sql-queries', run, { log, pollMs });
}
