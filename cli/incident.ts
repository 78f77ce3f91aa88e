import { type Incident, incidentTypes, updateStatuses } from '../contract/incidents.js';
import {
  appendUpdate,
  changeIncident,
  createIncident,
  listIncidents,
  loadIncidentPage,
  loadScheduledEnds,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
} from '../control/incidents/index.js';
import { listMonitors } from '../control/monitors/index.js';
import type { PageId } from '../lib/ids.js';
import { listOr, nearestNames } from '../lib/mistakes/nearest.js';
import { ServiceError } from '../lib/service-error.js';
import { parseTimestamp } from '../lib/timestamp.js';
import type { ControlStore } from './core/context.js';
import { defineCommand, type Output } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields, formatTable } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';
import { optionName } from './core/usage.js';
import { pageOption } from './page.js';

const timeOption = { value: 'TIME', parse: parseTime } as const;
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
        choices: incidentTypes,
      },
      monitor: {
        value: 'SLUG',
        help: 'an affected monitor; may be repeated',
        multiple: true,
      },
      startedAt: { ...timeOption, help: 'such as 2026-01-31T23:00:00Z; now by default' },
      resolvedAt: { ...timeOption, help: 'end of an incident that is over' },
      scheduledEndAt: { ...timeOption, help: 'planned end of a maintenance' },
    },
    json: '',
    async run(context, { page, type, title, summary, monitor = [], ...times }) {
      const input = parseNamed(parseNewIncident, {
        ...{ type, title, summary, monitorSlugs: monitor },
        startedAt: times.startedAt ?? new Date(context.clock.now()).toISOString(),
        resolvedAt: times.resolvedAt ?? null,
        scheduledEndAt: times.scheduledEndAt ?? null,
      });
      const { pageId, ...deps } = await context.openPage(page);
      await checkMonitors(deps, { page, pageId, slugs: monitor });
      return printed(deps, pageId, await createIncident(deps, { pageId, input }));
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
      const listed = await listIncidents(control, { pageId, open, limit });
      const incidents = await withScheduledEnds(control, pageId, listed);
      const rows = incidents.map(({ id, type, startedAt, scheduledEndAt, resolvedAt, title }) => [
        ...[id, type, startedAt, scheduledEndAt ?? ''],
        ...[resolvedAt ?? 'open', title],
      ]);
      const headings = ['ID', 'TYPE', 'STARTED', 'PLANNED END', 'RESOLVED', 'TITLE'];
      const empty = `${slug} has no incident${open ? ' without an end' : ''}.`;
      const text = formatTable(headings, rows, empty);
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
        choices: updateStatuses,
      },
      quiet: quietOption,
    },
    json: '',
    async run(context, { id, body, status, quiet }) {
      const input = parseNamed(parseNewUpdate, { body, status, notify: !quiet });
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
      at: { ...timeOption, help: 'such as 2026-01-31T23:00:00Z; now by default' },
      quiet: quietOption,
    },
    json: '',
    async run(context, { id, at, quiet }) {
      const resolvedAt = at ?? new Date(context.clock.now()).toISOString();
      const change = parseNamed(parseIncidentChange, { resolvedAt, notify: !quiet });
      const deps = await context.openControl();
      const found = await loadIncidentPage(deps, { id });
      const incident = await changeIncident(deps, { ...found, change });
      if (incident === undefined) throw noSuchIncident(id);
      return printed(deps, found.pageId, incident);
    },
  }),
];

function noSuchIncident(id: string): ServiceError {
  return new ServiceError('notFound', { message: `There is no incident with the id "${id}".` });
}

/** @throws UsageError unless the text is a time; the service's own error would name a field of the API. */
function parseTime(text: string, option: string): string {
  if (!Number.isNaN(parseTimestamp(text))) return text;
  throw new UsageError(`${option} must be a time such as 2026-01-31T23:00:00Z, not "${text}".`);
}

/** Parses as the API does. An error names the option in place of the field, such as /title. */
function parseNamed<T>(parse: (body: object) => T, body: object): T {
  try {
    return parse(body);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = error.message.replaceAll(/\/?\b(\w+At|title|summary|body)\b/g, (_, key) =>
      optionName(key),
    );
    throw new UsageError(message);
  }
}

/** @throws UsageError that names the slugs of which the page has no monitor; the API ignores them silently. */
async function checkMonitors(
  { sql }: ControlStore,
  { page, pageId, slugs }: { page: string; pageId: PageId; slugs: readonly string[] },
): Promise<void> {
  if (slugs.length === 0) return;
  const known = (await listMonitors({ sql }, pageId)).map(({ slug }) => slug);
  const unknown = slugs.filter((slug) => !known.includes(slug));
  if (unknown.length === 0) return;
  const named = unknown.map((slug) => {
    const near = nearestNames(slug, known);
    return near.length > 0 ? `"${slug}" (did you mean ${listOr(near)}?)` : `"${slug}"`;
  });
  throw new UsageError(
    `${page} has no monitor ${listOr(named)}. List its monitors with: heartline monitor list --page ${page}`,
  );
}

/** The incidents with the planned ends of maintenance. */
async function withScheduledEnds(
  { sql }: ControlStore,
  pageId: PageId,
  incidents: readonly Incident[],
): Promise<(Incident & { scheduledEndAt: string | null })[]> {
  const ends = await loadScheduledEnds({ sql }, { pageId, ids: incidents.map(({ id }) => id) });
  return incidents.map((incident) => ({ ...incident, scheduledEndAt: ends.get(incident.id) ?? null }));
}

async function printed(store: ControlStore, pageId: PageId, changed: Incident): Promise<Output> {
  const [incident] = await withScheduledEnds(store, pageId, [changed]);
  const scheduledEndAt = incident?.scheduledEndAt ?? null;
  const text = formatFields([
    ['id', changed.id],
    ['type', changed.type],
    ['title', changed.title],
    ['monitors', changed.monitorSlugs.join(', ') || 'none'],
    ['started', changed.startedAt],
    ...(scheduledEndAt === null ? [] : [['planned end', scheduledEndAt] as const]),
    ['resolved', changed.resolvedAt ?? 'open'],
  ]);
  return { json: { ...changed, scheduledEndAt }, text };
}
