import { type AddOverride, ManagedSchedule, OnCall, ScheduleOverride } from '../contract/manage/schedules.js';
import { deleteCommand, type Kind, pathOfSlug, readBySlug, setBySlug } from './by-slug.js';
import type { Client } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields, formatTable } from './core/output.js';
import { parseTimeOption, wholeNumber } from './core/parse-arguments.js';
import { missingOptions, nothingToChange } from './core/refusals.js';
import { pageOption } from './page.js';

const schedules = {
  noun: 'schedule',
  list: '/schedules',
  answer: ManagedSchedule,
} as const satisfies Kind<typeof ManagedSchedule>;

const settings = {
  name: { value: 'NAME', help: 'name for people; its slug by default' },
  timeZone: { value: 'ZONE', help: 'such as Europe/Berlin; of a new schedule, UTC by default' },
  person: {
    value: 'EMAIL',
    help: 'somebody with a role on the page; repeated in the order of their turns',
    multiple: true,
  },
  handoff: {
    value: 'TIME',
    help: 'when the first person takes over by the clock of the zone, such as 2026-12-07T09:00',
  },
  weeks: { value: 'N', help: 'weeks of a turn; 1 by default', parse: wholeNumber },
  days: { value: 'N', help: 'days of a turn, in place of weeks', parse: wholeNumber, excludes: 'weeks' },
} as const;

