/** A tool: a name and a text for the model over a route of the management API. */
export type ToolDefinition = {
  name: string;
  /** The route, by its method and its path below the page; a path that begins with `/api` is of no page. */
  route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`;
  title: string;
  description: string;
  /**
   * The announcement of the change to subscribers and webhooks, as the kind of an event without its type. Such a tool says
   * who would be reached and changes nothing, unless it is called with `confirm: true`.
   */
  announces?: 'created' | 'updated' | 'update_posted';
};

const announcesNothing = 'Announces nothing to subscribers or webhooks.';
const previews =
  'Without confirm: true it changes nothing, and says what it would announce, and to how many.';

export const toolDefinitions: readonly ToolDefinition[] = [
  {
    name: 'list_pages',
    route: 'GET /api/v1/me',
    title: 'Pages',
    description: 'The status pages that the key may reach, with its permissions on each.',
  },
  {
    name: 'get_requests',
    route: 'GET /analytics/requests',
    title: 'Request figures',
    description:
      'Counts, failure rates and percentiles of response times over a range, by service, endpoint and more.',
  },
  {
    name: 'get_reporters',
    route: 'GET /analytics/reporters',
    title: 'Reporters',
    description: 'Processes that report events, whether they fail, are late or silent, and their figures.',
  },
  {
    name: 'get_messages',
    route: 'GET /analytics/messages',
    title: 'Failure messages',
    description: 'The newest messages of failed requests.',
  },
  {
    name: 'get_database_health',
    route: 'GET /analytics/database-health',
    title: 'Database health',
    description: 'State of database servers and connection pools.',
  },
  {
    name: 'get_sql_schema',
    route: 'GET /analytics/sql/schema',
    title: 'SQL schema',
    description: 'Tables, columns, types and functions that run_sql can use. Read it before the first query.',
  },
  {
    name: 'run_sql',
    route: 'POST /analytics/sql',
    title: 'Run SQL',
    description:
      'Runs one SELECT of ClickHouse SQL over the telemetry of the page. It cannot change anything.',
  },
  {
    name: 'list_monitors',
    route: 'GET /monitors',
    title: 'Monitors',
    description: 'The monitors of a page with their state and settings.',
  },
  {
    name: 'get_monitor',
    route: 'GET /monitors/:slug',
    title: 'Monitor',
    description: 'One monitor with its state and settings.',
  },
  {
    name: 'list_checks',
    route: 'GET /monitors/:slug/checks',
    title: 'Checks of a monitor',
    description: 'Single checks of a monitor with outcome, time and error, newest first.',
  },
  {
    name: 'get_monitor_series',
    route: 'GET /monitors/:slug/series',
    title: 'Uptime and response times',
    description: 'Uptime and response times of a monitor over a range.',
  },
  {
    name: 'put_monitor',
    route: 'PUT /monitors/:slug',
    title: 'Create or replace a monitor',
    description: `Creates the monitor with this slug, or replaces all of its settings. ${announcesNothing} On pages where monitors open incidents, a failing monitor announces one later.`,
  },
  {
    name: 'change_monitor',
    route: 'PATCH /monitors/:slug',
    title: 'Change a monitor',
    description: `Changes the settings that are given and keeps all others. ${announcesNothing}`,
  },
  {
    name: 'pause_monitor',
    route: 'POST /monitors/:slug/pause',
    title: 'Pause a monitor',
    description: `Stops the checks of a monitor until it is resumed. ${announcesNothing}`,
  },
  {
    name: 'resume_monitor',
    route: 'POST /monitors/:slug/resume',
    title: 'Resume a monitor',
    description: `Starts the checks of a paused monitor. ${announcesNothing}`,
  },
  {
    name: 'check_monitor',
    route: 'POST /monitors/:slug/check',
    title: 'Check a monitor now',
    description: `Makes one check now, and answers its outcome and phases. ${announcesNothing}`,
  },
  {
    name: 'list_alerts',
    route: 'GET /alerts',
    title: 'Alerts',
    description:
      'What alerts on a page now, newest first: rule, severity, value and threshold, and as evidence the endpoints and messages that contribute most and the last deployment. With state "past" or "all" also alerts that are over.',
  },
  {
    name: 'acknowledge_alert',
    route: 'POST /alerts/:id/acknowledge',
    title: 'Acknowledge an alert',
    description: `Says that somebody looks after an alert, with a note in the body: nobody else is called or reminded until it is over or gets worse. Use it only when a person has said that they look after it. ${announcesNothing}`,
  },
  {
    name: 'who_is_on_call',
    route: 'GET /on-call',
    title: 'Who is on call',
    description:
      'Who is on call now by each schedule of a page, until when, and who is next. "now" is null in a gap, when nobody is.',
  },
  {
    name: 'get_report',
    route: 'GET /reports/:every',
    title: 'Report of a week or a month',
    description:
      'How a page did in the last week or month that is over, beside the one before: uptime, objectives, incidents, alerts, requests, and the endpoints that failed most.',
  },
  {
    name: 'list_incidents',
    route: 'GET /incidents',
    title: 'Incidents',
    description: 'Incidents and maintenance of a page, newest first.',
  },
  {
    name: 'get_incident',
    route: 'GET /incidents/:id',
    title: 'Incident',
    description: 'One incident with its timeline and its texts in every language.',
  },
  {
    name: 'create_incident',
    route: 'POST /incidents',
    title: 'Open an incident',
    description: `Opens an incident or schedules maintenance. It shows on the public page at once. ${previews}`,
    announces: 'created',
  },
  {
    name: 'change_incident',
    route: 'PATCH /incidents/:id',
    title: 'Change an incident',
    description: `Changes, resolves or reopens an incident. ${previews}`,
    announces: 'updated',
  },
  {
    name: 'post_incident_update',
    route: 'POST /incidents/:id/updates',
    title: 'Post an update',
    description: `Adds an update to the timeline of an incident; the status resolved ends it. ${previews}`,
    announces: 'update_posted',
  },
];
