import { loadVersions, parseVersionsQuery } from '../../analytics/versions/load-versions.js';
import { VersionsAnswer, VersionsParameters } from '../../contract/analytics/versions.js';
import { limits } from '../../contract/limits.js';
import { listDeployments } from '../../control/deployments/index.js';
import type { PageRead } from '../page-read.js';
import { type AnalyticsDeps, described, showAll } from './analytics.js';

/** The versions of a service, and the newest one beside the one before it. */
export function versionReads(deps: AnalyticsDeps): PageRead[] {
  return [
    {
      ...described,
      path: '/api/v1/analytics/versions',
      operationId: 'getVersions',
      summary: 'The versions of a service, and the newest one beside the one before it',
      query: VersionsParameters,
      answers: { 200: VersionsAnswer },
      async read(ctx, pageId) {
        const query = parseVersionsQuery(ctx.query);
        await showAll(deps, ctx, pageId);
        const reader = { clickhouse: deps.pageStores.clickhouseOf(pageId) };
        const { service, environment } = query;
        const filter = { pageId, service, environment };
        const deployed = await listDeployments(deps, filter, { limit: limits.versionsPerService + 1 });
        ctx.body = await loadVersions(reader, pageId, query, { deployed, now: deps.clock.now() });
      },
    },
  ];
}
