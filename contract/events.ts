import Type, { type Static } from 'typebox';
import { limits, withCommas } from './limits.js';
import { BatchRejection, rejectionLimits } from './rejections.js';

/** The description that a v2 client sends of itself with each call. Labels become lower case; all texts are trimmed. */
export const Reporter = Type.Object(
  {
    reporterId: Type.String({
      minLength: 1,
      maxLength: limits.reporterIdChars,
      description: 'Stable id of the process across restarts. The silence of a reporter is measured by it.',
    }),
    englishName: Type.String({ minLength: 1, maxLength: limits.reporterLabelChars }),
    region: Type.Optional(Type.String({ maxLength: limits.reporterLabelChars })),
    team: Type.Optional(Type.String({ maxLength: limits.reporterLabelChars })),
    service: Type.Optional(
      Type.String({
        maxLength: limits.serviceChars,
        description:
          'Deployable name that several reporters share, in the form of the service of an event of v1: the events of all of them count for it, and silence is still that of each reporter. Without it, events count for the reporter. Earlier versions ignore it.',
      }),
    ),
    version: Type.Optional(
      Type.String({
        maxLength: limits.versionChars,
        description:
          'Version of the service, such as 2.4.1 or the hash of a commit: requests of the service count apart by version and hour. Needs `service`. Earlier versions of Heartline ignore it.',
      }),
    ),
    environment: Type.Optional(
      Type.String({
        maxLength: limits.environmentChars,
        description: 'Environment of the version, such as production.',
      }),
    ),
    expectedEverySeconds: Type.Optional(
      Type.Integer({
        minimum: limits.expectedEverySecondsMin,
        maximum: limits.expectedEverySecondsMax,
        description: 'How often the reporter promises to call, heartbeats included.',
      }),
    ),
    stopping: Type.Optional(
      Type.Boolean({
        description:
          'The reporter ends with this call, as in a deployment: until its next one it is stopped and not silent. Earlier versions ignore it.',
      }),
    ),
  },
  { $id: 'Reporter' },
);
export type Reporter = Static<typeof Reporter>;

const ofSample =
  'Stored for samples of failing responses; secrets in it are replaced. Earlier versions ignore it.';

/**
 * The outcome of one request, for the published description only. Batches are not validated with it: a malformed event
 * is skipped and counted, and does not refuse its batch.
 */
export const Event = Type.Object(
  {
    service: Type.Optional(
      Type.String({
        maxLength: limits.serviceChars,
        description: 'Deployable name (v1 only). Aliases: app, component.',
      }),
    ),
    endpoint: Type.String({
      maxLength: limits.endpointChars,
      description:
        'Route template; query string, fragment and trailing slash are removed. Aliases: path, route.',
    }),
    method: Type.Optional(Type.String({ default: 'GET' })),
    status: Type.Integer({
      minimum: limits.statusMin,
      maximum: limits.statusMax,
      description: 'Aliases: statusCode, status_code.',
    }),
    ms: Type.Optional(Type.Number({ minimum: 0, description: 'Response time. Alias: duration_ms.' })),
    message: Type.Optional(
      Type.String({ description: 'Stored for failing responses, cut after 200 characters. Alias: error.' }),
    ),
    at: Type.Optional(Type.String({ format: 'date-time', description: 'Default: the time of arrival.' })),
    traceId: Type.Optional(
      Type.String({
        maxLength: limits.traceIdChars,
        description: `Id of the trace, by which the tracing tool finds it. ${ofSample} Alias: trace_id.`,
      }),
    ),
    spanId: Type.Optional(
      Type.String({
        maxLength: limits.traceIdChars,
        description: `Id of the span. ${ofSample} Alias: span_id.`,
      }),
    ),
    errorType: Type.Optional(
      Type.String({
        description: `Class of the error, such as \`TypeError\`; cut after ${limits.errorTypeChars} characters. ${ofSample} Alias: error_type.`,
      }),
    ),
    stack: Type.Optional(
      Type.String({
        description: `Stack of the error, of which the first ${withCommas(limits.sampleStackBytes)} bytes are kept. ${ofSample}`,
      }),
    ),
    attributes: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        description: `Further facts; the first ${limits.sampleAttributes} are kept, and ${limits.sampleAttributeChars} characters of each. ${ofSample}`,
      }),
    ),
  },
  { $id: 'Event' },
);

const events = Type.Array(Type.Ref('Event'), { maxItems: limits.eventsPerBatch });

const batchId = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: limits.batchIdChars,
    description: `Names the batch, so that it can be sent again without counting twice: of the batches with one id that a page, or a reporter of v2, sends within ${limits.batchIdMinutes} minutes, the first is stored. Choose it at random.`,
  }),
);

const version = Type.Optional(
  Type.String({
    maxLength: limits.versionChars,
    description:
      'Version of the services of the events: their requests count apart by version and hour. Longer ones are not read. Earlier versions of Heartline ignore it.',
  }),
);
const environment = Type.Optional(
  Type.String({
    maxLength: limits.environmentChars,
    description: 'Environment of the version, such as production.',
  }),
);

export const EventBatchV1 = Type.Union([Type.Object({ batchId, version, environment, events }), events], {
  $id: 'EventBatchV1',
});

export const EventBatchV2 = Type.Object(
  { reporter: Type.Ref('Reporter'), batchId, events },
  { $id: 'EventBatchV2' },
);

export const Acknowledgement = Type.Object(
  {
    accepted: Type.Integer({ description: 'Events counted.' }),
    rejected: Type.Integer({
      description: 'Events dropped as malformed, out of the time range, or by a limit.',
    }),
    rows: Type.Integer({ description: 'Rows that the batch collapsed into.' }),
    statements: Type.Integer({ description: 'Inserts into the event store for the batch.' }),
    warning: Type.Optional(
      Type.String({
        description:
          'Names the limit that dropped events, and some of the dropped events; what was not read of accepted events, at most three fields; and a store that cannot be reached.',
      }),
    ),
    rejections: Type.Optional(
      Type.Array(BatchRejection, {
        maxItems: rejectionLimits.perAcknowledgement,
        description: 'Why events were rejected, one entry a reason, the most frequent first.',
      }),
    ),
    duplicate: Type.Optional(
      Type.Literal(true, {
        description:
          'The batch was stored before, under the same `batchId`. The other members are those of its first answer.',
      }),
    ),
  },
  { $id: 'Acknowledgement' },
);
export type Acknowledgement = Static<typeof Acknowledgement>;

export const ReporterAcknowledgement = Type.Object(
  {
    ...Acknowledgement.properties,
    heartbeat: Type.Boolean({ description: 'Whether the call was recorded as a sign of life.' }),
    reporterId: Type.String(),
  },
  { $id: 'ReporterAcknowledgement' },
);
export type ReporterAcknowledgement = Static<typeof ReporterAcknowledgement>;
