import type { Route } from '../route.js';

/** What a part of the API is for, and who calls it. `onPageHost`: on the hosts of status pages only. */
type Tag = { name: string; description: string; paths: RegExp; onPageHost?: true };

const open = 'On the host of a status page, without a key.';

/** A route belongs to the first tag whose `paths` match its path. */
const tags: readonly Tag[] = [
  {
    name: 'Events',
    description: 'Outcomes of requests, sent by servers with an ingest key.',
    paths: /^\/api\/v\d\/events/,
  },
  {
    name: 'Incidents',
    description: 'Incidents and maintenance, written with an incident key.',
    paths: /^\/api\/v1\/incidents/,
  },
  {
    name: 'Analytics',
    description: 'Figures of a page, read with a read key.',
    paths: /^\/api\/v1\/analytics/,
  },
  {
    name: 'Database health',
    description:
      'Observations of database servers and measurements of connection pools, sent with an ingest key.',
    paths: /^\/api\/v1\/database-health/,
  },
  {
    name: 'Public data',
    description: `State, figures and incidents. ${open}`,
    paths: /^\/api\/public/,
    onPageHost: true,
  },
  {
    name: 'Subscriptions',
    description: `Email about incidents. ${open}`,
    paths: /^\/subscribe/,
    onPageHost: true,
  },
  {
    name: 'Badges and feeds',
    description: `What other sites and programs show. ${open}`,
    onPageHost: true,
    paths: /^(?:\/:language)?\/(?:badge|feed|embed|favicon)/,
  },
  { name: 'Heartbeats', description: 'Jobs report that they ran.', paths: /^\/ping/ },
  {
    name: 'Operation',
    description: 'For those who run the service, on any host and without a key.',
    paths: /^\/(?:healthz|readyz|metrics|openapi\.json)$/,
  },
  {
    name: 'Assets',
    description: 'Styles and scripts of status pages, on any host and without a key.',
    paths: /^\/assets/,
  },
  {
    name: 'Status page',
    description: `What people look at. ${open}`,
    paths: /^\//,
    onPageHost: true,
  },
];

export const describedTags = tags.map(({ name, description }) => ({ name, description }));

/** The name of the tag of a route. */
export function tagOf(route: Pick<Route, 'path'>): string {
  return find(route)?.name ?? '';
}

/** Whether a route is served on the hosts of status pages only. */
export function isOnPageHost(route: Pick<Route, 'path'>): boolean {
  return find(route)?.onPageHost === true;
}

/** The last tag takes every path, so that a route always has one. */
function find({ path }: Pick<Route, 'path'>): Tag | undefined {
  return tags.find(({ paths }) => paths.test(path));
}
