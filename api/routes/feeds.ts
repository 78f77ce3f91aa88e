import { parse } from 'node:querystring';
import Type from 'typebox';
import { ServiceError } from '../../lib/service-error.js';
import { type FeedFormat, feedFormats, feedMediaTypes } from '../../web/feeds/feed.js';
import { type PublicReads, serveReads } from '../public/public-reads.js';
import { type FeedDeps, feedVariant } from '../public/variants/feeds.js';
import type { OpenRoute } from '../route.js';

type Deps = FeedDeps & { reads: PublicReads };

const FeedParameters = Type.Object({
  per: Type.Optional(
    Type.Literal('update', {
      description:
        'An entry for each update in place of one for each incident, for readers of RSS and for chats.',
    }),
  ),
});

/** Incidents and maintenance of a page for feed readers, on the host of the page. */
export function feedRoutes(deps: Deps): OpenRoute[] {
  return feedFormats.flatMap((format) => [
    {
      ...describeRoute(format, `/feed.${format}`, 'in the default language of the page'),
      ...serveReads(deps.reads, ({ query }) => {
        const perUpdate = isPerUpdate(query);
        return () => ({ variant: feedVariant(deps, { format, language: undefined, perUpdate }) });
      }),
    },
    {
      ...describeRoute(format, `/:language/feed.${format}`, 'in one of its languages'),
      ...serveReads(deps.reads, ({ params, query }) => {
        const perUpdate = isPerUpdate(query);
        return ({ languages }) => {
          const language = languages.get((params['language'] ?? '').toLowerCase());
          return language === undefined
            ? undefined
            : { variant: feedVariant(deps, { format, language, perUpdate }) };
        };
      }),
    },
  ]);
}

/** Other parameters are ignored: sites that list feeds add their own. @throws ServiceError `invalidParameter` */
function isPerUpdate(query: string): boolean {
  const { per } = parse(query);
  if (per === undefined || per === 'update') return per !== undefined;
  throw new ServiceError('invalidParameter', { message: 'Parameter "per" must be "update", or absent.' });
}

function describeRoute(format: FeedFormat, path: `/${string}`, where: string): Omit<OpenRoute, 'handle'> {
  const name = { rss: 'Rss', atom: 'Atom', json: 'Json' }[format];
  return {
    method: 'GET',
    path,
    operationId: `get${name}Feed${path.startsWith('/:') ? 'InLanguage' : ''}`,
    summary: `Incidents and maintenance of a page as a feed, ${where}`,
    query: FeedParameters,
    answers: { 200: { mediaTypes: [feedMediaTypes[format]] }, 304: { mediaTypes: [] } },
    errors: ['invalidParameter', 'notFound', 'storeUnavailable', 'overloaded'],
  };
}
