import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import type { PoolReportMetrics, Waiting } from './accept.js';
import type { PoolDelivery } from './deliver.js';
import { BlockSealed, type Decision, isNew, recordReports } from './record-reports.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  metrics: PoolReportMetrics;
  delivery: PoolDelivery;
};

/** Of a transaction; the driver has no timeout of its own for a server that is silent. */
const recordMsMax = 5_000;

/** Writes reports down in PostgreSQL, and tells each who waits what became of his. Does not reject. */
export async function commitReports(deps: Deps, waiting: readonly Waiting[]): Promise<void> {
  try {
    const decisions = await record(deps, waiting);
    for (const [i, decision] of decisions.entries()) settle(deps, waiting[i], decision);
  } catch (error) {
    fail(deps, waiting, error);
  }
}

async function record(deps: Deps, waiting: readonly Waiting[]): Promise<Decision[]> {
  const { sql, clock, delivery } = deps;
  const reports = waiting.map(({ incoming }) => incoming);
  for (;;) {
    const block = delivery.openBlock();
    try {
      const recording = { block: { ...block }, reports, now: clock.now() };
      const decisions = await withQueryTimeout(recordReports(sql, recording), recordMsMax);
      const fresh = reports.filter((_, i) => isNew(decisions[i]?.verdict));
      const rows = fresh.reduce((sum, { pools }) => sum + 1 + pools.length, 0);
      if (rows > 0) delivery.noteWritten(block, rows);
      return decisions;
    } catch (error) {
      delivery.leave(block);
      // The block that is opened now is new, so this happens once.
      if (!(error instanceof BlockSealed)) throw error;
    }
  }
}

function settle({ metrics }: Deps, waiter: Waiting | undefined, { usage, verdict }: Decision): void {
  if (waiter === undefined) throw new Error('More reports were decided than came.');
  if (verdict?.is === 'refused') {
    metrics.decided('refused');
    waiter.outcome.reject(verdict.error);
    return;
  }
  const duplicate = verdict?.duplicate;
  metrics.decided(duplicate === undefined ? 'refused' : duplicate ? 'duplicate' : 'stored');
  waiter.outcome.resolve({ usage, duplicate });
}

function fail({ log, metrics }: Deps, waiting: readonly Waiting[], error: unknown): void {
  log.warn({ error: String(error), reports: waiting.length }, 'Pool reports were not acknowledged.');
  for (const { outcome } of waiting) {
    metrics.decided('failed');
    outcome.reject(new ServiceError('storeUnavailable', { retryAfterSeconds: 5 }));
  }
}
