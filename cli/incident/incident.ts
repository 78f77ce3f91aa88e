import type { Static } from 'typebox';
import {
  type Incident,
  type IncidentUpdate,
  incidentTypes,
  updateStatuses,
} from '../../contract/incidents.js';
import {
  AppendedManagedUpdate,
  ListedIncident,
  ManagedIncident,
} from '../../contract/manage/incidents/incidents.js';
import { type DeclaredState, declaredStates, impacts } from '../../contract/public/service-states.js';
import { parseIncidentChange, parseNewIncident, parseNewUpdate } from '../../control/incidents/index.js';
import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Client } from '../client/client.js';
import { defineCommand, type Output } from '../core/define-command.js';
import { UsageError } from '../core/errors.js';
import { formatFields, formatTable } from '../core/output.js';
import { parseTimeOption, wholeNumber } from '../core/parse-arguments.js';
import { optionName } from '../core/usage.js';
import { listMonitors } from '../monitor/requests.js';
import { pageOfIdOption, pageOption } from '../page.js';

const answer = ManagedIncident;

const timeOption = { value: 'TIME', parse: parseTimeOption } as const;
const quietOption = { help: 'send no email and no webhook' } as const;

export const incidentCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'incident create',
    summary: 'open an incident, or schedule maintenance',
    help: 'Opens an incident. Subscribers and webhooks are notified, as for an incident from the API, unless --quiet is given.',
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
      impact: { value: 'IMPACT', help: `${impacts.join(', ')}; of an incident`, choices: impacts },
      serviceState: {
        value: 'SLUG=STATE',
        help: `state of an affected monitor: ${declaredStates.join(', ')}; may be repeated`,
        multiple: true,
      },
      startedAt: { ...timeOption, help: 'such as 2026-01-31T23:00:00Z; now by default' },
      resolvedAt: { ...timeOption, help: 'end of an incident that is over' },
      scheduledEndAt: { ...timeOption, help: 'planned end of a maintenance' },
      quiet: quietOption,
    },
    json: '',
    async run(
      context,
      { page, type, title, summary, monitor = [], impact, serviceState = [], quiet, ...times },
    ) {
      const serviceStates = parseStates(serviceState);
      const body = {
        ...{ type, title, summary, monitorSlugs: [...new Set([...monitor, ...Object.keys(serviceStates)])] },
        ...(impact !== undefined && { impact }),
        ...(serviceState.length > 0 && { serviceStates }),
        startedAt: times.startedAt ?? new Date(context.clock.now()).toISOString(),
        resolvedAt: times.resolvedAt ?? null,
        scheduledEndAt: times.scheduledEndAt ?? null,
      };
      checkNamed(parseNewIncident, body);
      const { client } = context;
      await checkMonitors(client, page, body.monitorSlugs);
      const path = `${await client.pathOf(page)}/incidents`;
      return printed(await client.send('POST', path, { answer, body: { ...body, notify: !quiet } }));
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'incident list',
    summary: 'list the incidents and maintenance of a page',
    help: 'Lists incidents and maintenance, the latest start first.',
    options: {
      page: pageOption,
      open: { help: 'only those without an end' },
      limit: { value: 'N', help: 'at most this many; 50 by default', default: '50', parse: wholeNumber },
    },
    json: '{"incidents": [...]}',
    async run({ client }, { page: slug, open, limit }) {
      const path = `${await client.pathOf(slug)}/incidents`;
      const incidents = await (open
        ? listOpen(client, path, limit)
        : client.list(path, ListedIncident, limit));
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
    runsRemotely: true,
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
      page: pageOfIdOption,
    },
    json: '',
    async run({ client }, { quiet, id, page, ...posted }) {
      const body = { ...posted, notify: !quiet };
      checkNamed(parseNewUpdate, body);
      const path = `${await client.pathTo('incident', { id, page })}/updates`;
      const update = toUpdate(await client.send('POST', path, { answer: AppendedManagedUpdate, body }));
      const resolved = update.resolvedIncident ? '; the incident is resolved' : '';
      return { json: update, text: `Posted as ${update.status}${resolved}.\n` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'incident resolve',
    summary: 'resolve an incident without posting an update',
    help: `Sets the end of an incident. To post an update along with it, run:
heartline incident update ID --status resolved --body TEXT`,
    arguments: { id: 'ID' },
    options: {
      at: { ...timeOption, help: 'such as 2026-01-31T23:00:00Z; now by default' },
      quiet: quietOption,
      page: pageOfIdOption,
    },
    json: '',
    async run(context, { at, quiet, ...ref }) {
      const body = { resolvedAt: at ?? new Date(context.clock.now()).toISOString(), notify: !quiet };
      checkNamed(parseIncidentChange, body);
      const { client } = context;
      return printed(await client.send('PATCH', await client.pathTo('incident', ref), { answer, body }));
    },
  }),
];

