import Type from 'typebox';
import { ApplyFile, applySchemaPath } from '../../contract/manage/apply.js';
import { describeApi } from '../openapi/describe-api.js';
import { createFixedAnswer } from '../public/fixed-answer.js';
import type { OpenRoute, Route } from '../route.js';

/** How a description may be kept: each version of the service has its own. */
const descriptionKind = { contentType: 'application/json; charset=utf-8', cacheControl: 'no-cache' };

/** The description of the routes, in OpenAPI. It has 1.7 MB, of which a client that takes gzip gets a twentieth. */
export function descriptionRoute(routes: readonly Route[], baseUrl: () => string): OpenRoute {
  const answer = createFixedAnswer(() => JSON.stringify(describeApi(routes, baseUrl())), descriptionKind);
  return {
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getDescription',
    summary: 'This description',
    sameOnEveryHost: true,
    answers: { 200: Type.Object({}, { description: 'OpenAPI 3.1.' }), 304: { mediaTypes: [] } },
    errors: [],
    handle: answer,
  };
}

/** The JSON Schema of the file of `heartline apply`, which editors fetch to check and complete it. */
export function applySchemaRoute(): OpenRoute {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const answer = createFixedAnswer(
    () => JSON.stringify({ $schema, title: 'A status page of Heartline', ...ApplyFile }),
    descriptionKind,
  );
  return {
    method: 'GET',
    path: applySchemaPath,
    operationId: 'getApplySchema',
    summary: 'JSON Schema of the file that heartline apply reads',
    sameOnEveryHost: true,
    answers: { 200: Type.Object({}, { description: 'JSON Schema 2020-12.' }), 304: { mediaTypes: [] } },
    errors: [],
    handle: answer,
  };
}
