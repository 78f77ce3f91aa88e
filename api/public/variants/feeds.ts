import { loadFeedIncidents } from '../../../control/incidents/index.js';
import { loadServiceNames } from '../../../control/monitors/index.js';
import { brandOf, findPage } from '../../../control/pages/index.js';
import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type FeedFormat, feedMediaTypes, renderFeed } from '../../../web/feeds/feed.js';
import { drawTextsAhead } from '../../../web/markdown/draw-text.js';
import { textsOfWhole } from '../../../web/views/incident-text.js';
import type { Variant } from '../public-cache.js';

export type FeedDeps = { sql: Sql; clock: Clock; originOf(hostname: string): string };

/** `language` is one of the page's; `undefined` at the address without a language, which uses the page's default. */
export type FeedPlace = { format: FeedFormat; language: string | undefined };

export function feedVariant(deps: FeedDeps, place: FeedPlace): Variant {
  const { format, language = '' } = place;
  return {
    name: `feed ${format} ${language}`,
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
  const [incidents, serviceNames] = await Promise.all([
    loadFeedIncidents(deps, { pageId, language }),
    loadServiceNames(deps, pageId, language),
  ]);
  const brand = brandOf(page, deps.originOf(page.hostname));
  await drawTextsAhead(incidents.flatMap((incident) => textsOfWhole({ language, brand }, incident)));
  return renderFeed(place.format, {
    path: `${place.language === undefined ? '' : `/${language}`}/feed.${place.format}`,
    createdAt: page.createdAt,
    now: deps.clock.now(),
    ...{ brand, language, incidents, serviceNames },
  });
}
