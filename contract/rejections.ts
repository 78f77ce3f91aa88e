import Type, { type Static } from 'typebox';
import { KeptCount, rangeNotes, rangeParameters, stepParameter } from './analytics/parameters.js';

/** Why an event was not counted. Also the label of the metric of rejected events. */
export const rejectionReasons = [
  'not_an_object',
  'status_missing',
  'status_invalid',
  'too_old',
  'in_the_future',
  'at_invalid',
  'method_invalid',
  'method_limit',
  'endpoint_missing',
  'endpoint_invalid',
  'endpoint_too_long',
  'endpoint_limit_per_batch',
  'endpoint_limit',
  'service_limit',
  'reporter_limit',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

export const rejectionLimits = {
  /** Entries of one acknowledgement; a batch with more reasons names the most frequent ones. */
  perAcknowledgement: 10,
} as const;

const reason = Type.Enum([...rejectionReasons]);

export const BatchRejection = Type.Object({
  reason,
  count: Type.Integer({ description: 'Events of the batch that were rejected for this reason.' }),
  firstIndex: Type.Integer({ description: 'Place of the first of them in the batch, counted from 0.' }),
  message: Type.String({
    description: 'What was wrong with the first of them: the field, what is allowed, and what was sent.',
  }),
});
export type BatchRejection = Static<typeof BatchRejection>;

const Time = (description: string) => Type.String({ format: 'date-time', description });

export const RejectionsParameters = Type.Object({ ...rangeParameters, step: stepParameter });

export const RejectionsAnswer = Type.Object(
  {
    from: Time('The given time, moved back to a whole minute.'),
    to: Time('The given time, moved forward to a whole minute.'),
    step: Type.Integer(),
    ...rangeNotes,
    rejected: KeptCount('Rejected events of the range.'),
    reasons: Type.Array(
      Type.Object({
        reason,
        count: KeptCount('Rejected events of the range.'),
        newest: Type.Object(
          {
            at: Time('When it arrived.'),
            service: Type.Union([Type.String(), Type.Null()], {
              description: 'The service or reporter that sent it; null when the event did not say.',
            }),
            message: Type.String({ description: 'What was wrong with it.' }),
          },
          { description: 'The newest event that was rejected for this reason, in the range or after it.' },
        ),
        points: Type.Array(
          Type.Object({
            at: Time('Start of the step; steps are counted from 1970-01-01T00:00:00Z.'),
            count: Type.Integer(),
          }),
          { description: 'Steps with rejected events that are kept, oldest first.' },
        ),
      }),
      { description: 'The most frequent first.' },
    ),
  },
  { $id: 'RejectionsAnswer' },
);
export type RejectionsAnswer = Static<typeof RejectionsAnswer>;
