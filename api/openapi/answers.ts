import type { TSchema } from 'typebox';
import { type ErrorCode, type ErrorKind, errorRegistry } from '../../contract/errors.js';
import { OtlpError } from '../../contract/otlp.js';
import { describeException, hasExceptions } from '../clickhouse/exceptions.js';
import { describeOtlpError, otlpPath } from '../otlp/answer-otlp.js';
import type { AnswerBody, Route } from '../route.js';
import { exampleOf } from './examples.js';
import { hasETag, isManaged, type Managed } from './management.js';
import { describeSchema, describeText, errorReference, type Json } from './schemas.js';

const html = 'text/html';

const bodyErrors = ['bodyEncoding', 'bodyTimeout', 'bodyTooLarge', 'contentEncoding', 'overloaded'] as const;
/** Any call of the management API may get these. */
const callErrors = [
  ...(['signInRequired', 'wrongScope', 'rateLimited', 'storeUnavailable', 'invalidParameter'] as const),
];
const keyErrors = ['wrongScope', 'capabilityUnavailable', 'storeUnavailable'] as const;
/** Any request may get these. */
const everywhere = ['notHttp', 'expectationFailed', 'headersTooLarge', 'internal'] as const;

const text = (description: string): Json => ({ description, schema: { type: 'string' } });
const count = (description: string): Json => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Headers of answers by the name of their component. */
export const describedHeaders = {
  'X-Request-Id': text('Names the request in the log of the service.'),
  'WWW-Authenticate': text('`Bearer`; `Basic` for a private page that has a password.'),
  Allow: text('Methods that the address takes.'),
  'Retry-After': count('Seconds to wait before the request is sent again.'),
  'RateLimit-Limit': count('Requests that may be sent in a minute.'),
  'RateLimit-Remaining': count('Requests that are left until the count starts again.'),
  'RateLimit-Reset': count('Seconds until the count starts again.'),
  ETag: text('Strong entity tag of the answer, for `If-None-Match` and `If-Match`.'),
  Age: count('Seconds since the answer was made; only when it is older than usual.'),
  'Cache-Control': text('How long caches may keep the answer.'),
  Location: text('Path of what was created, or the usual form of the address.'),
  'Heartline-As-Of': {
    description: 'The answer has every event that this instance had acknowledged by then.',
    schema: { type: 'string', format: 'date-time' },
  },
  'Server-Timing': text('`clickhouse;dur=12.3`: milliseconds that ClickHouse took to run the statement.'),
} satisfies Record<string, Json>;
type HeaderName = keyof typeof describedHeaders;

const rateHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

type Response = {
  sentences: Set<string>;
  /** Schemas and examples by media type. */
  content: Map<string, { schemas: Json[]; examples: Map<string, unknown> }>;
};

/** Every answer of a route by its status, with the answers of the checks before it. */
export function describeAnswers(route: Route): Json {
  const responses = new Map<number, Response>();
  const responseOf = (status: number): Response => {
    const response = responses.get(status) ?? { sentences: new Set(), content: new Map() };
    responses.set(status, response);
    return response;
  };
  for (const [key, body] of Object.entries(route.answers)) {
    const status = Number(key);
    const response = responseOf(status);
    const sentence = describeStatus(status);
    if (sentence !== undefined) response.sentences.add(sentence);
    for (const { mediaType, schema, example } of describeBodies(body)) {
      addContent(response, mediaType, schema, example === undefined ? {} : { success: example });
    }
  }
  for (const kind of errorsOf(route)) {
    if (hasExceptions(route.path)) {
      addException(responseOf, kind);
      continue;
    }
    const { status, code, message } = errorRegistry[kind];
    const response = responseOf(status);
    response.sentences.add(message);
    const { reference, body } = describeError(route, status, { error: message, code });
    addContent(response, 'application/json', reference, { [kind]: body });
    // Where a browser asked, api/public/view-errors.ts answers these with a view.
    if (route.forPeople && (status === 404 || status === 503)) addContent(response, html, describeText(html));
  }
  return Object.fromEntries(
    [...responses].map(([status, response]) => [status, toJson(route, status, response)]),
  );
}

/** ClickHouse's own errors are text. */
function addException(responseOf: (status: number) => Response, kind: ErrorKind): void {
  const { message } = errorRegistry[kind];
  const { status, text } = describeException(kind, { message });
  const response = responseOf(status);
  response.sentences.add(message);
  addContent(response, 'text/plain', describeText('text/plain'), { [kind]: text });
}

function describeError(route: Route, status: number, body: { error: string; code: ErrorCode }) {
  const isOtlp = otlpPath.test(route.path);
  return isOtlp
    ? { reference: describeSchema(OtlpError), body: describeOtlpError(status, body) }
    : { reference: errorReference, body };
}

