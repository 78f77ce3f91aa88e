import { type FeedFormat, feedFormats, feedMediaTypes } from '../../web/feeds/feed.js';
import { type PublicReads, serveReads } from '../public/public-reads.js';
import { type FeedDeps, feedVariant } from '../public/variants/feeds.js';
import type { OpenRoute } from '../route.js';

type Deps = FeedDeps & { reads: PublicReads };

/** Incidents and maintenance of a page for feed readers, on the host of the page. */
export function feedRoutes(deps: Deps): OpenRoute[] {
  return feedFormats.flatMap((format) => [
    {
      ...describeRoute(format, `/feed.${format}`, 'in the default language of the page'),
      ...serveReads(deps.reads, () => () => ({
        variant: feedVariant(deps, { format, language: undefined }),
      })),
    },
    {
      ...describeRoute(format, `/:language/feed.${format}`, 'in one of its languages'),
      ...serveReads(deps.reads, ({ params }) => ({ languages }) => {
        const language = languages.get((params['language'] ?? '').toLowerCase());
        return language === undefined ? undefined : { variant: feedVariant(deps, { format, language }) };
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
    errors: ['notFound', 'storeUnavailable', 'overloaded'],
  };
}