/** Checks a body as the API does. An error names the option in place of the field, such as /title. */
function checkNamed(parse: (body: object) => unknown, body: object): void {
  try {
    parse(body);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = error.message.replaceAll(/\/?\b(\w+At|title|summary|body)\b/g, (_, key) =>
      optionName(key),
    );
    throw new UsageError(message);
  }
}

/** Such as `shop=degraded`. */
function parseStates(pairs: readonly string[]): Record<string, DeclaredState> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, slug = '', word] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
      const state = declaredStates.find((one) => one === word);
      if (state !== undefined) return [slug, state];
      throw new UsageError(
        `--service-state must be a slug, "=" and one of ${listOr(declaredStates)}, such as shop=degraded; it is "${pair}".`,
      );
    }),
  );
}

/** @throws UsageError that names the slugs of which the page has no monitor; the API ignores them silently. */
async function checkMonitors(client: Client, page: string, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return;
  const known = (await listMonitors(client, await client.pathOf(page))).map(({ slug }) => slug);
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

/** Incidents without an end, and maintenance that is planned: the latest start first. */
async function listOpen(client: Client, path: string, limit: number): Promise<ListedIncident[]> {
  const states = ['open', 'scheduled'].map((state) =>
    client.list(`${path}?state=${state}`, ListedIncident, limit),
  );
  const all = (await Promise.all(states)).flat().sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  return all.slice(0, limit);
}

function toUpdate(answered: Static<typeof AppendedManagedUpdate>): IncidentUpdate {
  const { id, incidentId, status, body, notify, resolvedIncident } = answered;
  return { id, incidentId, status, body, notify, resolvedIncident };
}

function toShown(incident: ManagedIncident): Incident & { scheduledEndAt: string | null } {
  const { id, type, title, summary, monitorSlugs, impact, serviceStates } = incident;
  const { startedAt, resolvedAt, scheduledEndAt } = incident;
  return {
    ...{ id, type, title, summary, monitorSlugs },
    ...(impact !== null && { impact }),
    ...(Object.keys(serviceStates).length > 0 && { serviceStates }),
    ...{ startedAt, resolvedAt, scheduledEndAt },
  };
}

function printed(answered: ManagedIncident): Output {
  const incident = toShown(answered);
  const { scheduledEndAt, impact } = incident;
  const states = Object.entries(incident.serviceStates ?? {});
  const text = formatFields([
    ['id', incident.id],
    ['type', incident.type],
    ['title', incident.title],
    ['monitors', incident.monitorSlugs.join(', ') || 'none'],
    ...(impact === undefined ? [] : [['impact', impact] as const]),
    ...(states.length === 0 ? [] : [['states', states.map((pair) => pair.join('=')).join(', ')] as const]),
    ['started', incident.startedAt],
    ...(scheduledEndAt === null ? [] : [['planned end', scheduledEndAt] as const]),
    ['resolved', incident.resolvedAt ?? 'open'],
  ]);
  return { json: incident, text };
}
