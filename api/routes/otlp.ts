import { limits } from '../../contract/limits.js';
import { OtlpAnswer, OtlpMetrics, OtlpTraces } from '../../contract/otlp.js';
import type { Signal } from '../../ingest/otlp/tree.js';
import type { Ingest } from '../../ingest/pipeline.js';
import { hangUpSignal } from '../hang-up.js';
import { answerOtlp, encodingOf, protobufType } from '../otlp/answer-otlp.js';
import type { Access, BodyRoute } from '../route.js';

/** Who may send OTLP, in any protocol. */
export const otlpAccess: Access = {
  scope: 'ingest',
  capability: 'internal-analytics',
  keyError: 'invalidIngestKey',
};

/** Takes what the SDKs and collectors of OpenTelemetry send (https://opentelemetry.io/docs/specs/otlp/#otlphttp). */
export function otlpRoutes({ ingest }: { ingest: Ingest }): BodyRoute[] {
  const routeOf = (
    signal: Signal,
    { operationId, summary, schema }: Pick<BodyRoute, 'operationId' | 'summary'> & BodyRoute['body'],
  ): BodyRoute => ({
    method: 'POST',
    path: `/v1/${signal}`,
    operationId,
    summary,
    access: otlpAccess,
    body: { schema, bytesMax: limits.otlpBodyBytes },
    answers: { 200: { mediaTypes: ['application/json', protobufType], json: OtlpAnswer } },
    errors: [
      'methodNotAllowed',
      'invalidBody',
      'bodyNotProtobuf',
      'tooManySpans',
      'storeBusy',
      'shuttingDown',
    ],
    async handle(ctx, { pageId }, body, answerBy) {
      const form = { signal, encoding: encodingOf(ctx) };
      const time = { answerBy, leave: () => hangUpSignal(ctx.res) };
      answerOtlp(ctx, form, await ingest.acceptOtlp(pageId, body, form, time));
    },
  });
  return [
    routeOf('traces', {
      operationId: 'postOtlpTraces',
      summary: 'Count the requests of OpenTelemetry spans',
      schema: OtlpTraces,
      bytesMax: limits.otlpBodyBytes,
    }),
    routeOf('metrics', {
      operationId: 'postOtlpMetrics',
      summary: 'Count the requests of OpenTelemetry histograms',
      schema: OtlpMetrics,
      bytesMax: limits.otlpBodyBytes,
    }),
  ];
}
