import { readSummary, type SummaryDeps } from '../analytics/summary.js';
import type { IncidentId, PageId } from '../contract/ids.js';
import type { PublicView } from '../contract/status-page.js';
import { summaryLimits } from '../contract/summary.js';
import { findPage } from '../control/find-page.js';
import type { Page } from '../control/page.js';
import { brandOf } from '../control/page-looks.js';
import { readIncidentMonth } from '../control/read-incident-month.js';
import { readLedgerEntry } from '../control/read-ledger.js';
import { readRecentIncidents } from '../control/read-recent-incidents.js';
import { readServiceNames } from '../control/read-service-names.js';
import { accentStyle } from '../web/accent.js';
import { renderHistoryPage } from '../web/history-page.js';
import { renderIncidentPage } from '../web/incident-page.js';
import { renderNotFoundPage } from '../web/not-found-page.js';
import type { PageAssets } from '../web/page-assets.js';
import { renderStatusPage } from '../web/status-page.js';
import { renderSubscribePage } from '../web/subscribe-page.js';
import { pageHeaders } from './page-headers.js';
import type { Variant } from './public-cache.js';
import type { Rendering } from './representation.js';

export type PageViewDeps = SummaryDeps & { assets: PageAssets };

/** What is shown of a page, in one of its languages. */
export type PageViews = {
  status(language: string): Variant;
  /** `month` is `YYYY-MM`; there is none of a month before the page's first or after this one. */
  history(language: string, month: string): Variant;
  incident(language: string, id: IncidentId): Variant;
  /** A page of its own with the form to sign up. */
  subscribe(language: string): Variant;
  notFound(language: string): Variant;
};

/**
 * Browsers ask each time, with the entity tag of what they have. Shared caches answer for half a minute, which is as
 * long as the service itself holds a page, then for as long again while they ask, and for ten minutes while the service
 * cannot be reached: that is when a status page is read most.
 */
const cacheControl = `public, max-age=0, s-maxage=${summaryLimits.freshSeconds}, stale-while-revalidate=${summaryLimits.freshSeconds}, stale-if-error=${summaryLimits.staleSeconds}`;
const kind = { contentType: 'text/html; charset=utf-8', cacheControl, headers: [] };

/** The views of pages as the cache holds them: each is read from the stores and drawn when it is asked for. */
export function createPageViews(deps: PageViewDeps): PageViews {
  const { assets } = deps;
  type Draw = (view: PublicView, page: Page) => Promise<string | undefined>;
  const variant = (name: string, language: string, draw: Draw): Variant => ({
    ...kind,
    name: `${name} ${language}`,
    render: (pageId) => drawView(deps, pageId, language, draw),
  });
  return {
    status: (language) =>
      variant('page', language, async (view, { id, historyDays }) => {
        const [summary, incidents] = await Promise.all([
          readSummary(deps, id, 'response-time,coverage'),
          readRecentIncidents(deps, id),
        ]);
        return summary && renderStatusPage({ ...view, historyDays, summary, incidents }, assets);
      }),
    history: (language, month) =>
      variant(`history ${month}`, language, async (view, { id }) => {
        const [read, serviceNames] = await Promise.all([
          readIncidentMonth(deps, id, month),
          readServiceNames(deps, id, language),
        ]);
        return read && renderHistoryPage({ ...view, ...read, month, serviceNames }, assets);
      }),
    incident: (language, incidentId) =>
      variant(`incident ${incidentId}`, language, async (view, { id }) => {
        const [incident, serviceNames] = await Promise.all([
          readLedgerEntry(deps.sql, id, incidentId, view.now),
          readServiceNames(deps, id, language),
        ]);
        return incident && renderIncidentPage({ ...view, incident, serviceNames }, assets);
      }),
    subscribe: (language) =>
      variant('subscribe', language, async (view) => renderSubscribePage(view, { form: 'ask' }, assets)),
    notFound: (language) => ({
      ...variant('not found', language, async (view) => renderNotFoundPage(view, assets)),
      status: 404,
    }),
  };
}

async function drawView(
  deps: PageViewDeps,
  pageId: PageId,
  language: string,
  draw: (view: PublicView, page: Page) => Promise<string | undefined>,
): Promise<Rendering | undefined> {
  const page = await findPage(deps, { id: pageId });
  if (page === undefined) return undefined;
  const brand = brandOf(page, deps.originOf(page.hostname));
  const text = await draw({ brand, language, now: deps.clock.now() }, page);
  return text && { text, headers: pageHeaders(language, accentStyle(brand.accent)) };
}
