import type { Route } from '../route.js';

/** The purpose of a part of the API, and its callers. `onPageHost`: on the hosts of status pages only. */
type Tag = { name: string; description: string; paths: RegExp; onPageHost?: true };

const open = 'On the host of a status page, without a key.';

const ofPage = (rest: string) => new RegExp(`^/api/v1/pages/:page/${rest}(?:/|$)`);

/** The management API, by what a route is about. */
const managementTags: readonly Tag[] = [
  {
    name: 'Monitors',
    description: 'Monitors of a page, their checks and figures, and their groups and order.',
    paths: ofPage('(?:monitors|groups|monitor-order)'),
  },
  {
    name: 'Incidents of a page',
    description: 'Incidents and maintenance with all their texts, and templates for them.',
    paths: ofPage('(?:incidents|templates)'),
  },
  {
    name: 'Subscribers',
    description: 'Addresses and chats that subscribe to a page, and the emails to them.',
    paths: ofPage('(?:subscribers|emails|chat-subscribers)'),
  },
  { name: 'Webhooks', description: 'Webhooks of a page and their deliveries.', paths: ofPage('webhooks') },
  {
    name: 'Channels',
    description: 'Chats and pagers that tell the team of a page of trouble.',
    paths: ofPage('channels'),
  },
  {
    name: 'On call',
    description: 'Who of a page is on call, when, and whom an alert tells, one step after another.',
    paths: ofPage('(?:schedules|on-call|policies)'),
  },
  { name: 'Alert rule', description: 'The alert rule of a page.', paths: ofPage('alert-rules?') },
  {
    name: 'Objectives',
    description: 'Objectives of a page, their error budgets and how fast they burn.',
    paths: ofPage('objectives'),
  },
  {
    name: 'Deployments',
    description: 'Versions that came to the services of a page.',
    paths: ofPage('deployments'),
  },
  {
    name: 'Connections',
    description: 'Names that stand for database connections.',
    paths: ofPage('connections'),
  },
  { name: 'Event store', description: "A page's own ClickHouse.", paths: ofPage('event-store') },
  {
    name: 'Figure export',
    description: 'The bucket that gets the figures of a page.',
    paths: ofPage('figure-export'),
  },
  { name: 'Keys', description: 'Keys of a page.', paths: ofPage('keys') },
  {
    name: 'People',
    description: 'Roles of people on a page, and invitations.',
    paths: ofPage('(?:people|invitations)'),
  },
  {
    name: 'Audit log',
    description: 'Who changed what.',
    paths: /^\/api\/v1\/(?:pages\/:page\/)?audit$/,
  },
  {
    name: 'Figures of a page',
    description: 'The figures that a read key reads, for those who run the page, and SQL.',
    paths: ofPage('analytics'),
  },
  { name: 'Saved queries', description: 'SQL that is saved to run it again.', paths: ofPage('queries') },
  {
    name: 'Boards',
    description: 'Boards of tiles with figures, and links to them.',
    paths: ofPage('boards'),
  },
  {
    name: 'Pages',
    description: 'Pages and how they look.',
    paths: /^\/api\/v1\/pages(?:\/|$)/,
  },
  {
    name: 'Account',
    description: 'Who calls, and the sessions, password, codes and ways to be told of people.',
    paths: /^\/api\/v1\/(?:me|session|sessions)(?:\/|$)/,
  },
  {
    name: 'Installation',
    description: 'Users, jobs and the state of the installation.',
    paths: /^\/api\/v1\/(?:users|installation|jobs)(?:\/|$)/,
  },
];

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
  ...managementTags,
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
  {
    name: 'Language models',
    description: 'Tools for language models over the Model Context Protocol, with a manage key.',
    paths: /^\/mcp$/,
  },
  {
    name: 'Calendars',
    description: 'Shifts of people who are on call, behind a secret address.',
    paths: /^\/on-call/,
  },
  {
    name: 'Shared boards',
    description: 'Boards with their figures, behind a secret address.',
    paths: /^\/(?:api\/v1\/shared-boards|boards\/)/,
  },
  {
    name: 'Tools for ClickHouse',
    description: "ClickHouse's HTTP interface, with the slug of a page and a read key of it.",
    paths: /^\/clickhouse/,
  },
  { name: 'Heartbeats', description: 'Jobs report that they ran.', paths: /^\/ping/ },
  {
    name: 'Operation',
    description: 'For those who run the service, on any host and without a key.',
    paths: /^\/(?:healthz|readyz|metrics|openapi\.json|apply\.schema\.json)$/,
  },
  {
    name: 'Dashboard',
    description: 'Pages on which people sign in, and the dashboard, on the host of the service.',
    paths: /^\/manage/,
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
