import type { ClickHouseClient } from '@clickhouse/client';
import {
  type DatabaseHealthAnswer,
  databaseHealthLimits,
  type ExporterLoss,
} from '../contract/database-health.js';
import { limits } from '../contract/limits.js';
import type { PageId } from '../lib/ids.js';
import { keptAt } from '../lib/kept.js';
import { loadRows } from '../sql/load-rows.js';
import { conditionOf, type DatabaseHealthQuery } from './query.js';

/** A report that says what was lost before a range is searched this long before it. */
const lookBackSeconds = 3_600;

/**
 * Loads what exporters lost within a range, by service and environment. Their counters run over the life of a process,
 * so the loss of a session is its last value in the range less its last value before the range. Where that one is
 * unknown, 0 is subtracted for a session that began in the range, and the first value in the range for an older
 * session, because nobody can say when it lost what. The figures of a range that begins before what is kept are null.
 */
export async function loadExporterLoss(
  { clickhouse }: { clickhouse: ClickHouseClient },
  pageId: PageId,
  { from, to, filters, now }: DatabaseHealthQuery,
): Promise<DatabaseHealthAnswer['exporters']> {
  const { where, parameters } = conditionOf(pageId, filters, ['service', 'environment']);
  const start = "toDateTime({from:UInt32}, 'UTC')";
  const lossOf = (counter: string): string =>
    `maxIf(e.${counter}, minute >= ${start}) AS ${counter}_last,
     multiIf(
       countIf(minute < ${start}) > 0, maxIf(e.${counter}, minute < ${start}),
       min(started_at) >= ${start}, 0,
       minIf(${counter}_least, minute >= ${start})) AS ${counter}_before,
     greatest(${counter}_last, ${counter}_before) - ${counter}_before AS ${counter}_lost`;
  const rows = await loadRows<ExporterLoss>(
    clickhouse,
    `SELECT service, environment, count() AS processes, sum(dropped_lost) AS dropped, sum(failures_lost) AS failures
     FROM
     (
       SELECT service, environment, session, ${lossOf('dropped')}, ${lossOf('failures')}
       FROM pool_exporters_minute AS e
       WHERE ${where} AND minute >= ${start} - {lookBack:UInt32} AND minute < toDateTime({to:UInt32}, 'UTC')
       GROUP BY service, environment, session
       HAVING countIf(minute >= ${start}) > 0
     )
     GROUP BY service, environment
     ORDER BY dropped DESC, failures DESC, service, environment LIMIT {limit:UInt32}`,
    {
      ...parameters,
      from: from / 1000,
      to: to / 1000,
      lookBack: Math.min(lookBackSeconds, from / 1000),
      limit: databaseHealthLimits.exporters + 1,
    },
  );
  const services = rows.slice(0, databaseHealthLimits.exporters);
  const isKept = from >= keptAt(now, limits.eventRetentionDays).from;
  const unknown = { processes: null, dropped: null, failures: null };
  return {
    services: isKept ? services : services.map((service) => ({ ...service, ...unknown })),
    truncated: rows.length > services.length,
  };
}