export const scheduleCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'schedule set',
    summary: 'create or change a schedule of who is on call',
    help: `Changes the fields that are named and keeps all others. A schedule that does not exist is created. People take turns
in one layer, which --person and --handoff replace; a file of heartline apply has several layers, and hours.`,
    arguments: { slug: 'SLUG' },
    options: { page: pageOption, ...settings },
    json: '',
    async run({ client }, { page, slug, name, timeZone, ...turns }) {
      const { one, isNew } = await setBySlug(client, schedules, { page, slug }, (before) => {
        const layers = layersOf(before, turns);
        const changed = {
          ...(name !== undefined && { name }),
          ...(timeZone !== undefined && { timeZone }),
          ...(layers !== undefined && { layers }),
        };
        if (before === null) return { name: slug, timeZone: 'UTC', layers: [], ...changed };
        if (Object.keys(changed).length === 0) throw nothingToChange('--time-zone Europe/Berlin');
        return changed;
      });
      return { json: one, text: `${isNew ? `The schedule ${slug} is created.\n` : ''}${scheduleText(one)}` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'schedule on-call',
    summary: 'show who is on call now, and who is next',
    help: 'Shows who is on call by each schedule of a page, or by one, now or at another time.',
    arguments: { slug: '[SLUG]' },
    options: {
      page: pageOption,
      at: {
        value: 'TIME',
        help: 'by SLUG at this time, such as 2026-12-24T18:00:00Z',
        parse: parseTimeOption,
      },
    },
    json: '{"onCall": [...]}',
    async run({ client }, { page, slug, at }) {
      const onCall = await loadOnCall(client, { page, slug, at });
      const rows = onCall.map(({ slug, now, next }) => [
        ...[slug, now === null ? 'nobody' : `${now.person.name} <${now.person.email}>`, now?.until ?? ''],
        next === null ? '' : `${next.person.name} from ${next.from}`,
      ]);
      const headings = ['SCHEDULE', 'ON CALL', 'UNTIL', 'NEXT'];
      return { json: { onCall }, text: formatTable(headings, rows, `${page} has no schedule yet.`) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'schedule override',
    summary: 'put somebody on call for a time',
    help: 'Puts somebody on call from one time to another. It beats every layer, and of two overrides the newer one counts.',
    arguments: { slug: 'SLUG' },
    options: {
      page: pageOption,
      person: { value: 'EMAIL', help: 'somebody with a role on the page', required: true },
      from: { value: 'TIME', help: 'such as 2026-12-24T18:00:00Z', required: true, parse: parseTimeOption },
      to: { value: 'TIME', help: 'such as 2026-12-25T09:00:00Z', required: true, parse: parseTimeOption },
    },
    json: '',
    async run({ client }, { page, slug, ...body }) {
      const path = `${await pathOfSlug(client, schedules, { page, slug })}/overrides`;
      const made = await client.send('POST', path, {
        answer: ScheduleOverride,
        body: body satisfies AddOverride,
      });
      const text = `${made.person.name} is on call from ${made.from} to ${made.to}.\n`;
      return { json: made, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'schedule list',
    summary: 'list the schedules of a page',
    help: 'Lists the schedules of a page by slug. GAPS says how often nobody is on call within the next four weeks.',
    options: { page: pageOption },
    json: '{"schedules": [...]}',
    async run(context, { page }) {
      const found = await listSchedules(context.client, await context.client.pathOf(page));
      const rows = found.map(({ slug, timeZone, layers, gaps, name }) => {
        return [slug, timeZone, String(layers.length), String(gaps), name];
      });
      const empty = `${page} has no schedule yet; create one with: ${context.commandPrefix} schedule set`;
      return {
        json: { schedules: found },
        text: formatTable(['SLUG', 'ZONE', 'LAYERS', 'GAPS', 'NAME'], rows, empty),
      };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'schedule show',
    summary: 'show the layers and overrides of a schedule',
    help: 'Shows the layers of a schedule from the lowest to the highest, and the overrides that have not ended.',
    arguments: { slug: 'SLUG' },
    options: { page: pageOption },
    json: '',
    async run({ client }, ref) {
      const schedule = await readBySlug(client, schedules, ref);
      return { json: schedule, text: scheduleText(schedule) };
    },
  }),

  deleteCommand(
    schedules,
    'Deletes a schedule with its overrides. Policies that tell it must let it go first.',
  ),
];

/** The schedules of the page with the path, by slug. */
export function listSchedules(client: Client, path: string): Promise<ManagedSchedule[]> {
  return client.list(`${path}${schedules.list}`, ManagedSchedule);
}

type Turns = { person?: string[]; handoff?: string; weeks?: number; days?: number };

/** @throws UsageError when more than one layer would be replaced, and for a new one without people or a begin */
function layersOf(before: ManagedSchedule | null, turns: Turns): object[] | undefined {
  if (Object.values(turns).every((value) => value === undefined)) return undefined;
  const [layer, ...others] = before?.layers ?? [];
  if (others.length > 0) {
    throw new UsageError('The schedule has several layers; change them with a file of heartline apply.');
  }
  const { person = layer?.people, handoff = layer?.handoff, weeks, days } = turns;
  if (person === undefined) throw missingOptions([['person', settings.person]]);
  if (handoff === undefined) throw missingOptions([['handoff', settings.handoff]]);
  const every =
    days !== undefined ? { days } : weeks !== undefined ? { weeks } : (layer?.every ?? { weeks: 1 });
  return [{ name: 'Turns', ...layer, people: person, handoff, every }];
}

async function loadOnCall(
  client: Client,
  { page, slug, at }: { page: string; slug?: string | undefined; at?: string | undefined },
): Promise<OnCall[]> {
  if (slug === undefined) {
    if (at !== undefined) throw new UsageError('--at is of one schedule: name it.');
    return client.list(`${await client.pathOf(page)}/on-call`, OnCall);
  }
  const path = `${await pathOfSlug(client, schedules, { page, slug })}/on-call`;
  const query = at === undefined ? '' : `?${new URLSearchParams({ at })}`;
  return [await client.send('GET', `${path}${query}`, { answer: OnCall })];
}

function scheduleText(schedule: ManagedSchedule): string {
  const { slug, name, timeZone, gaps, withoutRole, overrides } = schedule;
  const facts: [string, string][] = [
    ['schedule', slug],
    ['name', name],
    ['time zone', timeZone],
    ['gaps', `${gaps} within the next four weeks`],
    ...(withoutRole.length === 0
      ? []
      : [['not on call', `${withoutRole.join(', ')}: no role on the page`] satisfies [string, string]]),
  ];
  const layers = schedule.layers.map((layer) => [
    ...[layer.name, layer.people.map((email) => email ?? '(deleted)').join(', '), layer.handoff],
    ...[everyOf(layer.every), hoursOf(layer.hours)],
  ]);
  const tables = [
    formatTable(
      ['LAYER', 'PEOPLE', 'FIRST HAND-OVER', 'TURN', 'HOURS'],
      layers,
      'It has no layer: nobody is on call.',
    ),
    ...(overrides.length === 0
      ? []
      : [
          formatTable(
            ['OVERRIDE', 'FROM', 'TO'],
            overrides.map(({ person, from, to }) => [person.email, from, to]),
          ),
        ]),
  ];
  return [formatFields(facts), ...tables].join('\n');
}

const everyOf = ({ days, weeks }: ManagedSchedule['layers'][number]['every']): string =>
  days === undefined ? `${weeks} weeks` : `${days} days`;

function hoursOf(hours: ManagedSchedule['layers'][number]['hours']): string {
  const words = hours?.map(({ from, to, days }) => `${from}-${to}${days ? ` ${days.join(',')}` : ''}`);
  return words?.join('; ') ?? 'always';
}
