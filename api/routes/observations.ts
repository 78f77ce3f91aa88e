import {
  Observation,
  type ObservationAcknowledgement,
  ObservationAcknowledgement as ObservationAnswer,
  observationLimits,
} from '../../contract/observations.js';
import {
  acceptObservation,
  countObservationRequest,
} from '../../database-health/observations/accept-observation.js';
import { parseObservation } from '../../database-health/observations/parse-observation.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { parseJson } from '../../lib/parse-body.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { answerRate, createUsageCounter } from '../rate-limits.js';
import type { BodyRoute } from '../route.js';

/** An observation is committed before the 201. */
export function observationRoutes(deps: { sql: Sql; clock: Clock }): BodyRoute[] {
  const countRequest = createUsageCounter<PageId>(
    { clock: deps.clock, requestsMax: observationLimits.requestsPerPageAndMinute },
    (pageId) => countObservationRequest(deps, { pageId }),
  );
  return [
    {
      method: 'POST',
      path: '/api/v1/database-health/observations',
      operationId: 'postObservation',
      summary: 'Report what a database server looked like at one time',
      access: {
        scope: 'ingest',
        capability: 'database-health',
        keyError: 'invalidIngestKey',
        feature: 'database-health',
      },
      body: { schema: Observation, bytesMax: observationLimits.bodyBytes },
      answers: { 201: ObservationAnswer },
      errors: [
        'methodNotAllowed',
        'invalidBody',
        'rateLimited',
        'tooManySources',
        'noSuchConnection',
        'conflict',
      ],
      countsRequests: true,
      async handle(ctx, { pageId }, body) {
        // An invalid request costs the store nothing, and does not count.
        const observation = parseObservation(parseJson(body), deps.clock.now());
        const usage = await countRequest(pageId).catch(explainOutage);
        answerRate(ctx, usage, 'Too many observations of this page; wait and retry.');
        const { duplicate } = await acceptObservation(deps, { pageId, observation }).catch(explainOutage);
        const answer: ObservationAcknowledgement = {
          version: 1,
          accepted: true,
          duplicate,
          observationId: observation.id,
        };
        ctx.status = 201;
        ctx.body = answer;
      },
    },
  ];
}

/** A retry is safe: it does not store an observation twice. */
function explainOutage(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause;
  throw storeUnavailable(cause);
}
