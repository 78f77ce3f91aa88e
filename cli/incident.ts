import { type Incident, incidentTypes, updateStatuses } from '../contract/incidents.js';
import {
  appendUpdate,
  changeIncident,
  createIncident,
  listIncidents,
  loadIncidentPage,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
} from '../control/incidents/index.js';
import { ServiceError } from '../lib/service-error.js';
import { defineCommand, type Output } from './core/define-command.js';
import { formatFields, formatTable } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';
import { pageOption } from './page.js';

const quietOption = { help: 'send no email and no webhook' } as const;

export const incidentCommands = [
  defineCommand({
    name: 'incident create',
    summary: 'open an incident, or schedule maintenance',
    help: 'Opens an incident. Subscribers and webhooks are notified, as for an incident from the API.',
    options: {
      page: pageOption,
      title: {
        value: 'TEXT',
        help: 'in the default language of the page, as is the summary',
        required: true,
      },
      summary: { value: 'TEXT', help: 'what readers should know', required: true },
      type: {
        value: 'TYPE',
        help: `${incidentTypes.join(' or ')}; incident by default`,
        default: 'incident',
      },
      monitor: {
        value: 'SLUG',
        help: 'an affected monitor; may be repeated',
        multiple: true,
      },
      startedAt: { value: 'TIME', help: 'such as 2026-01-31T23:00:00Z; now by default' },
      resolvedAt: { value: 'TIME', help: 'end of an incident that is over' },
      scheduledEndAt: { value: 'TIME', help: 'planned end of a maintenance' },
    },
    json: '',
    async run(context, { page, type, title, summary, monitor = [], ...times }) {
      const input = parseNewIncident({
        ...{ type, title, summary, monitorSlugs: monitor },
        startedAt: times.startedAt ?? new Date(context.clock.now()).toISOString(),
        resolvedAt: times.resolvedAt ?? null,
        scheduledEndAt: times.scheduledEndAt ?? null,
      });
      const { pageId, ...deps } = await context.openPage(page);
      return printed(await createIncident(deps, { pageId, input }));
    },
  }),

  defineCommand({
    name: 'incident list',
    summary: 'list the incidents and maintenance of a page',
    help: 'Lists incidents and maintenance, the latest start first.',
    options: {
      page: pageOption,
      open: { help: 'only those without an end' },
      limit: { value: 'N', help: 'at most this many; 50 by default', default: '50', parse: wholeNumber },
    },
    json: '{"incidents": [...]}',
    async run(context, { page: slug, open, limit }) {
      const { pageId, ...control } = await context.openPage(slug);
      const incidents = await listIncidents(control, { pageId, open, limit });
      const rows = incidents.map(({ id, type, startedAt, resolvedAt, title }) => [
        ...[id, type, startedAt],
        ...[resolvedAt ?? 'open', title],
      ]);
      const text = formatTable(['ID', 'TYPE', 'STARTED', 'RESOLVED', 'TITLE'], rows);
      return { json: { incidents }, text };
    },
  }),

  defineCommand({
    name: 'incident update',
    summary: 'add an update to the timeline of an incident',
    help: `Adds an update. The status resolved also resolves an open incident. ID is as in: heartline incident list`,
    arguments: { id: 'ID' },
    options: {
      body: { value: 'TEXT', help: 'in the default language of the page', required: true },
      status: {
        value: 'STATUS',
        help: `${updateStatuses.join(', ')}; investigating by default`,
        default: 'investigating',
      },
      quiet: quietOption,
    },
    json: '',
    async run(context, { id, body, status, quiet }) {
      const input = parseNewUpdate({ body, status, notify: !quiet });
      const deps = await context.openControl();
      const found = await loadIncidentPage(deps, { id });
      const update = await appendUpdate(deps, { ...found, input });
      if (update === undefined) throw noSuchIncident(id);
      const resolved = update.resolvedIncident ? '; the incident is resolved' : '';
      return { json: update, text: `Posted as ${update.status}${resolved}.\n` };
    },
  }),

  defineCommand({
    name: 'incident resolve',
    summary: 'resolve an incident without posting an update',
    help: `Sets the end of an incident. To post an update along with it, run:
heartline incident update ID --status resolved --body TEXT`,
    arguments: { id: 'ID' },
    options: {
      at: { value: 'TIME', help: 'such as 2026-01-31T23:00:00Z; now by default' },
      quiet: quietOption,
    },
    json: '',
    async run(context, { id, at, quiet }) {
      const resolvedAt = at ?? new Date(context.clock.now()).toISOString();
      const change = parseIncidentChange({ resolvedAt, notify: !quiet });
      const deps = await context.openControl();
      const found = await loadIncidentPage(deps, { id });
      const incident = await changeIncident(deps, { ...found, change });
      if (incident === undefined) throw noSuchIncident(id);
      return printed(incident);
    },
  }),
];

function noSuchIncident(id: string): ServiceError {
  return new ServiceError('notFound', { message: `There is no incident with the id "${id}".` });
}

function printed(incident: Incident): Output {
  const text = formatFields([
    ['id', incident.id],
    ['type', incident.type],
    ['title', incident.title],
    ['monitors', incident.monitorSlugs.join(', ') || 'none'],
    ['started', incident.startedAt],
    ['resolved', incident.resolvedAt ?? 'open'],
  ]);
  return { json: incident, text };
}
