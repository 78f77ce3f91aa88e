import { loadResponseTimes } from '../../../analytics/summary/response-times.js';
import { loadPageSummary, type SummaryDeps } from '../../../analytics/summary/summary.js';
import { type ResponseRange, usualResponseRange } from '../../../contract/public/response-times.js';
import { summaryLimits } from '../../../contract/public/summary.js';
import {
  createIncidentCheck,
  loadDayIncidents,
  loadIncidentMonth,
  loadRecentIncidents,
  loadShownIncident,
} from '../../../control/incidents/index.js';
import { loadServiceGroups, loadServiceNames } from '../../../control/monitors/index.js';
import { brandOf, findPage, type Page } from '../../../control/pages/index.js';
import { loadShownPostmortem } from '../../../control/postmortems/index.js';
import type { IncidentId, PageId } from '../../../lib/ids.js';
import { createLru } from '../../../lib/lru.js';
import { drawTextsAhead } from '../../../web/markdown/draw-text.js';
import { accentStyle } from '../../../web/views/accent.js';
import { renderHistoryView } from '../../../web/views/history-view.js';
import { textsOfPast, textsOfStatus, textsOfWhole } from '../../../web/views/incident-text.js';
import { renderIncidentView } from '../../../web/views/incident-view.js';
import { renderNotFoundView } from '../../../web/views/not-found-view.js';
import { renderStatusText } from '../../../web/views/status-table.js';
import { renderStatusView } from '../../../web/views/status-view.js';
import { renderSubscribeView } from '../../../web/views/subscriptions/subscribe-view.js';
import type { ViewAssets } from '../../../web/views/view-context.js';
import type { ViewInput } from '../../../web/views/view-inputs.js';
import type { Variant } from '../public-cache.js';
import type { FiguresOf } from '../public-figures.js';
import type { ObjectivesOf } from '../public-objectives.js';
import type { Rendering } from '../representation.js';
import { viewHeaders } from '../view-headers.js';

export type ViewDeps = OpenDeps & { assets: ViewAssets; figuresOf: FiguresOf; objectivesOf: ObjectivesOf };
/** `sendsMail` says whether the service sends email. */
export type OpenDeps = SummaryDeps & { sendsMail: boolean };

/** The views of a page, each in one of its languages. */
export type ViewVariants = {
  /** `range`: of its charts. */
  status(language: string, range: ResponseRange): Variant;
  /**
   * `month` is `YYYY-MM`, and `at` the page of its incidents, from 1. A month before the first of the status page or after
   * the current one has no view, and neither has a page after the last one.
   */
  history(language: string, month: string, at: number): Variant;
  incident(language: string, id: IncidentId): Variant;
  /** A view of its own with the form to sign up. */
  subscribe(language: string): Variant;
  notFound(language: string): Variant;
  /** A table for terminals. */
  text(language: string): Variant;
  /** The same where most people get HTML: a cache that ignores `Vary` must not give it to them. */
  uncachedText(language: string): Variant;
};

/**
 * Browsers ask each time, with the entity tag of what they have. Shared caches answer for half a minute, which is as
 * long as the service itself holds a view, then for as long again while they ask, and for ten minutes while they cannot
 * reach the service: that is when most people read a status page.
 */
const cacheControl = `public, max-age=0, s-maxage=${summaryLimits.freshSeconds}, stale-while-revalidate=${summaryLimits.freshSeconds}, stale-if-error=${summaryLimits.staleSeconds}`;
/** One for each range, and each language that some page is in. */
const statusVariantsMax = 2_000;
const kind = { contentType: 'text/html; charset=utf-8', cacheControl, headers: [] };

const textKind = { contentType: 'text/plain; charset=utf-8', cacheControl: 'public, max-age=30' };

/** Draws a view of a page. Returns `undefined` when the page does not have it. */
type Draw = (view: ViewInput, page: Page) => Promise<string | undefined>;

