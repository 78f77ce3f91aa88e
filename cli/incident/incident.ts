import { incidentTypes, updateStatuses } from '../../contract/incidents.js';
import { type DeclaredState, declaredStates, impacts } from '../../contract/public/service-states.js';
import { parseIncidentChange, parseNewIncident, parseNewUpdate } from '../../control/incidents/index.js';
import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import { ServiceError } from '../../lib/service-error.js';
import type { CommandContext } from '../core/context.js';
import { defineCommand, type Output } from '../core/define-command.js';
import { UsageError } from '../core/errors.js';
import { formatFields, formatTable } from '../core/output.js';
import { wholeNumber } from '../core/parse-arguments.js';
import { parseTimeOption } from '../core/time-option.js';
import { optionName } from '../core/usage.js';
import { pageOption } from '../page.js';
import { incidentsOf, type ShownIncident } from '../ports/incidents.js';
import { monitorsOf } from '../ports/monitors.js';
import { pageOfIdOption } from '../ports/ref.js';

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
      await checkMonitors(context, page, body.monitorSlugs);
      return printed(await incidentsOf(context).create(page, { ...body, notify: !quiet }));
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
    async run(context, { page: slug, open, limit }) {
      const incidents = await incidentsOf(context).list(slug, { open, limit });
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
    async run(context, { quiet, id, page, ...posted }) {
      const body = { ...posted, notify: !quiet };
      checkNamed(parseNewUpdate, body);
      const update = await incidentsOf(context).update({ id, page }, body);
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
      return printed(await incidentsOf(context).resolve(ref, body));
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
async function checkMonitors(context: CommandContext, page: string, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return;
  const known = (await monitorsOf(context).list(page)).map(({ slug }) => slug);
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

function printed(incident: ShownIncident): Output {
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
