import { loadPageSummary, type SummaryDeps, type WindowFigures } from '../../../analytics/summary/summary.js';
import type { CurrentIncident, PageBrand, PageSummary } from '../../../contract/public/status-page.js';
import type { Service } from '../../../contract/public/summary.js';
import { loadCurrentIncidents } from '../../../control/incidents/index.js';
import { brandOf, findPage, type Page } from '../../../control/pages/index.js';
import type { PageId } from '../../../lib/ids.js';
import type { BadgeFigures, ServiceFigures } from '../../../web/badges/badge.js';
import { overallState } from '../../../web/state/page-state.js';
import { collectNews, standingOf } from '../../../web/state/service-state.js';
import type { PublicCache, Variant } from '../public-cache.js';
import type { Representation } from '../representation.js';

/** The state of a page, for badges, the icon and the widget. */
export type Conditions = {
  page: Page;
  brand: PageBrand;
  summary: PageSummary;
  /** The last 90 days of each service of the summary, in its order. */
  quarters: readonly WindowFigures[];
  incidents: readonly CurrentIncident[];
};

/** Returns `undefined` when the page no longer exists; throws as `loadSummary`. */
export async function loadConditions(deps: SummaryDeps, pageId: PageId): Promise<Conditions | undefined> {
  const [page, read, incidents] = await Promise.all([
    findPage(deps, { id: pageId }),
    loadPageSummary(deps, pageId),
    loadCurrentIncidents(deps, pageId),
  ]);
  if (page === undefined || read === undefined) return undefined;
  return { page, brand: brandOf(page, deps.originOf(page.hostname)), ...read, incidents };
}

/** Figures as the cache holds them, beside everything else that is published of a page. */
type HeldFigures = Omit<BadgeFigures, 'services'> & { services: (ServiceFigures & { slug: string })[] };

/** The figures of a page for badges and the icon, as text that `figuresOf` parses; a badge then costs its drawing alone. */
export function figuresVariant(deps: SummaryDeps): Variant {
  return {
    name: 'figures',
    hasFigures: true,
    contentType: 'application/json; charset=utf-8',
    cacheControl: 'no-store',
    async render(pageId) {
      const conditions = await loadConditions(deps, pageId);
      return conditions && JSON.stringify(describeFigures(conditions));
    },
  };
}

/**
 * Finds what badges of a page show, in the cache or the stores; `undefined` when the page no longer exists.
 *
 * @throws ServiceError as the cache does.
 */
export function createFindFigures(
  deps: SummaryDeps & { cache: Pick<PublicCache, 'find'> },
): (pageId: PageId) => Promise<BadgeFigures | undefined> {
  const variant = figuresVariant(deps);
  return async (id) => {
    const representation = await deps.cache.find({ id }, variant);
    return representation && figuresOf(representation);
  };
}

const parsed = new WeakMap<Representation, BadgeFigures>();

/** The figures in a representation of `figuresVariant`; each is parsed once. */
export function figuresOf(representation: Representation): BadgeFigures {
  const known = parsed.get(representation) ?? parseFigures(representation);
  parsed.set(representation, known);
  return known;
}

function parseFigures({ identity }: Representation): BadgeFigures {
  // The text of `describeFigures`.
  return toFigures(JSON.parse(identity.bytes.toString()) as HeldFigures);
}

function toFigures({ services, ...rest }: HeldFigures): BadgeFigures {
  return { ...rest, services: new Map(services.map(({ slug, ...service }) => [slug, service])) };
}

function describeFigures({ brand, summary, quarters, incidents }: Conditions): HeldFigures {
  const news = collectNews(incidents);
  return {
    pageName: brand.name,
    overall: overallState(summary, incidents),
    services: summary.services.map((service, at) => ({
      slug: service.slug,
      name: service.name,
      state: standingOf(service, news).state,
      ...windowsOf(service, quarters[at]),
    })),
  };
}

function windowsOf(
  service: Service,
  quarter: WindowFigures = { uptime: 'N/A', timeMs: 0 },
): Pick<ServiceFigures, 'uptime' | 'timeMs'> {
  const { uptimeDay, uptimeWeek, uptimeMonth, uptimeYear } = service;
  const { timeDay, timeWeek, timeMonth, timeYear } = service;
  return {
    uptime: {
      ...{ '24h': uptimeDay, '7d': uptimeWeek, '30d': uptimeMonth },
      ...{ '90d': quarter.uptime, '365d': uptimeYear },
    },
    timeMs: {
      ...{ '24h': timeDay, '7d': timeWeek, '30d': timeMonth },
      ...{ '90d': quarter.timeMs, '365d': timeYear },
    },
  };
}
