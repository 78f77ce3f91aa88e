import { loadAssets } from '../../../api/public/assets.js';
import type { Example } from './example.js';
import { needs, openView } from './example.js';
import { accountExamples } from './examples-of-account.js';
import { keyExamples } from './examples-of-keys.js';
import { managementExamples } from './examples-of-management.js';
import { peopleExamples } from './examples-of-people.js';
import type { Site } from './site.js';

const { paths: assets } = loadAssets();

/** A read of a program on the host of the page, which memory keeps. */
function read(path: (site: Site) => string, stores: Example['needs']): Example {
  return { usual: 200, needs: stores, kept: true, send: ({ site }) => ({ path: path(site) }) };
}

function feed(format: string): Example {
  return read(() => `/feed.${format}`, needs.page);
}

const germanFeed = (format: string) => read(() => `/de/feed.${format}`, needs.page);

const publicExamples: Record<string, readonly Example[]> = {
  'GET /api/public/:slug/summary': [
    read(({ slug }) => `/api/public/${slug}/summary`, needs.figures),
    {
      ...{ variant: 'a host without a page', usual: 404, needs: needs.postgres },
      send: ({ site: { slug }, mark }) => ({
        path: `/api/public/${slug}/summary`,
        host: `${mark}.localhost`,
      }),
    },
  ],
  'GET /api/public/:slug/status': [read(({ slug }) => `/api/public/${slug}/status`, needs.figures)],
  'GET /api/public/:slug/response-times': [
    read(({ slug }) => `/api/public/${slug}/response-times?range=7d`, needs.figures),
  ],
  'GET /api/public/:slug/upptime/summary.json': [
    read(({ slug }) => `/api/public/${slug}/upptime/summary.json`, needs.figures),
  ],
  'GET /api/public/:slug/metrics': [read(({ slug }) => `/api/public/${slug}/metrics`, needs.figures)],
  'GET /api/public/:slug/incidents': [read(({ slug }) => `/api/public/${slug}/incidents`, needs.page)],
  'GET /api/v2/summary.json': [read(() => '/api/v2/summary.json', needs.figures)],
  'GET /api/v2/status.json': [read(() => '/api/v2/status.json', needs.figures)],
  'GET /api/v2/components.json': [read(() => '/api/v2/components.json', needs.figures)],
  'GET /api/v2/incidents.json': [read(() => '/api/v2/incidents.json', needs.figures)],
  'GET /api/v2/incidents/unresolved.json': [read(() => '/api/v2/incidents/unresolved.json', needs.figures)],
  'GET /api/v2/scheduled-maintenances.json': [
    read(() => '/api/v2/scheduled-maintenances.json', needs.figures),
  ],
  'GET /api/v2/scheduled-maintenances/upcoming.json': [
    read(() => '/api/v2/scheduled-maintenances/upcoming.json', needs.figures),
  ],
  'GET /api/v2/scheduled-maintenances/active.json': [
    read(() => '/api/v2/scheduled-maintenances/active.json', needs.figures),
  ],
  'GET /logo/:hash': [
    { usual: 200, needs: needs.postgres, send: ({ site }) => ({ path: `/logo/${site.logoHash}` }) },
  ],
  'GET /feed.rss': [feed('rss')],
  'GET /:language/feed.rss': [germanFeed('rss')],
  'GET /feed.atom': [feed('atom')],
  'GET /:language/feed.atom': [germanFeed('atom')],
  'GET /feed.json': [feed('json')],
  'GET /:language/feed.json': [germanFeed('json')],
  'GET /badge.svg': [read(() => '/badge.svg', needs.figures)],
  'GET /badge.json': [read(() => '/badge.json', needs.figures)],
  'GET /badge/:service.svg': [read(() => '/badge/api.svg?metric=uptime', needs.figures)],
  'GET /badge/:service.json': [read(() => '/badge/api.json', needs.figures)],
  'GET /embed.json': [read(() => '/embed.json', needs.figures)],
  'GET /embed': [read(() => '/embed', needs.figures)],
  'GET /embed.js': [{ usual: 200, needs: needs.page, send: () => ({ path: '/embed.js' }) }],
  // Draws an icon for an unknown state where the stores do not answer.
  'GET /favicon.svg': [{ usual: 200, needs: needs.nothing, send: () => ({ path: '/favicon.svg' }) }],
  'GET /ping/:token': [
    { usual: 200, needs: needs.postgres, send: ({ site }) => ({ path: `/ping/${site.pingToken}` }) },
  ],
  'POST /ping/:token': [
    { usual: 200, needs: needs.postgres, send: ({ site }) => ({ path: `/ping/${site.pingToken}` }) },
  ],
  'GET /ping/:token/:report': [
    { usual: 200, needs: needs.postgres, send: ({ site }) => ({ path: `/ping/${site.pingToken}/0` }) },
  ],
  'POST /ping/:token/:report': [
    { usual: 200, needs: needs.postgres, send: ({ site }) => ({ path: `/ping/${site.pingToken}/0` }) },
  ],
  'GET /on-call/:feed.ics': [
    { usual: 200, needs: needs.postgres, send: ({ site }) => ({ path: site.calendarPath }) },
  ],
  'GET /api/v1/shared-boards/:board': [
    {
      ...{ usual: 200, needs: needs.postgres },
      send: ({ site }) => ({ path: `/api/v1/shared-boards/${site.boardToken}` }),
    },
  ],
  'GET /api/v1/shared-boards/:board/tiles/:tile': [
    {
      ...{ usual: 200, needs: needs.both },
      send: ({ site }) => ({ path: `/api/v1/shared-boards/${site.boardToken}/tiles/totals` }),
    },
  ],
  'GET /healthz': [{ usual: 200, needs: needs.nothing, send: () => ({ path: '/healthz' }) }],
  'GET /readyz': [
    {
      ...{ usual: 200, needs: needs.both, ownForm: /"status":"unavailable"/ },
      send: () => ({ path: '/readyz' }),
    },
  ],
  'GET /metrics': [{ usual: 200, needs: needs.nothing, send: () => ({ path: '/metrics' }) }],
  'GET /assets/:file': [{ usual: 200, needs: needs.nothing, send: () => ({ path: assets.styles }) }],
  'GET /openapi.json': [{ usual: 200, needs: needs.nothing, send: () => ({ path: '/openapi.json' }) }],
  'GET /apply.schema.json': [
    { usual: 200, needs: needs.nothing, send: () => ({ path: '/apply.schema.json' }) },
  ],
};

/**
 * Requests for every route, by its method and path. A route that is missing here fails the test: give it an example that
 * the service answers as `usual` says.
 */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  ...keyExamples,
  ...managementExamples,
  ...publicExamples,
  ...peopleExamples,
  ...accountExamples,
  'no route': [
    {
      ...{ variant: 'GET /nothing', usual: 404, needs: needs.page, kept: true, view: 'de' },
      send: () => openView('/nothing/here'),
    },
    {
      ...{ variant: 'GET /api/v1/nothing', usual: 404, needs: needs.nothing },
      send: () => ({ path: '/api/v1/nothing' }),
    },
    {
      ...{ variant: 'POST /history/:month', method: 'POST', usual: 405, needs: needs.page },
      send: ({ site }) => ({ path: `/history/${site.month}` }),
    },
  ],
};
