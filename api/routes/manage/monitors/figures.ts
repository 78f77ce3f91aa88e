import {
  MonitorPhases,
  MonitorSeries,
  monitorSeriesLimits,
  StoredCheck,
} from '../../../../contract/manage/monitor-checks.js';
import type { PageId } from '../../../../lib/ids.js';
import { createLimiter } from '../../../../lib/limiter.js';
import { ServiceError } from '../../../../lib/service-error.js';
import { hangUpSignal } from '../../../hang-up.js';
import { listOf } from '../../../manage/lists.js';
import { type ManageCall, manageRoute } from '../../../manage/manage-route.js';
import { answerChecks, checksQuery, loadPhases, loadSeries, seriesQuery } from '../../monitor-reads.js';
import type { ManageRouteList, ManageRoutesDeps } from '../deps.js';

/** Reads that run at once and wait, of one page. */
const readBounds = { max: 16, maxPerKey: 4, waitingMaxPerKey: 40 };

const figures = {
  method: 'GET',
  permission: 'telemetry.read',
  errors: ['invalidParameter', 'notFound', 'sqlTooExpensive', 'rateLimited'],
} as const;

/** The results of the checks of a monitor. */
export function monitorFiguresRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const turns = createLimiter<PageId>(readBounds);

  async function inTurn<T>(
    { ctx, page }: Pick<ManageCall, 'ctx' | 'page'>,
    read: () => Promise<T>,
  ): Promise<T> {
    const release = await turns.take(page.id, hangUpSignal(ctx.res));
    if (release === undefined) {
      const message = `${readBounds.maxPerKey} reads of this page run and ${readBounds.waitingMaxPerKey} wait; retry later.`;
      throw new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
    }
    return read().finally(release);
  }

  return [
    manageRoute({
      ...figures,
      path: '/api/v1/pages/:page/monitors/:slug/checks',
      operationId: 'listChecks',
      summary: 'The checks of a monitor, newest first',
      query: checksQuery,
      answers: { 200: listOf(StoredCheck) },
      async manage({ ctx, page, params, query }) {
        const monitor = { pageId: page.id, slug: params['slug'] ?? '' };
        await inTurn({ ctx, page }, () => answerChecks(deps, ctx, monitor, query));
      },
    }),
    manageRoute({
      ...figures,
      path: '/api/v1/pages/:page/monitors/:slug/series',
      operationId: 'getMonitorSeries',
      summary: 'Uptime and response times of a monitor over time',
      description:
        'Uptime and response times of a monitor over time. A range without `from` is an hour long. Steps of whole hours or days, such as those that are chosen for longer ranges, are a minute behind',
      query: seriesQuery,
      answers: { 200: MonitorSeries },
      async manage({ ctx, page, params, query }) {
        const monitor = { pageId: page.id, slug: params['slug'] ?? '' };
        ctx.set('cache-control', 'no-store');
        ctx.body = await inTurn({ ctx, page }, () => loadSeries(deps, monitor, query));
      },
    }),
    manageRoute({
      ...figures,
      path: '/api/v1/pages/:page/monitors/:slug/phases',
      operationId: 'getMonitorPhases',
      summary: 'What the response times of a monitor are made of, over time',
      description: `What the response times of a monitor are made of, over time. A range without \`from\` is an hour long, and none is longer than ${monitorSeriesLimits.checksDays} days`,
      query: seriesQuery,
      answers: { 200: MonitorPhases },
      async manage({ ctx, page, params, query }) {
        const monitor = { pageId: page.id, slug: params['slug'] ?? '' };
        ctx.set('cache-control', 'no-store');
        ctx.body = await inTurn({ ctx, page }, () => loadPhases(deps, monitor, query));
      },
    }),
  ];
}
