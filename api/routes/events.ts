import {
  Acknowledgement,
  EventBatchV1,
  EventBatchV2,
  ReporterAcknowledgement,
} from '../../contract/events.js';
import { limits } from '../../contract/limits.js';
import type { Ingest } from '../../ingest/pipeline.js';
import type { BatchRoute } from '../route.js';

const access: BatchRoute['access'] = {
  scope: 'ingest',
  capability: 'internal-analytics',
  keyError: 'invalidIngestKey',
};

export function eventRoutes({ ingest }: { ingest: Ingest }): BatchRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/events',
      operationId: 'postEvents',
      summary: 'Count a batch of request outcomes',
      access,
      body: { schema: EventBatchV1, bytesMax: limits.eventBodyBytes },
      answers: { 202: Acknowledgement },
      errors: [
        'methodNotAllowed',
        'noEventArray',
        'invalidBatchId',
        'tooManyEvents',
        'storeBusy',
        'shuttingDown',
      ],
      accept: (grant, body, time) => ingest.acceptEvents(grant.pageId, body, time),
    },
    {
      method: 'POST',
      path: '/api/v2/events',
      operationId: 'postReporterEvents',
      summary: 'Count a batch of a named reporter, and record that it lives',
      access,
      body: { schema: EventBatchV2, bytesMax: limits.eventBodyBytes },
      answers: { 202: ReporterAcknowledgement },
      errors: [
        'methodNotAllowed',
        'noReporter',
        'noReporterEvents',
        'invalidReporter',
        'invalidBatchId',
        'tooManyEvents',
        'storeBusy',
        'shuttingDown',
      ],
      accept: (grant, body, time) => ingest.acceptReport(grant.pageId, body, time),
    },
  ];
}
