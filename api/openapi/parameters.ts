import type { TSchema } from 'typebox';
import type { Route } from '../route.js';
import { isManaged, takesIfMatch } from './management.js';
import type { Json } from './schemas.js';

/**
 * Tells a language in a path from every other first part. Registered languages have two or three letters, and the first
 * part of an address without a language has more, or has no parameter after it.
 */
const languageForm = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$';

/** Parameters in paths by name. */
const inPaths: Readonly<Record<string, Json>> = {
  slug: { description: 'Slug of the page, which must be the page of the host.', schema: { type: 'string' } },
  id: { description: 'Id of the incident or maintenance.', schema: { type: 'string', format: 'uuid' } },
  language: {
    description: 'Tag of a language of the page, in any case.',
    schema: { type: 'string', pattern: languageForm },
  },
  month: {
    description: 'Month of UTC, such as 2026-01.',
    schema: { type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])$' },
  },
  doc: { description: 'Name of the page, as the documentation links to it.', schema: { type: 'string' } },
  service: { description: 'Slug of the service.', schema: { type: 'string' } },
  hash: {
    description: 'Hash of the logo, as in the address that the status page names.',
    schema: { type: 'string' },
  },
  file: {
    description: 'Name of the file, as in the address that the status page names.',
    schema: { type: 'string' },
  },
  page: { description: 'Slug of the page.', schema: { type: 'string' } },
  every: { description: '`week` or `month`.', schema: { type: 'string', enum: ['week', 'month'] } },
  screen: { description: 'Name of the screen, as the navigation links it.', schema: { type: 'string' } },
  token: { description: 'Token of the heartbeat, `ping_…`.', schema: { type: 'string' } },
  feed: { description: 'Token of the calendar, `cal_…`.', schema: { type: 'string' } },
  board: { description: 'Token of the link to the board, `brd_…`.', schema: { type: 'string' } },
  tile: { description: 'Id of the tile.', schema: { type: 'string' } },
  report: {
    description: '`fail`, or the exit code of the job: `0` is a success, `1` to `255` are failures.',
    schema: { type: 'string', pattern: '^(fail|\\d{1,3})$' },
  },
};

/** The same on the routes of the management API, where they differ. */
const inManagedPaths: Readonly<Record<string, Json>> = {
  slug: { description: 'Slug of what the path names, unique on the page.', schema: { type: 'string' } },
  id: { description: 'Id of what the path names, as lists have it.', schema: { type: 'string' } },
  userId: { description: 'Id of the person.', schema: { type: 'string' } },
  updateId: { description: 'Id of the entry of the timeline.', schema: { type: 'string' } },
  deliveryId: { description: 'Id of the delivery.', schema: { type: 'string' } },
  startsAt: {
    description: 'ISO-8601; when the occurrence begins by the rule.',
    schema: { type: 'string', format: 'date-time' },
  },
  language: { description: 'Tag of a language of the page.', schema: { type: 'string' } },
  name: { description: 'Name, as lists have it.', schema: { type: 'string' } },
};

/** The parameters of a route in its path, its query string and its headers. */
export function describeParameters(route: Route): Json {
  const parameters = [
    ...[...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => describeInPath(route, name)),
    ...(route.query === undefined ? [] : describeQuery(route.query)),
    ...(304 in route.answers ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
    ...(route.takesIdempotencyKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(takesIfMatch(route) ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
  ];
  return parameters.length === 0 ? {} : { parameters };
}

export const describedParameters = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier answer. The answer is 304 when nothing has changed since.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` that the change was made from. The answer is 412 when something has changed since, and nothing is changed.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key that the caller makes, such as a UUID. A request that repeats an earlier one of the page with its key and its body answers with what the first one made, and publishes nothing. With another body, the answer is 409. Keys are kept for 24 hours at least.',
    schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[!-~]+$' },
  },
};

function describeInPath(route: Route, name: string): Json {
  const described = (isManaged(route) ? inManagedPaths[name] : undefined) ?? inPaths[name];
  return { name, in: 'path', required: true, ...(described ?? { schema: { type: 'string' } }) };
}

function describeQuery(query: TSchema): Json[] {
  const { properties = {}, required = [] } = query as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    ...{ name, in: 'query', required: required.includes(name) },
    ...(description !== undefined && { description }),
    schema,
  }));
}
