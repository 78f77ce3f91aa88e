import { loadLedger } from '../../control/incidents/index.js';
import { readServiceNames } from '../../control/monitors/load-service-names.js';
import { findPage } from '../../control/pages/find-page.js';
import { brandOf } from '../../control/pages/page-looks.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type FeedFormat, feedFormats, feedMediaTypes, renderFeed } from '../../web/feeds/feed.js';
import type { PublicCache, Variant } from '../public/public-cache.js';
import { anyOrigin } from '../public/representation.js';
import { servePublic } from '../public/serve-public.js';
import type { OriginReader } from '../request-origin.js';
import type { OpenRoute } from '../route.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  cache: PublicCache;
  readOrigin: OriginReader;
  originOf(hostname: string): string;
};

/** A language of the page; undefined in the address that has none, which is in the default language. */
type FeedPlace = { format: FeedFormat; language: string | undefined };

/** Incidents and maintenance of a page for feed readers, on the host of the page. */
export function feedRoutes(deps: Deps): OpenRoute[] {
  return feedFormats.flatMap((format) => [
    {
      ...describeRoute(format, `/feed.${format}`, 'in the default language of the page'),
      ...servePublic(deps, () => feedVariant(deps, { format, language: undefined })),
    },
    {
      ...describeRoute(format, `/:language/feed.${format}`, 'in one of its languages'),
      ...servePublic(deps, ({ languages }, [tag = '']) => {
        const language = languages.get(tag.toLowerCase());
        return language === undefined ? undefined : feedVariant(deps, { format, language });
      }),
    },
  ]);
}

function describeRoute(format: FeedFormat, path: `/${string}`, where: string): Omit<OpenRoute, 'handle'> {
  const name = { rss: 'Rss', atom: 'Atom', json: 'Json' }[format];
  return {
    method: 'GET',
    path,
    operationId: `get${name}Feed${path.startsWith('/:') ? 'InLanguage' : ''}`,
    summary: `Incidents and maintenance of a page as a feed, ${where}`,
    answers: { 200: { mediaTypes: [feedMediaTypes[format]] }, 304: { mediaTypes: [] } },
    errors: ['notFound', 'storeUnavailable'],
  };
}

function feedVariant(deps: Deps, place: FeedPlace): Variant {
  const { format, language = '' } = place;
  return {
    name: `feed ${format} ${language}`,
    contentType: feedMediaTypes[format],
    cacheControl: 'public, max-age=60',
    headers: [...anyOrigin, 'x-content-type-options', 'nosniff'],
    render: (pageId) => render(deps, pageId, place),
  };
}

async function render(deps: Deps, pageId: PageId, place: FeedPlace): Promise<string | undefined> {
  const page = await findPage(deps, { id: pageId });
  if (page === undefined) return undefined;
  const language = place.language ?? page.defaultLanguage;
  const [incidents, serviceNames] = await Promise.all([
    loadLedger(deps, pageId),
    readServiceNames(deps, pageId, language),
  ]);
  return renderFeed(place.format, {
    brand: brandOf(page, deps.originOf(page.hostname)),
    path: `${place.language === undefined ? '' : `/${language}`}/feed.${place.format}`,
    createdAt: page.createdAt,
    now: deps.clock.now(),
    ...{ language, incidents, serviceNames },
  });
}
