import {
  PoolReport,
  type PoolReportAcknowledgement,
  PoolReportAcknowledgement as PoolReportAnswer,
  poolReportLimits,
} from '../../contract/pool-reports.js';
import { parsePoolReport } from '../../database-health/pool-reports/parse-pool-report.js';
import type { PoolReports } from '../../database-health/pool-reports/pool-reports.js';
import type { Clock } from '../../lib/clock.js';
import { parseJson } from '../../lib/parse-body.js';
import { answerRate } from '../rate-limits.js';
import type { BodyRoute } from '../route.js';

/** A report is in PostgreSQL, with everything that ClickHouse gets from it, before the 201. */
export function poolReportRoutes(deps: { poolReports: PoolReports; clock: Clock }): BodyRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/database-health/reports',
      operationId: 'postPoolReport',
      summary: 'Report what a process measured of its connection pools in an interval',
      access: {
        scope: 'ingest',
        capability: 'database-health',
        keyError: 'invalidIngestKey',
        feature: 'database-health',
      },
      body: { schema: PoolReport, bytesMax: poolReportLimits.bodyBytes },
      answers: { 201: PoolReportAnswer },
      errors: ['methodNotAllowed', 'invalidBody', 'rateLimited', 'conflict', 'storeBusy', 'shuttingDown'],
      countsRequests: true,
      async handle(ctx, { pageId }, body) {
        // An invalid request costs the stores nothing, and does not count.
        const report = parsePoolReport(parseJson(body), deps.clock.now());
        const { usage, duplicate } = await deps.poolReports.accept(pageId, report);
        const requestsMax = poolReportLimits.requestsPerPageAndMinute;
        answerRate(ctx, { ...usage, requestsMax }, 'Too many pool reports of this page; wait and retry.');
        const answer: PoolReportAcknowledgement = {
          version: 1,
          accepted: true,
          duplicate: duplicate === true,
        };
        ctx.status = 201;
        ctx.body = answer;
      },
    },
  ];
}
