import { LRUCache } from 'lru-cache';
import { readSummary, type SummaryDeps } from '../../analytics/summary/summary.js';
import type { PublicView } from '../../contract/status-page.js';
import { summaryLimits } from '../../contract/summary.js';
import { loadIncidentMonth, loadLedgerEntry, loadRecentIncidents } from '../../control/incidents/index.js';
import { readServiceNames } from '../../control/monitors/load-service-names.js';
import { findPage } from '../../control/pages/find-page.js';
import type { Page } from '../../control/pages/page.js';
import { brandOf } from '../../control/pages/page-looks.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { accentStyle } from '../../web/views/accent.js';
import { renderHistoryView } from '../../web/views/history-view.js';
import { renderIncidentView } from '../../web/views/incident-view.js';
import { renderNotFoundView } from '../../web/views/not-found-view.js';
import { renderStatusView } from '../../web/views/status-view.js';
import { renderSubscribeView } from '../../web/views/subscribe-view.js';
import type { ViewAssets } from '../../web/views/view-context.js';
import { pageHeaders } from './page-headers.js';
import type { Variant } from './public-cache.js';
import type { Rendering } from './representation.js';

export type PageViewDeps = SummaryDeps & { assets: ViewAssets };

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
/** One for each language that some page is in. */
const statusVariantsMax = 500;
const kind = { contentType: 'text/html; charset=utf-8', cacheControl, headers: [] };

/** Draws a view of a page; undefined where the page does not have it. */
type Draw = (view: PublicView, page: Page) => Promise<string | undefined>;

/** The views of pages as the cache holds them: each is read from the stores and drawn when it is asked for. */
export function createPageViews(deps: PageViewDeps): PageViews {
  const { assets } = deps;
  const variant = (name: string, language: string, draw: Draw): Variant => ({
    ...kind,
    name: `${name} ${language}`,
    render: (pageId) => drawView(deps, pageId, language, draw),
  });
  // Kept, because it is what is asked for nearly always.
  const statusVariants = new LRUCache<string, Variant>({ max: statusVariantsMax });
  return {
    status(language) {
      const known = statusVariants.get(language) ?? variant('page', language, drawStatus(deps));
      statusVariants.set(language, known);
      return known;
    },
    history: (language, month) => variant(`history ${month}`, language, drawMonth(deps, month)),
    incident: (language, id) => variant(`incident ${id}`, language, drawIncident(deps, id)),
    subscribe: (language) =>
      variant('subscribe', language, async (view) => renderSubscribeView(view, { form: 'ask' }, assets)),
    notFound: (language) => ({
      ...variant('not found', language, async (view) => renderNotFoundView(view, assets)),
      status: 404,
    }),
  };
}

async function drawView(
  deps: PageViewDeps,
  pageId: PageId,
  language: string,
  draw: Draw,
): Promise<Rendering | undefined> {
  const page = await findPage(deps, { id: pageId });
  if (page === undefined) return undefined;
  const brand = brandOf(page, deps.originOf(page.hostname));
  const text = await draw({ brand, language, now: deps.clock.now() }, page);
  return text && { text, headers: pageHeaders(language, accentStyle(brand.accent)) };
}

function drawStatus(deps: PageViewDeps): Draw {
  return async (view, { id, historyDays }) => {
    const [summary, incidents] = await Promise.all([
      readSummary(deps, id, 'response-time,coverage'),
      loadRecentIncidents(deps, id),
    ]);
    return summary && renderStatusView({ ...view, historyDays, summary, incidents }, deps.assets);
  };
}

function drawMonth(deps: PageViewDeps, month: string): Draw {
  return async (view, { id }) => {
    const [read, serviceNames] = await Promise.all([
      loadIncidentMonth(deps, id, month),
      readServiceNames(deps, id, view.language),
    ]);
    return read && renderHistoryView({ ...view, ...read, month, serviceNames }, deps.assets);
  };
}

function drawIncident(deps: PageViewDeps, incidentId: IncidentId): Draw {
  return async (view, { id }) => {
    const [incident, serviceNames] = await Promise.all([
      loadLedgerEntry(deps.sql, id, incidentId, view.now),
      readServiceNames(deps, id, view.language),
    ]);
    return incident && renderIncidentView({ ...view, incident, serviceNames }, deps.assets);
  };
}
