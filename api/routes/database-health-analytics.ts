import {
  AcquisitionsAnswer,
  AcquisitionsParameters,
  DatabaseHealthAnswer,
  DatabaseHealthParameters,
  type DatabaseSource,
} from '../../contract/database-health.js';
import { limits } from '../../contract/limits.js';
import { loadAcquisitions, parseAcquisitionsQuery } from '../../database-health/acquisitions.js';
import { loadCurrentPools } from '../../database-health/current-pools.js';
import { loadExporterLoss } from '../../database-health/exporters.js';
import { listObservations, type ObservedSource } from '../../database-health/observations/observations.js';
import type { PoolReports } from '../../database-health/pool-reports/pool-reports.js';
import { type PoolFilters, parseDatabaseHealthQuery } from '../../database-health/query.js';
import { loadPoolSeries } from '../../database-health/series.js';
import type { Clock } from '../../lib/clock.js';
import { keptAt, noteRange } from '../../lib/kept.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { PageRead } from '../page-read.js';

type Deps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  poolReports: Pick<PoolReports, 'delivered'>;
};

/** Four times what reports usually take to reach ClickHouse; the answer does not wait longer for an outage. */
const deliveredMsMax = 1_000;

const described = {
  method: 'GET',
  capability: 'database-health',
  feature: 'database-health',
  errors: ['invalidParameter', 'sqlTooExpensive'],
} as const;

/** Database servers and connection pools of a page. */
export function databaseHealthReads(deps: Deps): PageRead[] {
  return [
    healthRead(deps),
    {
      ...described,
      asksPostgres: true,
      path: '/api/v1/analytics/database-health/acquisitions',
      operationId: 'getAcquisitions',
      summary: 'How long callers waited for a connection, as a histogram over time',
      query: AcquisitionsParameters,
      answers: { 200: AcquisitionsAnswer },
      async read(ctx, pageId) {
        const query = parseAcquisitionsQuery(ctx.query, deps.clock.now());
        await deps.poolReports.delivered(deliveredMsMax);
        ctx.body = await loadAcquisitions(deps, pageId, query);
      },
    },
  ];
}

function healthRead(deps: Deps): PageRead {
  return {
    ...described,
    asksPostgres: true,
    path: '/api/v1/analytics/database-health',
    operationId: 'getDatabaseHealth',
    summary: 'Database servers and connection pools, now and over time',
    query: DatabaseHealthParameters,
    answers: { 200: DatabaseHealthAnswer },
    async read(ctx, pageId) {
      const query = parseDatabaseHealthQuery(ctx.query, deps.clock.now());
      const { from, to, stepSeconds, groupBy, filters } = query;
      // A client that asks after this process acknowledged a report finds the report.
      await deps.poolReports.delivered(deliveredMsMax);
      const [sources, current, { series, truncated }, exporters] = await Promise.all([
        listObservations(deps, { pageId }),
        loadCurrentPools(deps, pageId, filters),
        loadPoolSeries(deps, pageId, query),
        loadExporterLoss(deps, pageId, query),
      ]);
      const answer: DatabaseHealthAnswer = {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        step: stepSeconds,
        ...noteRange(query, keptAt(query.now, limits.eventRetentionDays)),
        groupBy,
        sources: sources.filter((source) => isAsked(source, filters)).map(toSource),
        current,
        series,
        truncated,
        exporters,
      };
      ctx.body = answer;
    },
  };
}

/** A server has no service and no pool, so filters by those do not apply. */
function isAsked(source: ObservedSource, { system, environment, target }: PoolFilters): boolean {
  return (
    source.engine === (system ?? source.engine) &&
    source.environment === (environment ?? source.environment) &&
    source.target === (target ?? source.target)
  );
}

function toSource({ observedAt, ...source }: ObservedSource): DatabaseSource {
  return { ...source, observedAt: observedAt.toISOString() };
}
