import Type, { type Static } from 'typebox';
import { Totals } from '../analytics/figures.js';
import { AlertSeverity, closed, nullable, ResourceSlug, Time } from './shared.js';

export const reportLimits = {
  /** Incidents and maintenance of a report, the newest first. */
  incidents: 100,
  /** Endpoints with failed requests, the one with most first. */
  endpoints: 10,
} as const;

/** The periods of reports: weeks that begin on Monday, and months, in the time zone of the page. */
export const reportPeriods = ['week', 'month'] as const;
export type ReportEvery = (typeof reportPeriods)[number];

export const reportFormats = ['json', 'csv'] as const;

export const reportQuery = {
  at: Type.Optional(
    Type.String({
      description:
        'The report of the week or month that holds this time. The last one that is over when missing.',
    }),
  ),
  format: Type.Optional(
    Type.Enum([...reportFormats], {
      description: 'The form of the answer; `Accept: text/csv` asks for CSV as well.',
    }),
  ),
};

const Percent = (description: string) => nullable(Type.Number({ description }));
const Seconds = (description: string) => nullable(Type.Number({ description }));
const previous = 'The same in the period before; null where nothing was measured or is kept.';

const ServiceOfReport = closed({
  slug: ResourceSlug,
  name: Type.String(),
  isPublic: Type.Boolean({ description: 'Whether visitors of the status page see it.' }),
  uptime: Percent(
    'Percentage of the observed time that was up, without maintenance; null when nothing was observed.',
  ),
  previousUptime: Percent(previous),
  downSeconds: Seconds('Observed time that was down; null when nothing was observed.'),
  objective: nullable(
    closed(
      { slug: ResourceSlug, target: Type.Number(), isMet: nullable(Type.Boolean()) },
      'The strictest objective about the service; null without one. Whether it is met is of the period of the report.',
    ),
  ),
});
export type ServiceOfReport = Static<typeof ServiceOfReport>;

const ObjectiveOfReport = closed({
  slug: ResourceSlug,
  name: Type.String(),
  isPublic: Type.Boolean({ description: 'Whether the status page shows it.' }),
  unit: Type.Enum(['requests', 'minutes']),
  target: Type.Number({ description: 'Percent.' }),
  good: nullable(
    Type.Number({ description: 'Good requests, or minutes up; null where figures are not kept.' }),
  ),
  total: nullable(Type.Number({ description: 'Requests that count, or minutes that were observed.' })),
  compliance: Percent('Percentage that was good, cut to five decimals; null when nothing was measured.'),
  previousCompliance: Percent(previous),
  isMet: nullable(
    Type.Boolean({ description: 'Whether the target was met; null when nothing was measured.' }),
  ),
});
export type ObjectiveOfReport = Static<typeof ObjectiveOfReport>;

const IncidentOfReport = closed({
  id: Type.String({ format: 'uuid' }),
  type: Type.Enum(['incident', 'maintenance']),
  title: Type.String(),
  monitorSlugs: Type.Array(Type.String()),
  startedAt: Time,
  resolvedAt: nullable(Time),
  seconds: Type.Integer({ description: 'Its whole length, up to now while it lasts.' }),
});
export type IncidentOfReport = Static<typeof IncidentOfReport>;

export const AlertFigures = closed({
  count: Type.Integer({ description: 'Alerts that began in the period.' }),
  bySeverity: Type.Record(AlertSeverity, Type.Integer()),
  acknowledged: Type.Integer(),
  secondsToAcknowledge: Seconds(
    'Median from the start to the acknowledgement; null when none was acknowledged.',
  ),
  resolved: Type.Integer({ description: 'Those that are over.' }),
  secondsToResolve: Seconds(
    'Median from the start to the end; null when none is over. Alerts that ended with a change of their rule do not count.',
  ),
});
export type AlertFigures = Static<typeof AlertFigures>;

/** How a page did in a week or a month. */
export const Report = closed({
  page: closed({ slug: Type.String(), name: Type.String() }),
  every: Type.Enum([...reportPeriods]),
  timeZone: Type.String({ description: 'The time zone of the page.' }),
  from: Time,
  to: Type.String({
    format: 'date-time',
    description: 'End of the week or month, which may be still to come.',
  }),
  firstDay: Type.String({ format: 'date', description: 'In the time zone of the page.' }),
  lastDay: Type.String({ format: 'date' }),
  isOver: Type.Boolean({ description: 'Whether the period is over; else figures are up to now.' }),
  previous: closed(
    { from: Time, to: Time },
    'The week or month before; as much of it as has passed of one that is not over.',
  ),
  services: Type.Array(ServiceOfReport, { description: 'In the order of the page.' }),
  objectives: Type.Array(ObjectiveOfReport, { description: 'By slug, over the period of the report.' }),
  incidents: Type.Array(IncidentOfReport, {
    description: `Those that lasted in the period, at most ${reportLimits.incidents}, latest start first.`,
  }),
  alerts: nullable(closed({ now: AlertFigures, previous: AlertFigures }, 'null in what subscribers get.')),
  requests: nullable(
    closed(
      {
        now: Totals,
        previous: Totals,
        notKept: nullable(Type.String({ description: 'Why figures of the period are null, in a sentence.' })),
      },
      'All requests of the page. A period that does not begin and end with whole hours of UTC is widened to them. null when the page has no analytics.',
    ),
  ),
  endpoints: Type.Array(
    closed({
      service: Type.String(),
      endpoint: Type.String(),
      requests: nullable(Type.Integer()),
      errors: nullable(Type.Integer({ description: 'Status 500 and above.' })),
      errorShare: nullable(Type.Number({ description: '0 to 1.' })),
      p95Ms: nullable(Type.Number()),
    }),
    { description: `Those with most failed requests, at most ${reportLimits.endpoints}.` },
  ),
});
export type Report = Static<typeof Report>;
