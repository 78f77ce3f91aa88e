import type { SqlColumn } from './sql-columns.js';
import type { ReadableView } from './sql-tables.js';

const column = (name: string, type: string, comment: string): SqlColumn => ({ name, type, comment });
const utc = "DateTime('UTC')";
const utcMs = "DateTime64(3, 'UTC')";

const pageId = column('page_id', 'UUID', 'Status page that the row belongs to');
const time = (name: string, comment: string) => column(name, utcMs, `${comment}, UTC`);
const optionalTime = (name: string, comment: string) => column(name, `Nullable(${utcMs})`, comment);
const authorType = (verb: string) =>
  column('author_type', 'String', `Who ${verb} it: user, key, cli or job; empty when that is not known`);
const monitorId = column('monitor_id', 'UUID', 'Monitor; its slug and name are in monitors');
const affected: readonly SqlColumn[] = [
  column('monitors', 'Array(String)', 'Slugs of the monitors that it names, in order'),
  column('monitor_ids', 'Array(UUID)', 'The same monitors by monitor_id'),
  column(
    'monitor_states',
    'Map(String, String)',
    'State that it gives a monitor, by slug: operational, degraded, partial_outage or major_outage',
  ),
];

/** Sums of a monitor over an hour or a day. */
const observed: readonly SqlColumn[] = [
  column('observed_ms', 'UInt32', 'Time that was observed, without maintenance and pauses, milliseconds'),
  column('up_ms', 'UInt32', 'Part of it in which the monitor was up; up_ms / observed_ms is the uptime'),
  column('degraded_ms', 'UInt32', 'Part of up_ms in which the monitor was degraded'),
  column('checks', 'UInt32', 'Checks that count, outside maintenance and pauses'),
  column('failed', 'UInt32', 'Checks of these that failed'),
  column('measured', 'UInt32', 'Checks of these with a response time'),
  column('sum_ms', 'Float64', 'Sum of the response times, milliseconds; sum_ms / measured is the mean'),
];

type Described = { comment: string; columns: readonly SqlColumn[] };

const monitors: Described = {
  comment: 'Monitors as they are now: one row per monitor',
  columns: [
    ...[pageId, column('monitor_id', 'UUID', 'Id of the monitor, by which checks and points join it')],
    column('slug', 'String', 'Slug of the monitor, unique within the page'),
    column('name', 'String', 'Name in the default language of the page'),
    column('description', 'String', 'Description for visitors; empty when it has none'),
    column('kind', 'String', 'http, tcp, heartbeat or manual'),
    column('state', 'String', 'up or down; empty before that is known'),
    optionalTime('state_since', 'Since when it has this state'),
    optionalTime('degraded_since', 'Since when it is degraded: up, and too slow; null when it is not'),
    optionalTime(
      'paused_at',
      'When it was paused by itself; null when it is not, also when the whole page is',
    ),
    column('every_seconds', 'UInt32', 'Time between checks'),
    column('timeout_ms', 'UInt32', 'Time after which a check has failed'),
    column('failures_to_down', 'UInt32', 'Failed checks in a row after which it is down'),
    column('degraded_over_ms', 'Nullable(UInt32)', 'A check that takes longer is slow; null when none is'),
    column('depends_on', 'Array(String)', 'Slugs of the monitors that it depends on'),
    column('hidden', 'UInt8', '1 when visitors do not see it'),
    optionalTime(
      'certificate_ends_at',
      'The earliest end of its certificates at the last check; null without TLS',
    ),
    time('created_at', 'When it was created'),
  ],
};

const incidents: Described = {
  comment: 'Incidents as they are now: one row per incident',
  columns: [
    ...[pageId, column('incident_id', 'UUID', 'Id of the incident, which its updates and alerts have, too')],
    column('title', 'String', 'Title in the default language of the page'),
    column('summary', 'String', 'Summary in the default language of the page'),
    column('impact', 'String', 'none, minor, major or critical; empty when nobody has said it'),
    ...affected,
    time('started_at', 'When it began'),
    optionalTime('resolved_at', 'When it was resolved; null while it is open'),
    time('published_at', 'When it was published'),
    authorType('opened'),
  ],
};

const maintenance: Described = {
  comment: 'Scheduled maintenance as it is now: one row per maintenance',
  columns: [
    pageId,
    column('maintenance_id', 'UUID', 'Id of the maintenance, which is the incident_id of its updates'),
    column('title', 'String', 'Title in the default language of the page'),
    column('summary', 'String', 'Summary in the default language of the page'),
    column('state', 'String', 'scheduled, in_progress or completed'),
    ...affected,
    time('starts_at', 'When it begins'),
    optionalTime('scheduled_end_at', 'When it is planned to end; null when that is open'),
    optionalTime('completed_at', 'When it ended; null before'),
    time('published_at', 'When it was published'),
    authorType('planned'),
  ],
};

const incidentUpdates: Described = {
  comment: 'Timelines of incidents and maintenance: one row per update',
  columns: [
    ...[pageId, column('update_id', 'UUID', 'Id of the update')],
    column('incident_id', 'UUID', 'Incident, or maintenance, that it belongs to'),
    column('status', 'String', 'investigating, identified, monitoring or resolved'),
    column('body', 'String', 'Text in the default language of the page'),
    time('created_at', 'When it was posted'),
    optionalTime('corrected_at', 'When somebody last corrected it; null when nobody has'),
    authorType('posted'),
  ],
};

