import {
  loadVersions,
  parseVersionsQuery,
  type VersionsQuery,
} from '../../analytics/versions/load-versions.js';
import { VersionsAnswer, VersionsParameters } from '../../contract/analytics/versions.js';
import { limits } from '../../contract/limits.js';
import { listDeployments } from '../../control/deployments/index.js';
import type { PageId } from '../../lib/ids.js';
import type { PageRead } from '../page-read.js';
import { type AnalyticsDeps, described, showAll } from './analytics.js';

/** The versions of a service, and the newest one beside the one before it. */
export function versionReads(deps: AnalyticsDeps): PageRead[] {
  return [
    {
      ...described,
      asksPostgres: true,
      path: '/api/v1/analytics/versions',
      operationId: 'getVersions',
      summary: 'The versions of a service, and the newest one beside the one before it',
      query: VersionsParameters,
      answers: { 200: VersionsAnswer },
      async read(ctx, pageId) {
        const query = parseVersionsQuery(ctx.query);
        await showAll(deps, ctx, pageId);
        const { environment, service = await findNewestService(deps, pageId, query) } = query;
        if (service === undefined) {
          ctx.body = { ...nothing, environment: environment || null };
          return;
        }
        const reader = { clickhouse: deps.pageStores.clickhouseOf(pageId) };
        const filter = { pageId, service, environment };
        const deployed = await listDeployments(deps, filter, { limit: limits.versionsPerService + 1 });
        const now = deps.clock.now();
        ctx.body = await loadVersions(reader, pageId, { ...query, service }, { deployed, now });
      },
    },
  ];
}

const nothing = { service: null, versions: [], unversioned: 0, comparison: null };

async function findNewestService(
  deps: AnalyticsDeps,
  pageId: PageId,
  { environment }: Pick<VersionsQuery, 'environment'>,
): Promise<string | undefined> {
  const [newest] = await listDeployments(deps, { pageId, environment }, { limit: 1 });
  return newest?.service;
}
