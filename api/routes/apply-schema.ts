import Type from 'typebox';
import { ApplyFile, applySchemaPath } from '../../contract/manage/apply.js';
import { descriptionKind } from '../openapi/description-route.js';
import { createFixedAnswer } from '../public/fixed-answer.js';
import type { OpenRoute } from '../route.js';

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
