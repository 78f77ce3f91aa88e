import { Compile } from 'typebox/compile';
import { ApiError } from '../../contract/errors.js';
import {
  Acknowledgement,
  EventBatchV1,
  EventBatchV2,
  Reporter,
  ReporterAcknowledgement,
} from '../../contract/events.js';
import { limits } from '../../contract/limits.js';
import type { Ingest } from '../../ingest/pipeline.js';
import { describeFirstError } from '../describe-error.js';
import type { Access, BodyRoute } from '../route.js';

const access: Access = { scope: 'ingest', capability: 'internal-analytics', keyError: 'invalidIngestKey' };
const reporterCheck = Compile(Reporter);

export function eventRoutes({ ingest }: { ingest: Ingest }): BodyRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/events',
      operationId: 'postEvents',
      summary: 'Count a batch of request outcomes',
      access,
      body: { schema: EventBatchV1, bytesMax: limits.eventBodyBytes },
      answers: { 202: Acknowledgement },
      errors: ['noEventArray', 'tooManyEvents', 'storeBusy'],
      async handle(ctx, grant, body) {
        ctx.status = 202;
        ctx.body = await ingest.acceptEvents(grant.pageId, readEvents(body));
      },
    },
    {
      method: 'POST',
      path: '/api/v2/events',
      operationId: 'postReporterEvents',
      summary: 'Count a batch of a named reporter, and record that it lives',
      access,
      body: { schema: EventBatchV2, bytesMax: limits.eventBodyBytes },
      answers: { 202: ReporterAcknowledgement },
      errors: ['noReporter', 'noReporterEvents', 'invalidReporter', 'tooManyEvents', 'storeBusy'],
      async handle(ctx, grant, body) {
        const { reporter, events } = readReport(body);
        ctx.status = 202;
        ctx.body = await ingest.acceptReport(grant.pageId, reporter, events);
      },
    },
  ];
}

function readEvents(body: unknown): readonly unknown[] {
  const events = Array.isArray(body) ? body : isObject(body) ? body['events'] : undefined;
  if (!Array.isArray(events)) throw new ApiError('noEventArray');
  return events;
}

function readReport(body: unknown): { reporter: Reporter; events: readonly unknown[] } {
  if (!isObject(body) || !isObject(body['reporter'])) throw new ApiError('noReporter');
  const { reporter, events } = body;
  if (!Array.isArray(events)) throw new ApiError('noReporterEvents');
  if (events.length > limits.eventsPerBatch) throw new ApiError('tooManyEvents');
  return { reporter: readReporter(reporter), events };
}

/** Optional fields may be null, which many clients send for what they do not have. */
function readReporter(sent: unknown): Reporter {
  const present = Object.fromEntries(Object.entries(sent as object).filter(([, value]) => value !== null));
  if (!reporterCheck.Check(present)) {
    throw new ApiError('invalidReporter', describeFirstError(reporterCheck, present, '/reporter'));
  }
  const { reporterId, englishName, region, team, expectedEverySeconds } = present;
  for (const [name, value] of Object.entries({ reporterId, englishName, region, team })) {
    const isRequired = name === 'reporterId' || name === 'englishName';
    if ((isRequired && value?.trim() === '') || /\p{Cc}/u.test(value ?? '')) {
      throw new ApiError(
        'invalidReporter',
        `/reporter/${name} must not be blank or hold control characters.`,
      );
    }
  }
  return {
    reporterId: reporterId.trim().toWellFormed(),
    englishName: englishName.trim().toWellFormed(),
    ...(region?.trim() && { region: region.trim().toLowerCase().toWellFormed() }),
    ...(team?.trim() && { team: team.trim().toLowerCase().toWellFormed() }),
    ...(expectedEverySeconds !== undefined && { expectedEverySeconds }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
