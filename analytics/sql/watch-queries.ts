import { ClickHouseError } from '@clickhouse/client';
import { sqlLimits } from '../../contract/sql-tables.js';
import type { Log } from '../../lib/log.js';
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import { killQuery, loadOverdueQueries, type QueryServer } from './running-queries.js';

export type WatchOptions = QueryServer & {
  log: Log;
  /** Restarts the server, and returns whether it does. Absent when the server is the operator's. */
  restart?: ((reason: string) => Promise<boolean>) | undefined;
  /** Called after a restart. */
  restarted(): void;
};

const pollMs = 10_000;
/** A query may ignore its end for this long. */
const survivalSeconds = 60;

/**
 * Ends queries of pages that run past their limit, whichever process started them. ClickHouse cannot stop inside a call,
 * so a query that survives for a minute has the server restarted; on a server of the operator, the log says so.
 */
export function watchQueries({ log, restart, restarted, ...server }: WatchOptions): PollLoop {
  let reported: ReadonlySet<string> = new Set();

  async function run(): Promise<boolean> {
    const overdue = await loadOverdueQueries(server).catch((error: unknown) => {
      // Other parts report a server that does not answer, and it has no queries then.
      if (error instanceof ClickHouseError) throw error;
      return [];
    });
    for (const { queryId } of overdue) await killQuery(server, queryId);
    const surviving = overdue.filter(({ seconds }) => seconds > sqlLimits.timeSeconds + survivalSeconds);
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
    return false;
  }

  return startPollLoop('sql-queries', run, { log, pollMs });
}
