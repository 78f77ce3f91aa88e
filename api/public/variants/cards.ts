import { loadPageSummary, type SummaryDeps } from '../../../analytics/summary/summary.js';
import { summaryLimits } from '../../../contract/public/summary.js';
import {
  createIncidentCheck,
  loadRecentIncidents,
  loadShownIncident,
} from '../../../control/incidents/index.js';
import type { Page } from '../../../control/pages/index.js';
import type { IncidentId, PageId } from '../../../lib/ids.js';
import { createLimiter } from '../../../lib/limiter.js';
import type { Card } from '../../../web/cards/card.js';
import { drawCard } from '../../../web/cards/draw-card.js';
import { incidentCard } from '../../../web/cards/incident-card.js';
import { statusCard } from '../../../web/cards/status-card.js';
import type { ViewInput } from '../../../web/views/view-inputs.js';
import type { Variant } from '../public-cache.js';
import { type OpenDeps, openView } from './views.js';

/** The pictures of a page that other sites show beside a link, each in one of its languages. */
export type CardVariants = {
  status(language: string): Variant;
  incident(language: string, id: IncidentId): Variant;
};

const kind = {
  contentType: 'image/png',
  cacheControl: `public, max-age=${summaryLimits.freshSeconds}`,
  // Other sites show it.
  headers: ['x-content-type-options', 'nosniff', 'cross-origin-resource-policy', 'cross-origin'],
  isOpaque: true,
} as const;

/**
 * A picture takes a thread of the pool for 15 to 50 ms. The pool has four, and events are acknowledged when the log has been
 * written through one of them. No more pictures wait than loads may run.
 */
const drawnAtOnceMax = 1;

/** Returns the content of a picture; `undefined` when the page does not have its subject. */
type Describe = (view: ViewInput, page: Page) => Promise<Card | undefined>;

/** The pictures as the cache holds them: each is loaded from the stores and drawn on demand. */
export function createCardVariants(deps: OpenDeps): CardVariants {
  const hasIncident = createIncidentCheck(deps);
  const drawing = createLimiter<PageId>({ max: drawnAtOnceMax, maxPerKey: 1 });
  const renderWith = (language: string, describe: Describe) => async (pageId: PageId) => {
    const opened = await openView(deps, pageId, language);
    const card = opened && (await describe(opened.view, opened.page));
    if (card === undefined) return undefined;
    const release = await drawing.take(pageId);
    try {
      return await drawCard(card);
    } finally {
      release?.();
    }
  };
  return {
    status: (language) => ({
      ...{ ...kind, name: `card ${language}`, hasFigures: true },
      render: renderWith(language, describeStatus(deps)),
    }),
    incident: (language, id) => ({
      ...{ ...kind, name: `card ${id} ${language}`, oneOfMany: true },
      exists: (pageId) => hasIncident(pageId, id),
      render: renderWith(language, describeIncident(deps, id)),
    }),
  };
}

function describeStatus(deps: SummaryDeps): Describe {
  return async (view, { id, historyDays }) => {
    const [loaded, incidents] = await Promise.all([
      loadPageSummary(deps, id),
      loadRecentIncidents(deps, { pageId: id, language: view.language }),
    ]);
    return loaded && statusCard({ ...view, historyDays, summary: loaded.summary, incidents });
  };
}

function describeIncident(deps: SummaryDeps, incidentId: IncidentId): Describe {
  return async (view, { id }) => {
    const incident = await loadShownIncident(deps, { pageId: id, language: view.language, incidentId });
    return incident && incidentCard({ ...view, incident });
  };
}
