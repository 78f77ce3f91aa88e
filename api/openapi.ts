import type { TSchema } from 'typebox';
import * as analyticsSchemas from '../contract/analytics.js';
import * as databaseHealthSchemas from '../contract/database-health.js';
import { type ErrorKind, errorRegistry } from '../contract/errors.js';
import * as eventSchemas from '../contract/events.js';
import * as incidentSchemas from '../contract/incidents.js';
import * as observationSchemas from '../contract/observations.js';
import * as poolSchemas from '../contract/pool-reports.js';
import * as rejectionSchemas from '../contract/rejections.js';
import * as responseTimeSchemas from '../contract/response-times.js';
import * as summarySchemas from '../contract/summary.js';
import { type AnswerBody, describePath, type Route } from './route.js';

/** The version of the description, which is not that of the package. */
const descriptionVersion = '1.0.0';

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'What was wrong, for a person.' },
    hint: {
      type: 'string',
      description: 'What to do about it, or where to look; absent where `error` says it.',
    },
    position: {
      type: 'object',
      description: 'Where the fault is in a text that was sent, such as SQL, in characters.',
      required: ['offset', 'line', 'column'],
      properties: {
        offset: { type: 'integer', minimum: 0 },
        line: { type: 'integer', minimum: 1 },
        column: { type: 'integer', minimum: 1 },
      },
    },
  },
};

const bodyErrors = [
  'bodyNotJson',
  'bodyEncoding',
  'bodyTimeout',
  'bodyTooLarge',
  'contentEncoding',
  'overloaded',
] as const;
const keyErrors = ['wrongScope', 'capabilityUnavailable', 'storeUnavailable'] as const;

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 description of the routes, made from the list that the router serves. */
export function describeApi(routes: readonly Route[], baseUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = describePath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Heartline',
      version: descriptionVersion,
      description: 'Time-series analytics for status pages and application telemetry.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: { ...namedSchemas(), Error: errorSchema },
      securitySchemes: {
        ingest: { type: 'http', scheme: 'bearer', description: 'Ingest key, key_ingest_…' },
        read: { type: 'http', scheme: 'bearer', description: 'Read key, key_read_…' },
        incident: { type: 'http', scheme: 'bearer', description: 'Incident key, key_live_…' },
      },
    },
  };
}

function describeRoute(route: Route): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    security: route.access === undefined ? [] : [{ [route.access.scope]: [] }],
    ...describeParameters(route),
    ...describeBody(route),
    responses: { ...describeErrors(route), ...describeAnswers(route.answers) },
  };
}

function describeBody(route: Route): Json {
  if ('body' in route) return requestBody('application/json', route.body.schema);
  if ('form' in route) return requestBody('application/x-www-form-urlencoded', route.form.schema);
  return {};
}

function requestBody(mediaType: string, schema: TSchema): Json {
  return { requestBody: { required: true, content: { [mediaType]: { schema: reference(schema) } } } };
}

function describeParameters({ path, query }: Route): Json {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const parameters = [...inPath, ...(query === undefined ? [] : describeQuery(query))];
  return parameters.length === 0 ? {} : { parameters };
}

function describeQuery(query: TSchema): Json[] {
  const { properties = {}, required = [] } = query as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: resolve(schema),
  }));
}

function describeAnswers(answers: Readonly<Record<number, AnswerBody>>): Json {
  const described: Json = {};
  for (const [status, body] of Object.entries(answers)) {
    const { mediaTypes } = body as { mediaTypes?: readonly string[] };
    const content =
      mediaTypes === undefined
        ? json(reference(body as TSchema))
        : Object.fromEntries(mediaTypes.map((type) => [type.replace(/;.*/, ''), {}]));
    described[status] = { description: describeStatus(Number(status)), content };
  }
  return described;
}

function describeStatus(status: number): string {
  if (status === 304) return 'Nothing has changed; no body.';
  return status < 300 ? 'Success.' : 'See the body.';
}

function describeErrors(route: Route): Json {
  const names: ErrorKind[] = [...route.errors];
  if (route.access !== undefined) names.push(route.access.keyError, ...keyErrors);
  if (route.access?.rate !== undefined) names.push('rateLimited');
  if (route.access?.feature !== undefined) names.push('databaseHealthOff');
  if ('body' in route || 'form' in route) names.push(...bodyErrors);
  const sentences = new Map<number, Set<string>>();
  for (const name of names) {
    const { status, message } = errorRegistry[name];
    sentences.set(status, (sentences.get(status) ?? new Set()).add(message));
  }
  const error = json({ $ref: '#/components/schemas/Error' });
  return Object.fromEntries(
    [...sentences].map(([status, texts]) => [status, { description: [...texts].join(' '), content: error }]),
  );
}

function namedSchemas(): Json {
  const named: Json = {};
  for (const schema of Object.values({
    ...eventSchemas,
    ...analyticsSchemas,
    ...databaseHealthSchemas,
    ...incidentSchemas,
    ...observationSchemas,
    ...poolSchemas,
    ...rejectionSchemas,
    ...responseTimeSchemas,
    ...summarySchemas,
  })) {
    const { $id } = schema as { $id?: string };
    if ($id !== undefined) named[$id] = resolve(schema);
  }
  return named;
}

/** A reference to a schema with a name, and any other schema in place. */
function reference(schema: TSchema): unknown {
  const id = (schema as { $id?: string }).$id;
  return id === undefined ? resolve(schema) : { $ref: `#/components/schemas/${id}` };
}

/** A schema in the form of OpenAPI: without its id, and with references that point into the components. */
function resolve(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolve);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key]) => key !== '$id');
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === '$ref' ? `#/components/schemas/${value}` : resolve(value)]),
  );
}

function json(schema: unknown): Json {
  return { 'application/json': { schema } };
}
