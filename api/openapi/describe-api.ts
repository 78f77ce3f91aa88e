import type { TSchema } from 'typebox';
import { pageOrigin } from '../../lib/web-address.js';
import { describePath, type Route } from '../route.js';
import { describeAnswers, describedHeaders } from './answers.js';
import { exampleOf } from './examples.js';
import { describePermission, isManaged, managementSecurity, permissionOf, securityOf } from './management.js';
import { describedParameters, describeParameters } from './parameters.js';
import { requestExamples } from './request-examples.js';
import { describeSchema, describeSchemas, describeText, type Json } from './schemas.js';
import { describedTags, isOnPageHost, tagOf } from './tags.js';

/** The version of the description; the package has another one. */
const descriptionVersion = '1.0.0';

const keyNames = {
  ingest: 'an ingest key, `key_ingest_…`',
  read: 'a read key, `key_read_…`',
  incident: 'an incident key, `key_live_…`',
} as const;

/** The OpenAPI 3.1 description of the routes, made from the list that the router serves. */
export function describeApi(routes: readonly Route[], baseUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = describePath(route.path);
    const servers = isOnPageHost(route) ? { servers: [serverOfPages(baseUrl)] } : {};
    paths[path] = { ...servers, ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Heartline',
      version: descriptionVersion,
      description: 'Time-series analytics for status pages and application telemetry.',
      contact: { name: 'The operator of this service', url: new URL(baseUrl, anyHost).href },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: describedTags,
    paths,
    components: {
      schemas: describeSchemas(),
      parameters: describedParameters,
      headers: describedHeaders,
      securitySchemes: {
        ingest: { type: 'http', scheme: 'bearer', description: 'Ingest key, key_ingest_…' },
        read: { type: 'http', scheme: 'bearer', description: 'Read key, key_read_…' },
        incident: { type: 'http', scheme: 'bearer', description: 'Incident key, key_live_…' },
        ...managementSecurity,
      },
    },
  };
}

/** The base URL is a path until the server listens. */
const anyHost = 'http://localhost';

/** Status pages have hosts of their own, with the scheme and the port of the service. */
function serverOfPages(baseUrl: string): Json {
  const base = new URL(baseUrl, anyHost);
  const url = pageOrigin(base, 'page.invalid').replace('page.invalid', '{page}');
  return { url, variables: { page: { default: base.hostname, description: 'Host of the status page.' } } };
}

function describeRoute(route: Route): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: describeUse(route),
    tags: [tagOf(route)],
    security: isManaged(route)
      ? securityOf(route)
      : route.access === undefined
        ? []
        : [{ [route.access.scope]: [] }],
    ...(isManaged(route) && permissionOf(route)),
    ...describeParameters(route),
    ...describeBody(route),
    responses: describeAnswers(route),
  };
}

/** The introduction for a caller before the first request. */
function describeUse(route: Route): string {
  const sentences = [`${route.description ?? route.summary}.`];
  if (isManaged(route)) sentences.push(describePermission(route));
  else if (route.access !== undefined) sentences.push(`Needs ${keyNames[route.access.scope]}.`);
  else sentences.push(isOnPageHost(route) ? 'Needs no key, and the host of the page.' : 'Needs no key.');
  if (route.access?.feature !== undefined) sentences.push('Database health must be on for the page.');
  const body = 'body' in route ? route.body : 'form' in route ? route.form : undefined;
  if (body !== undefined) {
    const bytes = body.bytesMax.toLocaleString('en-US');
    const codings = 'isSnappy' in body ? 'is sent in `snappy`' : 'may be sent in `gzip`, `br` or `deflate`';
    sentences.push(`The body has at most ${bytes} bytes, and ${codings}.`);
  }
  return sentences.join(' ');
}

function describeBody(route: Route): Json {
  if ('form' in route) return requestBody('application/x-www-form-urlencoded', route.form.schema, route);
  if (!('body' in route)) return {};
  const { mediaType, schema } = route.body;
  if (mediaType !== undefined) {
    return { requestBody: { required: true, content: { [mediaType]: { schema: describeText(mediaType) } } } };
  }
  return requestBody('application/json', schema, route);
}

/** An example of the JSON or the form that a route takes. */
export function exampleOfBody({ operationId }: Route, schema: TSchema): unknown {
  return requestExamples[operationId] ?? exampleOf(schema, 'request');
}

function requestBody(mediaType: string, schema: TSchema, route: Route): Json {
  const required = !('body' in route && 'isOptional' in route.body);
  const media = { schema: describeSchema(schema), example: exampleOfBody(route, schema) };
  return { requestBody: { required, content: { [mediaType]: media } } };
}
