import Type, { type Static } from 'typebox';
import { limits } from '../limits.js';
import { analyticsLimits } from './limits.js';
import { endpoint, keptNotes, Nullable, rangeParameters, service, Time } from './parameters.js';

const status = Type.Optional(
  Type.Integer({ minimum: limits.statusMin, maximum: limits.statusMax, description: 'HTTP status.' }),
);
const errorType = Type.Optional(
  Type.String({
    maxLength: limits.errorTypeChars,
    description: 'Type of error; empty for samples without one.',
  }),
);
const version = Type.Optional(
  Type.String({ maxLength: limits.sampleAttributeChars, description: 'Version of the service.' }),
);
const filters = { ...rangeParameters, service, endpoint, errorType, status, version } as const;

/** Which samples of failing requests to list. */
export const FailuresParameters = Type.Object({
  ...filters,
  message: Type.Optional(
    Type.String({
      maxLength: limits.messageChars,
      description:
        'Message or pattern: finds the messages that differ from it in numbers, hexadecimal ids and UUIDs alone.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: analyticsLimits.failures,
      default: analyticsLimits.failuresDefault,
      description: 'Most samples.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ description: '`nextCursor` of the answer before, with the same filters.' }),
  ),
});

/** A failing request, as its sender described it. Secrets are replaced. */
export const FailureSample = Type.Object({
  at: Time(),
  service: Type.String(),
  endpoint: Type.String(),
  method: Type.String(),
  status: Type.Integer(),
  errorType: Type.String({ description: 'Empty when the sender gave none.' }),
  message: Type.String({ description: 'Empty when the sender gave none.' }),
  version: Type.String({ description: 'Version of the service; empty when it is not known.' }),
  traceId: Type.String({ description: 'Empty when the sender gave none.' }),
  spanId: Type.String({ description: 'Empty when the sender gave none.' }),
  stack: Type.String({
    description: `At most ${limits.sampleStackBytes} bytes; empty when the sender gave none.`,
  }),
  attributes: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    maxItems: limits.sampleAttributes,
  }),
});
export type FailureSample = Static<typeof FailureSample>;

const searched = `The newest ${analyticsLimits.failureRowsSearched.toLocaleString('en')} pairs of a minute and a type of error are searched.`;

export const FailuresAnswer = Type.Object(
  {
    ...keptNotes,
    samples: Type.Array(FailureSample, {
      description: `Newest first. The newest ${limits.samplesPerMinute} of each endpoint, minute and type of error are stored.`,
    }),
    nextCursor: Nullable(
      Type.String({ description: 'For the samples behind these; null behind the last one.' }),
    ),
    truncated: Type.Boolean({
      description: `Whether there may be older samples that were not searched. ${searched}`,
    }),
  },
  { $id: 'FailuresAnswer' },
);
export type FailuresAnswer = Static<typeof FailuresAnswer>;

/** Which samples to group. */
export const FailureGroupsParameters = Type.Object({
  ...filters,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: analyticsLimits.failureGroups,
      default: analyticsLimits.failureGroupsDefault,
      description: 'Most groups.',
    }),
  ),
});

/** Samples of one type of error whose messages differ only in numbers, hexadecimal ids and UUIDs. */
export const FailureGroup = Type.Object({
  errorType: Type.String({ description: 'Empty when the senders gave none.' }),
  message: Type.String({ description: 'The newest message of the group.' }),
  pattern: Type.String({ description: 'What its messages have in common: numbers and ids are replaced.' }),
  count: Type.Integer({
    description: `Stored samples: at most ${limits.samplesPerMinute} of an endpoint, minute and type of error.`,
  }),
  firstAt: Time('Time of the oldest sample.'),
  lastAt: Time('Time of the newest sample.'),
  statuses: Type.Array(Type.Integer(), { description: 'HTTP statuses, in order.' }),
  versions: Type.Array(Type.String(), {
    description: `Versions that are known, in order; at most ${analyticsLimits.versionsPerGroup}.`,
  }),
  endpoints: Type.Array(Type.Object({ service: Type.String(), endpoint: Type.String() }), {
    description: `At most ${analyticsLimits.endpointsPerGroup}, with the most samples first.`,
  }),
  endpointsTotal: Type.Integer({ description: 'How many endpoints have such a sample.' }),
});
export type FailureGroup = Static<typeof FailureGroup>;

export const FailureGroupsAnswer = Type.Object(
  {
    ...keptNotes,
    groups: Type.Array(FailureGroup, { description: 'Largest count first.' }),
    truncated: Type.Boolean({
      description: `Whether there are more groups than the limit, or older samples. ${searched}`,
    }),
  },
  { $id: 'FailureGroupsAnswer' },
);
export type FailureGroupsAnswer = Static<typeof FailureGroupsAnswer>;
