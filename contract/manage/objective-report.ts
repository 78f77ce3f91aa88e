import Type, { type Static } from 'typebox';
import { limits } from '../limits.js';
import { objectiveLimits } from './objectives.js';
import { closed, nullable, ResourceSlug, Time } from './shared.js';

/** The lengths of the windows whose burn rates a report has, in minutes. */
export const burnWindowMinutes = [5, 30, 60, 120, 360, 1_440, 4_320] as const;
/** How long the present rate is measured, in minutes. */
export const presentMinutes = 60;

export const reportParameters = {
  at: Type.Optional(
    Type.String({
      description:
        'The report of the window that holds this time: of a month or quarter, or of the days that end with it. Now when missing.',
    }),
  ),
};

/** Requests are counted in whole ones, time in minutes. */
const Amount = (description: string) => Type.Number({ description });
const Percent = (description: string) => nullable(Type.Number({ description }));
const good = Amount('Good requests, or minutes up.');
const total = Amount('Requests that count, or minutes that were observed.');
const spent = Amount('Bad requests, or minutes down.');

/** How an objective does in a window. */
export const ObjectiveReport = closed({
  slug: ResourceSlug,
  unit: Type.Enum(['requests', 'minutes']),
  target: Type.Number(),
  underMsUsed: nullable(
    Type.Number({
      description: 'Up to how many milliseconds a request counts as good; null when any time is.',
    }),
  ),
  window: closed({
    from: Time,
    to: Type.String({
      format: 'date-time',
      description: 'End of the window. One of the calendar that lasts ends later than what is counted.',
    }),
    isCurrent: Type.Boolean({ description: 'Whether the window lasts.' }),
  }),
  counted: nullable(
    closed(
      { from: Time, to: Time },
      `What of the window is counted, in whole minutes that are over for 15 s. An end from more than ${limits.eventRetentionDays} days ago moves outwards to a whole hour. null when nothing of it is kept.`,
    ),
  ),
  keptFrom: nullable(
    Type.String({
      format: 'date-time',
      description: 'From when on figures are kept, where the window begins before; null when it has all.',
    }),
  ),
  notKept: nullable(Type.String({ description: 'Why figures are missing, in a sentence.' })),
  good,
  total,
  compliance: Percent('Percentage that was good, cut to five decimals; null when nothing was measured.'),
  isMet: nullable(Type.Boolean({ description: 'Whether the target is met so far.' })),
  budget: closed(
    {
      total: Amount('What may be bad. It may be a fraction.'),
      spent,
      left: Amount('Below 0 when more is bad than may be.'),
      leftPercent: Percent('Percentage of the budget that is left; null without a budget.'),
    },
    'The budget of what is counted. The time of a month or quarter that is still to come is a part of it; requests to come are not known.',
  ),
  burnRates: Type.Array(
    closed({
      minutes: Type.Integer({ description: 'The length of the time up to the end of what is counted.' }),
      good,
      total,
      rate: nullable(
        Type.Number({
          description: 'At 1, the budget is spent in exactly one window; null when nothing was measured.',
        }),
      ),
    }),
    { description: 'None for a window that is over.' },
  ),
  endsAt: nullable(
    Type.String({
      format: 'date-time',
      description: `When the budget ends at the rate of the last ${presentMinutes} minutes; null when it does not, or only after the window. A time that has passed when it is spent.`,
    }),
  ),
  worst: closed({
    unit: Type.Enum(['hour', 'day'], {
      description: 'Hours in a window of up to three days, else days in the time zone of the page.',
    }),
    items: Type.Array(
      closed({
        from: Time,
        to: Time,
        spent,
        share: Percent('Percentage of the budget of the window; null without a budget.'),
      }),
      {
        description: `The hours or days that spent most, at most ${objectiveLimits.worst}, the worst first.`,
      },
    ),
  }),
  endpoints: closed({
    from: nullable(
      Type.String({
        format: 'date-time',
        description: `From when on endpoints are compared, where the window begins before: they are kept for ${limits.endpointHoursDays} days.`,
      }),
    ),
    items: Type.Array(
      closed({
        service: Type.String(),
        endpoint: Type.String(),
        total,
        spent,
        share: Percent('Percentage of the budget of the window; null without a budget.'),
      }),
      {
        description: `The endpoints that spent most, at most ${objectiveLimits.worst}, the worst first; none of a monitor.`,
      },
    ),
  }),
  burnDown: closed({
    step: Type.Integer({ description: 'Seconds per point.' }),
    points: Type.Array(
      closed({
        at: Type.String({ format: 'date-time', description: 'Start of the step, in UTC.' }),
        good,
        total,
        leftPercent: Percent('Percentage of the budget that is left at the end of the step.'),
      }),
    ),
  }),
  incidents: Type.Array(
    closed({
      id: Type.String({ format: 'uuid' }),
      type: Type.Enum(['incident', 'maintenance']),
      title: Type.String(),
      startedAt: Time,
      resolvedAt: nullable(Time),
    }),
    { description: `Those that began in the window, at most ${objectiveLimits.marks}, newest first.` },
  ),
  deployments: Type.Array(
    closed({
      id: Type.String({ format: 'uuid' }),
      service: Type.String(),
      version: Type.String(),
      environment: nullable(Type.String()),
      at: Time,
    }),
    { description: `Those that came in the window, at most ${objectiveLimits.marks}, newest first.` },
  ),
});
export type ObjectiveReport = Static<typeof ObjectiveReport>;