function errorsOf(route: Route): ErrorKind[] {
  const errors: ErrorKind[] = [...everywhere, ...route.errors];
  if (route.access !== undefined) errors.push(route.access.keyError, ...keyErrors);
  if (route.access?.rate !== undefined) errors.push('rateLimited');
  if (route.access?.feature !== undefined) errors.push('databaseHealthOff');
  if (isManaged(route)) errors.push(...errorsOfCalls(route));
  if ('body' in route) errors.push(...(isRaw(route.body) ? [] : (['bodyNotJson'] as const)), ...bodyErrors);
  if ('form' in route) errors.push(...bodyErrors);
  return errors;
}

/** The errors that follow from the caller, and from the page or the body of a route of the management API. */
function errorsOfCalls(route: Managed): ErrorKind[] {
  const errors: ErrorKind[] = [...callErrors];
  // Any change may come with a session.
  if (route.method !== 'GET') errors.push('otherOrigin');
  if (route.permission !== 'any') errors.push('notAllowed');
  if (route.path.startsWith('/api/v1/pages/:page')) errors.push('notFound');
  if ('body' in route && !isRaw(route.body)) errors.push('invalidBody');
  return errors;
}

function isRaw({ mediaType }: { mediaType?: string }): boolean {
  return mediaType !== undefined;
}

type Body = { mediaType: string; schema: Json; example?: unknown };

function describeBodies(body: AnswerBody): Body[] {
  const { mediaTypes, json } = body as { mediaTypes?: readonly string[]; json?: TSchema };
  const ofJson = (schema: AnswerBody): Body[] =>
    isNothing(schema)
      ? []
      : [{ mediaType: 'application/json', schema: describeSchema(schema), example: exampleOf(schema) }];
  if (mediaTypes === undefined) return ofJson(body);
  const names = new Set(mediaTypes.map((type) => type.replace(/;.*/, '')));
  const described = [...names].map((mediaType): Body => ({ mediaType, schema: describeText(mediaType) }));
  return json === undefined ? described : [...described, ...ofJson(json)];
}

/** An answer without a body has the schema of null. */
function isNothing(schema: AnswerBody): boolean {
  return (schema as { type?: unknown }).type === 'null';
}

function addContent({ content }: Response, mediaType: string, schema: Json, examples: Json = {}): void {
  const known = content.get(mediaType) ?? { schemas: [], examples: new Map<string, unknown>() };
  content.set(mediaType, known);
  const isKnown = known.schemas.some((one) => JSON.stringify(one) === JSON.stringify(schema));
  if (!isKnown) known.schemas.push(schema);
  for (const [name, example] of Object.entries(examples)) known.examples.set(name, example);
}

function toJson(route: Route, status: number, { sentences, content }: Response): Json {
  const media = [...content].map(([type, { schemas, examples }]) => {
    const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
    const shown = Object.fromEntries([...examples].map(([name, value]) => [name, { value }]));
    return [type, { schema, ...(examples.size > 0 && { examples: shown }) }] as const;
  });
  const headers = headersOf(route, status).map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return {
    description: [...sentences].join(' '),
    headers: Object.fromEntries(headers),
    ...(media.length > 0 && { content: Object.fromEntries(media) }),
  };
}

function headersOf(route: Route, status: number): HeaderName[] {
  const names: HeaderName[] = ['X-Request-Id'];
  const isFound = status === 200 || status === 304;
  if (status === 401) names.push('WWW-Authenticate');
  if (status === 405) names.push('Allow');
  if (status === 429 || status === 503) names.push('Retry-After');
  if (status === 308) names.push('Location', 'Cache-Control');
  if (isManaged(route)) {
    if (status === 201) names.push('Location');
    if (hasETag(route) && [200, 201, 304].includes(status)) names.push('ETag', 'Cache-Control');
  } else if (hasETag(route) && isFound) {
    names.push('ETag', 'Cache-Control');
    // No shared cache keeps what only a key reads.
    if (route.access === undefined) names.push('Age');
  }
  const isCounted = route.access?.rate !== undefined || route.countsRequests === true || isManaged(route);
  if (route.saysAsOf === true && isFound) names.push('Heartline-As-Of');
  if (route.saysTiming === true && status === 200) names.push('Server-Timing');
  if (isCounted && (status < 300 || status === 429)) names.push(...rateHeaders);
  return names;
}

/** Returns `undefined` for a status whose errors say what it means. */
function describeStatus(status: number): string | undefined {
  if (status === 304) return 'Nothing has changed; no body.';
  if (status === 308) return 'The same address in its usual form.';
  if (status < 300) return 'Success.';
  return status === 410 ? 'The link has expired.' : undefined;
}
