import Type, { type Static } from 'typebox';
import { channelLimits } from '../channels.js';
import { Line } from '../line.js';
import { AlertSeverity, closed, ResourceSlug, Time } from './shared.js';

export const policyLimits = {
  policies: 50,
  nameChars: 80,
  steps: 10,
  targetsOfStep: 20,
  waitMinutes: 1_440,
  repeats: 9,
} as const;

const Name = Line('line', { charsMax: policyLimits.nameChars });

/** Somebody or something that a step tells: one of the fields. */
export const PolicyTarget = closed({
  person: Type.Optional(
    Line('line', { charsMax: 254, description: 'Email of somebody who has a role on the page.' }),
  ),
  schedule: Type.Optional(ResourceSlug),
  channel: Type.Optional(
    Line('line', { charsMax: channelLimits.nameChars, description: 'Name of a channel of the page.' }),
  ),
});
export type PolicyTarget = Static<typeof PolicyTarget>;

/** The same as a policy has it: whatever its names are, they stay readable. */
const StoredTarget = closed({
  person: Type.Optional(Type.String()),
  schedule: Type.Optional(Type.String()),
  channel: Type.Optional(Type.String()),
});

export const PolicyStep = closed({
  notify: Type.Array(PolicyTarget, {
    minItems: 1,
    maxItems: policyLimits.targetsOfStep,
    description: 'Each one is a person, a schedule or a channel. Whoever is on call by a schedule is told.',
  }),
  waitMinutes: Type.Integer({
    minimum: 1,
    maximum: policyLimits.waitMinutes,
    description: 'Without an acknowledgement for so long, the next step begins.',
  }),
});
export type PolicyStep = Static<typeof PolicyStep>;

const fields = {
  steps: Type.Array(PolicyStep, { minItems: 1, maxItems: policyLimits.steps }),
  repeat: Type.Integer({
    minimum: 0,
    maximum: policyLimits.repeats,
    description: 'How often all steps are gone through again when nobody acknowledges.',
  }),
  defaultFor: Type.Array(AlertSeverity, {
    maxItems: 3,
    description:
      'Severities of the rules that name no policy and get this one. A severity has one policy: 409.',
  }),
};

/** The body that creates or replaces a policy. */
export const PutPolicy = closed({
  name: Name,
  steps: fields.steps,
  repeat: Type.Optional(
    Type.Integer({ minimum: 0, maximum: policyLimits.repeats, description: '0 when absent.' }),
  ),
  defaultFor: Type.Optional(fields.defaultFor),
});
export type PutPolicy = Static<typeof PutPolicy>;

export const ChangePolicy = closed({
  name: Type.Optional(Name),
  steps: Type.Optional(fields.steps),
  repeat: Type.Optional(fields.repeat),
  defaultFor: Type.Optional(fields.defaultFor),
});
export type ChangePolicy = Static<typeof ChangePolicy>;

/** Whom an alert tells, one step after another. */
export const ManagedPolicy = closed({
  slug: Type.String(),
  name: Type.String(),
  steps: Type.Array(
    closed({
      notify: Type.Array(StoredTarget, {
        description:
          'Empty once the accounts of all of its people were deleted: the next step begins at once.',
      }),
      waitMinutes: Type.Integer(),
    }),
  ),
  repeat: fields.repeat,
  defaultFor: fields.defaultFor,
  withoutRole: Type.Array(Type.String(), {
    description:
      'Emails of people of the steps who have no role on the page any more, or may not sign in. They are not told.',
  }),
  createdAt: Time,
});
export type ManagedPolicy = Static<typeof ManagedPolicy>;