/** The views of pages as the cache holds them: each is loaded from the stores and drawn on demand. */
export function createViewVariants(deps: ViewDeps): ViewVariants {
  const { assets } = deps;
  const hasIncident = createIncidentCheck(deps);
  const variant = (name: string, language: string, draw: Draw): Variant => ({
    ...kind,
    name: `${name} ${language}`,
    render: (pageId) => drawView(deps, pageId, language, draw),
  });
  // Kept, because nearly every request asks for one of these.
  const statusVariants = createLru<string, Variant>(statusVariantsMax);
  return {
    status(language, range) {
      const name = `page ${range}`;
      const key = `${name} ${language}`;
      const known = statusVariants.get(key);
      if (known !== undefined) return known;
      const made = { ...variant(name, language, drawStatus(deps, range)), hasFigures: true } as const;
      statusVariants.set(key, made);
      return made;
    },
    history: (language, month, at) => ({
      ...variant(`history ${month} ${at}`, language, drawMonth(deps, { month, page: at })),
      oneOfMany: true,
    }),
    incident: (language, id) => ({
      ...variant(`incident ${id}`, language, drawIncident(deps, id)),
      oneOfMany: true,
      exists: (pageId) => hasIncident(pageId, id),
    }),
    subscribe: (language) =>
      variant('subscribe', language, async (view) => renderSubscribeView(view, { form: 'ask' }, assets)),
    text: (language) => ({ ...variant('text', language, drawText(deps)), ...textKind, hasFigures: true }),
    uncachedText: (language) => ({
      ...variant('uncached text', language, drawText(deps)),
      ...{ ...textKind, cacheControl: 'private, no-store', hasFigures: true },
    }),
    notFound: (language) => ({
      ...variant('not found', language, async (view) => renderNotFoundView(view, assets)),
      status: 404,
    }),
  };
}

async function drawView(
  deps: ViewDeps,
  pageId: PageId,
  language: string,
  draw: Draw,
): Promise<Rendering | undefined> {
  const opened = await openView(deps, pageId, language);
  if (opened === undefined) return undefined;
  const { page, view } = opened;
  const text = await draw(view, page);
  return text && { text, headers: viewHeaders(language, accentStyle(view.brand.accent)) };
}

/** Loads the part that every view of a page begins with; `undefined` when the page no longer exists. */
export async function openView(
  deps: OpenDeps,
  pageId: PageId,
  language: string,
): Promise<{ page: Page; view: ViewInput } | undefined> {
  const page = await findPage(deps, { id: pageId });
  if (page === undefined) return undefined;
  const brand = brandOf(page, deps.originOf(page.hostname));
  return { page, view: { brand, language, now: deps.clock.now(), sendsMail: deps.sendsMail } };
}

/** Draws the status view of a page as it is given, which may differ from what is saved. `brand` may have another logo. */
export async function drawStatusOf(deps: ViewDeps, page: Page, view: ViewInput): Promise<string | undefined> {
  return drawStatus(deps, usualResponseRange)(view, page);
}

function drawStatus(deps: ViewDeps, range: ResponseRange): Draw {
  return async (view, page) => {
    const { id, historyDays } = page;
    const [loaded, groups, responseTimes, objectives, publicFigures, incidents, dayIncidents] =
      await Promise.all([
        loadPageSummary(deps, id),
        loadServiceGroups(deps, id),
        loadResponseTimes(deps, id, range),
        deps.objectivesOf(page),
        deps.figuresOf(page),
        loadRecentIncidents(deps, { pageId: id, language: view.language }),
        loadDayIncidents(deps, id, historyDays),
      ]);
    if (loaded === undefined || responseTimes === undefined) return undefined;
    await drawTextsAhead(incidents.flatMap((incident) => textsOfStatus(view, incident)));
    const { summary } = loaded;
    const input = {
      ...{ ...view, historyDays, summary, groups, responseTimes },
      ...{ objectives, publicFigures, incidents, dayIncidents },
    };
    return renderStatusView(input, deps.assets);
  };
}

function drawText(deps: ViewDeps): Draw {
  return async (view, { id, historyDays }) => {
    const [loaded, groups, incidents] = await Promise.all([
      loadPageSummary(deps, id),
      loadServiceGroups(deps, id),
      loadRecentIncidents(deps, { pageId: id, language: view.language }),
    ]);
    return loaded && renderStatusText({ ...view, historyDays, summary: loaded.summary, groups, incidents });
  };
}

function drawMonth(deps: ViewDeps, at: { month: string; page: number }): Draw {
  return async (view, { id }) => {
    const { language } = view;
    const [loaded, serviceNames] = await Promise.all([
      loadIncidentMonth(deps, { pageId: id, language, ...at }),
      loadServiceNames(deps, id, language),
    ]);
    if (loaded === undefined) return undefined;
    await drawTextsAhead(loaded.incidents.flatMap((incident) => textsOfPast(view, incident)));
    return renderHistoryView({ ...view, ...loaded, ...at, serviceNames }, deps.assets);
  };
}

function drawIncident(deps: ViewDeps, incidentId: IncidentId): Draw {
  return async (view, { id }) => {
    const { language } = view;
    const [found, postmortem, serviceNames] = await Promise.all([
      loadShownIncident(deps, { pageId: id, language, incidentId }),
      loadShownPostmortem(deps, { pageId: id, incidentId, language }),
      loadServiceNames(deps, id, language),
    ]);
    if (found === undefined) return undefined;
    const incident = { ...found, ...(postmortem && { postmortem }) };
    await drawTextsAhead(textsOfWhole(view, incident));
    return renderIncidentView({ ...view, incident, serviceNames }, deps.assets);
  };
}
