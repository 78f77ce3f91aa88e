import { ManagedObjective, objectiveLimits } from '../contract/manage/objectives.js';
import { deleteCommand, type Kind, readBySlug, setBySlug } from './by-slug.js';
import type { Client } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields, formatTable } from './core/output.js';
import { onOff, wholeNumber } from './core/parse-arguments.js';
import { missingOptions, nothingToChange } from './core/refusals.js';
import { pageOption } from './page.js';

const objectives = {
  noun: 'objective',
  list: '/objectives',
  answer: ManagedObjective,
} as const satisfies Kind<typeof ManagedObjective>;

const sliSection = 'What is good';
const settings = {
  name: { value: 'NAME', help: 'name for people; its slug by default' },
  target: { value: 'PERCENT', help: 'share that has to be good, such as 99.9', parse: parsePercent },
  days: {
    value: 'N',
    help: `over so many days up to now, at most ${objectiveLimits.windowDays}; 28 by default`,
    parse: wholeNumber,
  },
  calendar: {
    value: 'PERIOD',
    help: 'over the month or the quarter of the calendar, in the time zone of the page',
    choices: ['month', 'quarter'],
    excludes: 'days',
  },
  public: { value: 'on|off', help: 'whether the status page shows it to everybody', parse: onOff },
} as const;

const sliOptions = {
  service: {
    value: 'SERVICE',
    help: 'requests of this service; of all of the page by default',
    section: sliSection,
  },
  endpoint: { value: 'ENDPOINT', help: 'requests of this endpoint of the service', section: sliSection },
  method: { value: 'METHOD', help: 'with this HTTP method', section: sliSection },
  underMs: {
    ...{ value: 'MS', section: sliSection, parse: parsePercent },
    help: 'a good request takes at most so long; any time by default',
  },
  monitor: {
    ...{ value: 'SLUG', section: sliSection },
    help: 'the time that this monitor is up, in place of requests',
  },
} as const;

export const objectiveCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'objective set',
    summary: 'create or change an objective',
    help: `Changes the fields that are named and keeps all others. An objective that does not exist is created, which needs
--target. A request is good when its status is below 500. One of the options of what is good replaces all of them.`,
    arguments: { slug: 'SLUG' },
    options: { page: pageOption, ...settings, ...sliOptions },
    json: '',
    async run({ client }, { page, slug, ...input }) {
      const { name, target, days, calendar, public: isPublic, ...given } = input;
      const window = calendar === undefined ? days && { days } : { calendar };
      const sli = sliOf(given);
      const { one, isNew } = await setBySlug(client, objectives, { page, slug }, (before) => {
        const changed = {
          ...(name !== undefined && { name }),
          ...(target !== undefined && { target }),
          ...(window !== undefined && { window }),
          ...(sli !== undefined && { sli }),
          ...(isPublic !== undefined && { isPublic }),
        };
        if (before === null) {
          if (target === undefined) throw missingOptions([['target', settings.target]]);
          return { name: slug, window: { days: 28 }, sli: { requests: {} }, ...changed };
        }
        if (Object.keys(changed).length === 0) throw nothingToChange('--target 99.9');
        return changed;
      });
      return {
        json: one,
        text: `${isNew ? `The objective ${slug} is created.\n` : ''}${objectiveText(one)}`,
      };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'objective list',
    summary: 'list the objectives of a page',
    help: 'Lists the objectives of a page by slug.',
    options: { page: pageOption },
    json: '{"objectives": [...]}',
    async run(context, { page }) {
      const found = await listObjectives(context.client, await context.client.pathOf(page));
      const rows = found.map((one) => [one.slug, `${one.target} %`, windowOf(one), measureOf(one), one.name]);
      const headings = ['SLUG', 'TARGET', 'OVER', 'OF', 'NAME'];
      const empty = `${page} has no objective yet; create one with: ${context.commandPrefix} objective set`;
      return { json: { objectives: found }, text: formatTable(headings, rows, empty) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'objective show',
    summary: 'show an objective and the burn rates that alert',
    help: 'Shows an objective, and how fast its budget may burn before each of the alerts that fit it.',
    arguments: { slug: 'SLUG' },
    options: { page: pageOption },
    json: '',
    async run({ client }, ref) {
      const objective = await readBySlug(client, objectives, ref);
      return { json: objective, text: objectiveText(objective) };
    },
  }),

  deleteCommand(objectives, 'Deletes an objective.'),
];

/** The objectives of the page with the path, by slug. */
export function listObjectives(client: Client, path: string): Promise<ManagedObjective[]> {
  return client.list(`${path}${objectives.list}`, ManagedObjective);
}

type GivenSli = { [Key in keyof typeof sliOptions]?: string | number };

/** @throws UsageError for requests and a monitor at once */
function sliOf({ monitor, ...requests }: GivenSli): object | undefined {
  const isOfRequests = Object.keys(requests).length > 0;
  if (monitor === undefined) return isOfRequests ? { requests } : undefined;
  if (!isOfRequests) return { monitor: { slug: monitor } };
  throw new UsageError('An objective is of requests or of a monitor: leave out --monitor, or the others.');
}

/** @throws UsageError for another form */
function parsePercent(text: string, option: string): number {
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a number such as 99.9, not "${text}".`);
}

const windowOf = ({ window }: ManagedObjective): string =>
  'days' in window ? `${window.days} days` : window.calendar;

function measureOf({ sli }: ManagedObjective): string {
  if ('monitor' in sli) return `monitor ${sli.monitor.slug}`;
  const { service, method, endpoint, underMs } = sli.requests;
  const what = [service ?? 'all requests', method, endpoint].filter(Boolean).join(' ');
  return underMs === undefined ? what : `${what} within ${underMs} ms`;
}

function objectiveText(objective: ManagedObjective): string {
  const { slug, name, target, underMsUsed, burnPairs, isPublic } = objective;
  const facts: [string, string][] = [
    ['objective', slug],
    ['name', name],
    ['target', `${target} % over ${windowOf(objective)}`],
    ['of', measureOf(objective)],
    ...(underMsUsed === null ? [] : [['counted within', `${underMsUsed} ms`] satisfies [string, string]]),
    ['public', isPublic ? 'yes' : 'no'],
  ];
  const rows = burnPairs.map((pair) => [
    ...[pair.severity, `${pair.factor}`, `${pair.longMinutes} min`, `${pair.shortMinutes} min`],
  ]);
  return `${formatFields(facts)}\n${formatTable(['ALERT', 'BURNS', 'OVER', 'AND OVER'], rows)}`;
}
