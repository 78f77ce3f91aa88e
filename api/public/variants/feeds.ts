import type { ShownIncident } from '../../../contract/public/status-page.js';
import { loadFeedIncidents } from '../../../control/incidents/index.js';
import { loadServiceNames } from '../../../control/monitors/index.js';
import { brandOf, findPage } from '../../../control/pages/index.js';
import { loadPostmortems } from '../../../control/postmortems/index.js';
import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type FeedFormat, feedMediaTypes, renderFeed } from '../../../web/feeds/feed.js';
import { drawTextsAhead } from '../../../web/markdown/draw-text.js';
import { textsOfWhole } from '../../../web/views/incident-text.js';
import type { Variant } from '../public-cache.js';

export type FeedDeps = { sql: Sql; clock: Clock; originOf(hostname: string): string };

/** `language` is one of the page's; `undefined` at the address without a language, which uses the page's default. */
export type FeedPlace = { format: FeedFormat; language: string | undefined; perUpdate: boolean };

export function feedVariant(deps: FeedDeps, place: FeedPlace): Variant {
  const { format, language = '', perUpdate } = place;
  return {
    name: `feed ${format} ${language}${perUpdate ? ' per update' : ''}`,
    contentType: feedMediaTypes[format],
    cacheControl: 'public, max-age=60',
    headers: ['x-content-type-options', 'nosniff'],
    render: (pageId) => drawFeed(deps, pageId, place),
  };
}

async function drawFeed(deps: FeedDeps, pageId: PageId, place: FeedPlace): Promise<string | undefined> {
  const page = await findPage(deps, { id: pageId });
  if (page === undefined) return undefined;
  const language = place.language ?? page.defaultLanguage;
  const [found, serviceNames] = await Promise.all([
    loadFeedIncidents(deps, { pageId, language }),
    loadServiceNames(deps, pageId, language),
  ]);
  const incidents = await addPostmortems(deps, { pageId, language }, found);
  const brand = brandOf(page, deps.originOf(page.hostname));
  await drawTextsAhead(incidents.flatMap((incident) => textsOfWhole({ language, brand }, incident)));
  return renderFeed(place.format, {
    path: `${place.language === undefined ? '' : `/${language}`}/feed.${place.format}${place.perUpdate ? '?per=update' : ''}`,
    perUpdate: place.perUpdate,
    createdAt: page.createdAt,
    now: deps.clock.now(),
    ...{ brand, language, incidents, serviceNames },
  });
}

/** Room for the postmortems of a feed, newest incident first; the others are on the pages of their incidents. */
const postmortemCharsMax = 200_000;

async function addPostmortems(
  deps: FeedDeps,
  place: { pageId: PageId; language: string },
  incidents: readonly ShownIncident[],
): Promise<ShownIncident[]> {
  const over = incidents.filter(({ resolvedAt }) => resolvedAt !== null).map(({ id }) => id);
  const postmortems = await loadPostmortems(deps, { ...place, incidentIds: over });
  let left = postmortemCharsMax;
  return incidents.map((incident) => {
    const postmortem = postmortems.get(incident.id);
    const chars = Math.max(0, ...Object.values(postmortem?.body ?? {}).map((text) => text.length));
    if (postmortem === undefined || chars > left) return incident;
    left -= chars;
    return { ...incident, postmortem };
  });
}
