import { pageFunctionNames } from '../../../analytics/sql/page-functions.js';
import { allowedFunctions } from '../../../analytics/sql/sql-functions.js';
import { SqlEstimate } from '../../../contract/analytics/sql.js';
import { EstimateSql, RunSql, SqlSchema } from '../../../contract/manage/analytics.js';
import type { Capability } from '../../../contract/scopes.js';
import { formerColumn } from '../../../contract/sql-columns.js';
import { documentedTables, sqlTables } from '../../../contract/sql-documented.js';
import { findPage } from '../../../control/pages/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { capabilityUnavailable } from '../../authenticate.js';
import type { ManagedPage } from '../../manage/caller.js';
import { type ManageRoute, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { analyticsPath, type PageRead } from '../../page-read.js';
import { answerSql, estimate, sqlDescription } from '../sql.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

const permission = 'telemetry.read';
const capability = 'internal-analytics';

/** The figures of a page: what a read key reads, for those who run the page. */
export function manageAnalyticsRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    ...deps.pageReads.map((read) => withPage(deps, read)),
    manageBodyRoute({
      ...sqlDescription,
      path: '/api/v1/pages/:page/analytics/sql',
      operationId: 'runPageSql',
      permission,
      body: { ...sqlDescription.body, schema: RunSql },
      errors: [...sqlDescription.errors, 'capabilityUnavailable', 'storeUnavailable'],
      async manage({ ctx, page, body }) {
        await refuseUnavailable(deps, page, { capability });
        await answerSql(deps, ctx, page.id, body);
      },
    }),
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/analytics/sql/estimate',
      operationId: 'estimatePageSql',
      summary: 'Estimate how many rows and bytes a SELECT reads',
      permission,
      body: { ...sqlDescription.body, schema: EstimateSql },
      boundsItself: true,
      answers: { 200: SqlEstimate },
      errors: [
        ...['invalidBody', 'invalidParameter', 'invalidSql', 'ownEventStore', 'sqlTooExpensive'],
        ...['rateLimited', 'capabilityUnavailable', 'storeUnavailable'],
      ] as const,
      async manage({ ctx, page, body }) {
        await refuseUnavailable(deps, page, { capability });
        ctx.body = await estimate(deps, ctx, page.id, body);
      },
    }),
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/analytics/sql/schema',
      operationId: 'getSqlSchema',
      summary: 'What SQL may read and call: tables, their columns, and functions',
      permission,
      answers: { 200: SqlSchema },
      errors: ['capabilityUnavailable'],
      async manage({ ctx, page }) {
        await refuseUnavailable(deps, page, { capability });
        ctx.body = {
          tables: sqlTables.map((name) => ({
            ...{ name, comment: documentedTables[name].comment },
            columns: documentedTables[name].columns.filter((column) => column.name !== formerColumn),
          })),
          functions: [...allowedFunctions, ...pageFunctionNames].sort(),
        };
      },
    }),
  ];
}

/** The route of a read for callers of the management API. */
function withPage(deps: ManageRoutesDeps, one: PageRead): ManageRoute {
  const { capability, feature, read, path, operationId, ...described } = one;
  return {
    ...described,
    path: `/api/v1/pages/:page/analytics${path.slice(analyticsPath.length)}` as `/${string}`,
    operationId: operationId.replace(/^get/, 'getPage'),
    permission,
    errors: [
      ...described.errors,
      'capabilityUnavailable',
      ...(feature === undefined ? [] : (['databaseHealthOff'] as const)),
    ],
    async manage({ ctx, page }) {
      await refuseUnavailable(deps, page, { capability, feature });
      await read(ctx, page.id);
    },
  };
}

/** @throws ServiceError `capabilityUnavailable`, `databaseHealthOff`; `notFound` when the page is gone by now */
async function refuseUnavailable(
  deps: ManageRoutesDeps,
  { id, slug }: ManagedPage,
  { capability, feature }: { capability: Capability; feature?: PageRead['feature'] | undefined },
): Promise<void> {
  const page = await findPage(deps, { id });
  if (page === undefined) throw new ServiceError('notFound');
  if (!page.capabilities.includes(capability)) throw capabilityUnavailable(slug, capability);
  if (feature !== undefined && !page.databaseHealthEnabled) throw new ServiceError('databaseHealthOff');
}
