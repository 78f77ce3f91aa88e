import Type, { type Static } from 'typebox';
import { closed, nullable, Time } from './shared.js';

const settings = {
  thresholdPercent: Type.Number({
    exclusiveMinimum: 0,
    maximum: 100,
    description: 'Share of requests that fail with a 5xx, from which on an incident opens.',
  }),
  windowSeconds: Type.Integer({ description: 'What the share is counted over: 60 to 86400, whole minutes.' }),
  minimumRequests: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'With fewer requests in the window, no incident opens.',
  }),
};

/** When the traffic of a page opens an incident. */
export const ManagedAlertRule = closed({
  ...settings,
  incidentId: nullable(
    Type.String({ format: 'uuid', description: 'The incident of the outage that lasts now.' }),
  ),
});

export type ManagedAlertRule = Static<typeof ManagedAlertRule>;

export const SetAlertRule = closed(settings);
export type SetAlertRule = Static<typeof SetAlertRule>;

/** Absent settings come from the rule of the page. */
export const PreviewAlertRule = closed({
  thresholdPercent: Type.Optional(settings.thresholdPercent),
  windowSeconds: Type.Optional(settings.windowSeconds),
  minimumRequests: Type.Optional(settings.minimumRequests),
});

export const previewLimits = { days: 14, firings: 200 } as const;

export const AlertRulePreview = closed({
  from: Time,
  to: Time,
  count: Type.Integer({ description: 'Incidents that the rule would have opened.' }),
  firings: Type.Array(
    closed({
      from: Type.String({ format: 'date-time', description: 'When the incident would have opened.' }),
      to: nullable(
        Type.String({
          format: 'date-time',
          description: 'When it would have been resolved; null if not yet.',
        }),
      ),
      requests: Type.Integer({ description: 'In the window before it opened.' }),
      errors: Type.Integer({ description: 'Those of them that failed.' }),
    }),
    { description: `The newest ${previewLimits.firings}, newest first.` },
  ),
});
export type AlertRulePreview = Static<typeof AlertRulePreview>;
