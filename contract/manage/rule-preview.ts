import Type, { type Static } from 'typebox';
import { ruleLimits } from './rules.js';
import { closed, nullable, Time } from './shared.js';

export const rulePreviewLimits = {
  days: ruleLimits.previewDays,
  /** Points of a series: about two for each pixel of a narrow chart. */
  steps: 400,
  /** Series of a rule with groups: the worst. */
  groups: 5,
  firings: 200,
} as const;

export const ruleUnits = ['percent', 'ms', 'requests', 'rate', 'count'] as const;
export type RuleUnit = (typeof ruleUnits)[number];

export const RulePreview = closed({
  from: Time,
  to: Time,
  stepMinutes: Type.Integer({ minimum: 1, description: 'Length of a step of the series.' }),
  unit: Type.Enum([...ruleUnits], { description: 'rate: how many times as fast as allowed.' }),
  direction: Type.Enum(['above', 'below'], { description: 'Where values are that make the rule fire.' }),
  threshold: nullable(Type.Number({ description: 'The line; null when it moves with what is usual.' })),
  groups: Type.Array(
    closed({
      group: Type.String({ description: 'As people read it; empty for a rule without groups.' }),
      values: Type.Array(nullable(Type.Number()), {
        description:
          'The worst value of each step, from `from` on; null where nothing was measured. Of a monitor or reporter 1 while the condition held, and 0 while it did not.',
      }),
    }),
    { maxItems: rulePreviewLimits.groups },
  ),
  firings: Type.Array(
    closed({
      group: Type.String(),
      startedAt: Time,
      endedAt: nullable(Time),
    }),
    { description: `The newest ${rulePreviewLimits.firings} alerts that it would have made, newest first.` },
  ),
  count: Type.Integer({ minimum: 0, description: 'Alerts that it would have made.' }),
  firingSeconds: Type.Integer({ minimum: 0, description: 'How long they would have lasted, added up.' }),
  unknown: nullable(
    Type.String({ description: 'Why nothing is known of the past of this rule; null when something is.' }),
  ),
});
export type RulePreview = Static<typeof RulePreview>;
