import Type from 'typebox';
import { stepParameter } from '../../../../contract/analytics.js';
import { MonitorSeries, monitorSeriesLimits, StoredCheck } from '../../../../contract/manage/monitors.js';
import { loadMonitor } from '../../../../control/monitors/index.js';
import type { PageId } from '../../../../lib/ids.js';
import { createLimiter } from '../../../../lib/limiter.js';
import { parseRange } from '../../../../lib/query-parameters.js';
import { ServiceError } from '../../../../lib/service-error.js';
import { parseSeriesQuery } from '../../../../rollups/series/parse-series.js';
import { readChecks } from '../../../../rollups/series/read-checks.js';
import { readSeries } from '../../../../rollups/series/read-series.js';
import { hangUpSignal } from '../../../hang-up.js';
import { createPaging, listOf, listParameters } from '../../../manage/lists.js';
import { type ManageCall, manageRoute } from '../../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from '../deps.js';

/** Reads that run at once and wait, of one page. */
const readBounds = { max: 16, maxPerKey: 4, waitingMaxPerKey: 40 };

const range = {
  from: Type.Optional(Type.String({ description: 'Start: a time with a zone, a date, or such as now-7d.' })),
  to: Type.Optional(Type.String({ description: 'End, exclusive, in the same forms; now when absent.' })),
};
const figures = {
  method: 'GET',
  permission: 'telemetry.read',
  errors: ['invalidParameter', 'notFound', 'sqlTooExpensive', 'rateLimited'],
} as const;

/** What the checks of a monitor have shown. */
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
      query: Type.Object({ ...range, ...listParameters }),
      answers: { 200: listOf(StoredCheck) },
      async manage({ ctx, page, params, query }) {
        const { from: fromText, to: toText } = query;
        const given = { from: fromText ?? `now-${monitorSeriesLimits.days}d`, ...(toText && { to: toText }) };
        const { from, to } = parseRange(given, deps.clock.now());
        const { id } = await loadMonitor(deps, { pageId: page.id, slug: params['slug'] ?? '' });
        const paging = createPaging(deps.secretKey, `checks ${page.id} ${id} ${fromText} ${toText}`);
        const { limit, after } = paging.parse(query);
        const part = { pageId: page.id, monitorId: id, from, to: Math.min(to, Number(after?.[0] ?? to)) };
        const rows = await inTurn({ ctx, page }, () => readChecks(deps, { ...part, limit: limit + 1 }));
        const positionOf = ({ at }: StoredCheck) => [Date.parse(at)];
        paging.answer(ctx, { rows, limit, toItem: (check) => check, positionOf });
      },
    }),
    manageRoute({
      ...figures,
      path: '/api/v1/pages/:page/monitors/:slug/series',
      operationId: 'getMonitorSeries',
      summary: 'Uptime and response times of a monitor over time',
      description:
        'Uptime and response times of a monitor over time. A range without `from` is an hour long. Steps of whole hours or days, such as those that are chosen for longer ranges, are a minute behind',
      query: Type.Object({ ...range, step: stepParameter }),
      answers: { 200: MonitorSeries },
      async manage({ ctx, page, params, query }) {
        const series = parseSeriesQuery(query, deps.clock.now());
        const { id } = await loadMonitor(deps, { pageId: page.id, slug: params['slug'] ?? '' });
        ctx.set('cache-control', 'no-store');
        ctx.body = await inTurn({ ctx, page }, () =>
          readSeries(deps, { pageId: page.id, monitorId: id }, series),
        );
      },
    }),
  ];
}
