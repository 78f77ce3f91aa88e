import Type from 'typebox';
import { createFixedAnswer } from '../public/fixed-answer.js';
import type { OpenRoute, Route } from '../route.js';
import { describeApi } from './describe-api.js';

/** How a description may be kept: each version of the service has its own. */
export const descriptionKind = { contentType: 'application/json; charset=utf-8', cacheControl: 'no-cache' };

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