const deployments: Described = {
  comment: 'Versions that came to services: one row per service, version and environment',
  columns: [
    ...[pageId, column('deployment_id', 'UUID', 'Id of the deployment')],
    column('service', 'String', 'Service name, lower case'),
    column('version', 'String', 'Version of the service'),
    column('environment', 'String', 'Environment, lower case; empty for none'),
    time('at', 'When it came: as it was announced, or else its first request'),
    optionalTime('announced_at', 'When the announcement says that it came; null without one'),
    optionalTime('first_seen_at', 'When its first request came; null before'),
  ],
};

const alerts: Described = {
  comment: 'Alerts of the rules of the page in the last 400 days: one row per alert',
  columns: [
    ...[pageId, column('alert_id', 'UUID', 'Id of the alert')],
    column('rule', 'String', 'Slug of the rule'),
    column('rule_name', 'String', 'Name of the rule'),
    column('kind', 'String', 'Kind of the rule, such as failure-rate or monitor'),
    column(
      'group_key',
      'String',
      'Service, endpoint, monitor or reporter that this alert is about; empty for a rule without groups',
    ),
    column('group_name', 'String', 'Name of the same for people'),
    column('service', 'String', 'Service that the alert is about; empty for none'),
    column('endpoint', 'String', 'Endpoint that the alert is about; empty for none'),
    column('severity', 'String', 'page, ticket or info'),
    column('title', 'String', 'Title of the alert'),
    column('value', 'Nullable(Float64)', 'Measured value when it began; null when none was measured'),
    column('threshold', 'Nullable(Float64)', 'Value from which the rule alerts; null for rules without one'),
    time('started_at', 'When it began'),
    optionalTime('resolved_at', 'When it was over; null while it lasts'),
    column(
      'ended_by',
      'String',
      'rule: the condition was over; person: somebody resolved it; change: the rule was changed, turned off or deleted; empty while it lasts',
    ),
    optionalTime('acknowledged_at', 'When somebody acknowledged it; null when nobody has'),
    column(
      'held_by',
      'String',
      'Slug of the dependency that is in trouble and holds this alert back; empty otherwise',
    ),
    column('incident_id', 'Nullable(UUID)', 'Incident that it opened; null for none'),
  ],
};

const reporters: Described = {
  comment: 'Services and reporters that the page knows: one row for each',
  columns: [
    pageId,
    column(
      'kind',
      "Enum8('service' = 1, 'reporter' = 2)",
      'service: sent through v1; reporter: sent through v2',
    ),
    column('service', 'String', 'Service name (v1, lower case, or Unassigned) or reporter id (v2)'),
    column('name', 'String', 'Name that a reporter gives itself; empty for services'),
    column('region', 'String', 'Region that a reporter names; empty for none'),
    column('team', 'String', 'Team that a reporter names; empty for none'),
    column('instance_of', 'String', 'Service that a reporter is an instance of; empty for none'),
    column(
      'expected_every_seconds',
      'Nullable(UInt32)',
      'How often a reporter says that it calls; null when it does not say',
    ),
    time('first_seen_at', 'When it first reported'),
    optionalTime('stopped_at', 'When it last said that it stops; null when it never has'),
    optionalTime('forgotten_at', 'When a person removed it from the lists; null when nobody has'),
  ],
};

const checks: Described = {
  comment: 'Checks of monitors, probed or imported: one row per check',
  columns: [
    ...[pageId, monitorId, time('at', 'When the check began')],
    column('interval_seconds', 'UInt32', 'Time between checks that was configured then'),
    column('ok', 'UInt8', '1 when this check passed'),
    column('up', 'UInt8', '1 when the monitor counted as up after it; down takes several failures in a row'),
    column(
      'degraded',
      'UInt8',
      '1 when the monitor counted as too slow after it; that takes several slow checks in a row',
    ),
    column('error', 'String', 'Class of the failure; empty when it passed'),
    column('status', 'UInt16', 'HTTP status; 0 without one'),
    column(
      'total_ms',
      'Nullable(Float32)',
      'Response time, milliseconds; null for heartbeats and for checks without an answer',
    ),
    column('dns_ms', 'Nullable(Float32)', 'Part of it: looking up the name'),
    column('connect_ms', 'Nullable(Float32)', 'Part of it: connecting'),
    column('tls_ms', 'Nullable(Float32)', 'Part of it: the TLS handshake'),
    column('first_byte_ms', 'Nullable(Float32)', 'Part of it: waiting for the first byte of the answer'),
  ],
};

const hour = column('hour', utc, 'Start of the hour, UTC');

/** The views in words. A test compares them with the columns of the store. */
export const viewColumns: Readonly<Record<ReadableView, Described>> = {
  alerts,
  checks,
  deployments,
  incident_updates: incidentUpdates,
  incidents,
  maintenance,
  monitor_days: {
    comment: 'Uptime and response times of monitors: one row per monitor and day',
    columns: [pageId, monitorId, column('day', 'Date', 'Day, UTC'), ...observed],
  },
  monitor_hours: {
    comment: 'Uptime and response times of monitors: one row per monitor and hour',
    columns: [pageId, monitorId, hour, ...observed],
  },
  monitors,
  points: {
    comment: 'The same as shares and means: one row per monitor and hour',
    columns: [
      ...[pageId, monitorId, hour],
      column(
        'uptime',
        'Nullable(Float64)',
        'Share of the observed time that it was up, 0 to 1; null when nothing was observed',
      ),
      column(
        'response_ms',
        'Nullable(Float64)',
        'Mean response time, milliseconds; null when none was measured',
      ),
    ],
  },
  reporters,
};
