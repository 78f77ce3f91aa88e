import Type from 'typebox';
import { MonitorsOverview, overviewLimits } from '../../../../contract/manage/overview.js';
import { listMonitors } from '../../../../control/monitors/index.js';
import type { PageId } from '../../../../lib/ids.js';
import { createLimiter } from '../../../../lib/limiter.js';
import { ServiceError } from '../../../../lib/service-error.js';
import { noHours, readLastHours, runningHour } from '../../../../rollups/series/read-last-hours.js';
import { hangUpSignal } from '../../../hang-up.js';
import { answerResource } from '../../../manage/answers.js';
import { manageRoute } from '../../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from '../deps.js';

/** Reads that run at once and wait, of one page. */
const readBounds = { max: 8, maxPerKey: 2, waitingMaxPerKey: 30 };

/** How the monitors of a page do, all in one answer. */
export function monitorsOverviewRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const turns = createLimiter<PageId>(readBounds);
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/overview/monitors',
      operationId: 'getMonitorsOverview',
      summary: 'How the monitors of a page do, and have done in the last day',
      permission: 'telemetry.read',
      answers: { 200: MonitorsOverview, 304: Type.Null() },
      errors: ['sqlTooExpensive', 'rateLimited'],
      async manage({ ctx, page }) {
        const release = await turns.take(page.id, hangUpSignal(ctx.res));
        if (release === undefined) {
          const message = `${readBounds.maxPerKey} such reads of this page run and ${readBounds.waitingMaxPerKey} wait; retry later.`;
          throw new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
        }
        try {
          answerResource(ctx, { body: await loadMonitorsOverview(deps, page.id) });
        } finally {
          release();
        }
      },
    }),
  ];
}

async function loadMonitorsOverview(deps: ManageRoutesDeps, pageId: PageId): Promise<MonitorsOverview> {
  const [monitors, hours] = await Promise.all([
    listMonitors(deps, pageId),
    readLastHours(deps, pageId, overviewLimits.hours),
  ]);
  const unfinishedFrom = runningHour(deps.clock.now());
  const iso = (time: Date | null) => time?.toISOString() ?? null;
  return {
    unfinishedFrom,
    monitors: monitors.map((monitor) => {
      const { id, slug, name, kind, state, pausedAt, lastError } = monitor;
      const { uptime, averageMs, bars, responses } = hours.get(id) ?? noHours(overviewLimits.hours);
      return {
        ...{ slug, name, type: kind, url: 'url' in monitor ? monitor.url : null, state, lastError },
        ...{ stateSince: iso(monitor.stateSince), degradedSince: iso(monitor.degradedSince) },
        paused: pausedAt !== null,
        ...{ lastCheckedAt: iso(monitor.lastCheckedAt), lastPingAt: iso(monitor.lastPingAt) },
        ...{ uptime24h: uptime, responseMs: averageMs, bars, responses },
      };
    }),
  };
}
