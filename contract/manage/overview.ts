import Type, { type Static } from 'typebox';
import { updateStatuses } from '../incidents.js';
import { monitorKinds } from '../monitors.js';
import { OpenAlert } from './alerts.js';
import { closed, Id, nullable, Time } from './shared.js';

/** Bounds of the overview of a page. */
export const overviewLimits = {
  monitors: 200,
  changes: 20,
  alerts: 20,
  /** How far its figures and changes go back, and its maintenance ahead. */
  hours: 24,
} as const;
const { hours } = overviewLimits;

const Reporters = nullable(
  Type.Integer({
    minimum: 0,
    description:
      'Services and reporters in this state, with the errors of the last hour; one that failed and then fell silent is both. null when the event store of the page does not answer, and without the capability.',
  }),
);
const Uptime = (description: string) =>
  nullable(Type.Number({ description: `${description}; null when nothing was observed.` }));

const RunningHour = Type.String({
  format: 'date-time',
  description: 'Start of the current hour, the last one of the monitors, whose figures still change.',
});

const OverviewMonitor = closed({
  slug: Type.String(),
  name: Type.String({ description: 'In the default language of the page.' }),
  type: Type.Enum([...monitorKinds]),
  state: nullable(
    Type.Enum(['up', 'down'], { description: 'null until a check has passed, or enough have failed.' }),
  ),
  stateSince: nullable(Time),
  degradedSince: nullable(Time),
  lastPingAt: nullable(
    Type.String({ format: 'date-time', description: 'For a heartbeat: null until its first call.' }),
  ),
  paused: Type.Boolean(),
  uptime24h: Uptime(`Percentage of the observed time of the last ${hours} hours, cut to two decimals`),
  responseMs: nullable(Type.Number({ description: 'Average; null without a measurement.' })),
  bars: Type.Array(Uptime('Percentage of an hour'), {
    description: `The last ${hours} hours, of which the current one is the last. They are a minute behind.`,
  }),
});
export type OverviewMonitor = Static<typeof OverviewMonitor>;

/** Every monitor of a page with its last day. */
export const MonitorsOverview = closed({
  unfinishedFrom: RunningHour,
  monitors: Type.Array(
    closed({
      ...OverviewMonitor.properties,
      url: nullable(Type.String({ description: 'null for a heartbeat, and for a service without checks.' })),
      lastCheckedAt: nullable(Time),
      lastError: nullable(Type.String({ description: 'A class, a colon and a sentence.' })),
      responses: Type.Array(nullable(Type.Number({ description: 'Average of an hour; null without one.' })), {
        description: `Milliseconds of the same ${hours} hours.`,
      }),
    }),
    { description: 'In the order of the page.' },
  ),
});
export type MonitorsOverview = Static<typeof MonitorsOverview>;

/** How a page does, at a glance. */
export const OverviewAnswer = closed({
  unfinishedFrom: RunningHour,
  checklist: closed(
    {
      monitor: Type.Boolean({ description: 'The page has a monitor.' }),
      ingestKey: Type.Boolean({ description: 'The page has an ingest key that works.' }),
      event: Type.Boolean({ description: 'The page has received an event.' }),
      told: Type.Boolean({
        description:
          'Somebody is told of alerts: the page has a channel, or a policy and a person with a confirmed way.',
      }),
      subscriber: Type.Boolean({ description: 'The page has a confirmed subscriber.' }),
      host: Type.Boolean({
        description: 'The host name of the page is neither local nor a part of the address of the service.',
      }),
    },
    'The steps of setting up a page.',
  ),
  unread: nullable(
    closed(
      { at: Time, message: Type.String({ description: 'The warning that its sender got.' }) },
      `The newest batch of events of the last ${hours} hours of which something was not read, though its events count.`,
    ),
  ),
  alerts: closed(
    {
      items: Type.Array(OpenAlert, {
        description: `At most ${overviewLimits.alerts}, the worst first; those that somebody looks after come last.`,
      }),
      count: Type.Integer({ minimum: 0, description: 'How many there are.' }),
    },
    'Alerts that fire and that people are told of: neither silenced nor held back.',
  ),
  monitors: Type.Array(OverviewMonitor, { description: `At most ${overviewLimits.monitors}, worst first.` }),
  incidents: Type.Array(
    closed({
      id: Id,
      title: Type.String({ description: "In the page's default language." }),
      state: Type.Enum([...updateStatuses], { description: 'Of its newest update.' }),
      startedAt: Time,
    }),
    { description: 'Open ones, latest first.' },
  ),
  maintenance: Type.Array(closed({ id: Id, title: Type.String(), startsAt: Time, endsAt: nullable(Time) }), {
    description: `What runs, and what begins within ${hours} hours, soonest first.`,
  }),
  silentReporters: Reporters,
  failingReporters: Reporters,
  lateReporters: Reporters,
  backlog: closed(
    {
      emails: Type.Integer({ minimum: 0, description: 'Emails that have not been sent.' }),
      webhooks: Type.Integer({ minimum: 0, description: 'Deliveries of webhooks that have not been sent.' }),
      events: Type.Integer({
        minimum: 0,
        description: 'Events that wait for the event store of the page; 0 for a page without its own.',
      }),
    },
    'What waits.',
  ),
  changes: Type.Array(
    closed({
      at: Time,
      actor: Type.String({ description: 'Email of the person, name of the key or job.' }),
      actorType: Type.Optional(Type.Enum(['user', 'key', 'cli', 'job', 'channel'])),
      actorPersonName: Type.Optional(Type.String({ description: 'What the person is called.' })),
      action: Type.String({ description: 'noun.verb, such as monitor.update.' }),
      subject: Type.String({ description: 'What was changed: its name or title, or the email of a person.' }),
      subjectPersonName: Type.Optional(
        Type.String({ description: 'What the person is called who was changed.' }),
      ),
    }),
    {
      description: `Of the last ${hours} hours, newest first, at most ${overviewLimits.changes}. Callers who may not read the audit log see those of incidents.`,
    },
  ),
});
export type OverviewAnswer = Static<typeof OverviewAnswer>;
