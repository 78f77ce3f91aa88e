import Type, { type Static } from 'typebox';

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
