import type { SummaryDeps, WindowFigures } from '../../analytics/summary/summary.js';
import type { Service } from '../../contract/summary.js';
import type { BadgeFigures, ServiceFigures } from '../../web/badges/badge.js';
import { overallState, serviceState, servicesInMaintenance } from '../../web/state/page-state.js';
import { type Conditions, readConditions } from './load-conditions.js';
import type { PublicCache, PublicPage, Variant } from './public-cache.js';
import type { Representation } from './representation.js';

/** Figures as they are held in memory among what else is published. */
type HeldFigures = Omit<BadgeFigures, 'services'> & { services: (ServiceFigures & { slug: string })[] };

/**
 * What badges and the icon say of a page; undefined when it is gone. They are held as text beside all that is
 * published of a page, and read once per text: a badge then costs its drawing alone.
 */
export type FindFigures = (page: PublicPage) => Promise<BadgeFigures | undefined>;

export function createFigures(cache: PublicCache, deps: SummaryDeps): FindFigures {
  const variant: Variant = {
    name: 'figures',
    contentType: 'application/json; charset=utf-8',
    cacheControl: 'no-store',
    async render(pageId) {
      const conditions = await readConditions(deps, pageId);
      return conditions && JSON.stringify(describeFigures(conditions));
    },
  };
  const read = new WeakMap<Representation, BadgeFigures>();
  return async (page) => {
    const held = await cache.find(page, variant);
    if (held === undefined) return undefined;
    const known = read.get(held) ?? parse(held);
    read.set(held, known);
    return known;
  };
}

function parse({ identity }: Representation): BadgeFigures {
  // Its own text of above.
  const { services, ...rest } = JSON.parse(identity.bytes.toString()) as HeldFigures;
  return { ...rest, services: new Map(services.map(({ slug, ...service }) => [slug, service])) };
}

function describeFigures({ brand, summary, quarters, incidents }: Conditions): HeldFigures {
  const maintained = servicesInMaintenance(incidents);
  return {
    pageName: brand.name,
    overall: overallState(summary, incidents),
    services: summary.services.map((service, at) => ({
      slug: service.slug,
      name: service.name,
      state: serviceState(service, maintained),
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
