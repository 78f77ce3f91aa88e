import { ManagedPolicy, type PolicyStep, type PolicyTarget } from '../contract/manage/policies.js';
import { alertSeverities } from '../contract/manage/shared.js';
import { deleteCommand, type Kind, readBySlug, setBySlug } from './by-slug.js';
import type { Client } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields, formatTable } from './core/output.js';
import { oneOf, wholeNumber } from './core/parse-arguments.js';
import { missingOptions, nothingToChange } from './core/refusals.js';
import { pageOption } from './page.js';

const policies = {
  noun: 'policy',
  list: '/policies',
  answer: ManagedPolicy,
} as const satisfies Kind<typeof ManagedPolicy>;

const settings = {
  name: { value: 'NAME', help: 'name for people; its slug by default' },
  step: {
    value: 'STEP',
    help: 'who is told, and after how many minutes the next step begins: schedule:backend,channel:Team=10; may be repeated, in order, and replaces all',
    multiple: true,
  },
  repeat: {
    value: 'N',
    help: 'how often all steps are gone through again; 0 by default',
    parse: wholeNumber,
  },
  defaultFor: {
    value: 'SEVERITIES',
    help: `default for rules of these severities, separated by commas: ${alertSeverities.join(', ')}; none for none, as at first`,
    parse: parseSeverities,
  },
} as const;

export const policyCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'policy set',
    summary: 'create or change a policy that says whom an alert tells',
    help: `Changes the fields that are named and keeps all others. A policy that does not exist is created, which needs --step.
A step tells people, schedules and channels, as person:EMAIL, schedule:SLUG and channel:NAME.`,
    arguments: { slug: 'SLUG' },
    options: { page: pageOption, ...settings },
    json: '',
    async run({ client }, { page, slug, name, step, repeat, defaultFor }) {
      const steps = step?.map(parseStep);
      const { one, isNew } = await setBySlug(client, policies, { page, slug }, (before) => {
        const changed = {
          ...(name !== undefined && { name }),
          ...(steps !== undefined && { steps }),
          ...(repeat !== undefined && { repeat }),
          ...(defaultFor !== undefined && { defaultFor }),
        };
        if (before === null) {
          if (steps === undefined) throw missingOptions([['step', settings.step]]);
          return { name: slug, ...changed };
        }
        if (Object.keys(changed).length === 0) throw nothingToChange('--repeat 2');
        return changed;
      });
      return { json: one, text: `${isNew ? `The policy ${slug} is created.\n` : ''}${policyText(one)}` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'policy list',
    summary: 'list the policies of a page',
    help: 'Lists the policies of a page by slug.',
    options: { page: pageOption },
    json: '{"policies": [...]}',
    async run(context, { page }) {
      const found = await listPolicies(context.client, await context.client.pathOf(page));
      const rows = found.map(({ slug, name, steps, defaultFor }) => {
        return [slug, String(steps.length), defaultFor.join(','), name];
      });
      const empty = `${page} has no policy yet; create one with: ${context.commandPrefix} policy set`;
      return {
        json: { policies: found },
        text: formatTable(['SLUG', 'STEPS', 'DEFAULT FOR', 'NAME'], rows, empty),
      };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'policy show',
    summary: 'show whom a policy tells, step by step',
    help: 'Shows the steps of a policy, and whose alerts it is the default for.',
    arguments: { slug: 'SLUG' },
    options: { page: pageOption },
    json: '',
    async run({ client }, ref) {
      const policy = await readBySlug(client, policies, ref);
      return { json: policy, text: policyText(policy) };
    },
  }),

  deleteCommand(policies, 'Deletes a policy. Rules that name it must name another one first.'),
];

/** The policies of the page with the path, by slug. */
export function listPolicies(client: Client, path: string): Promise<ManagedPolicy[]> {
  return client.list(`${path}${policies.list}`, ManagedPolicy);
}

/** @throws UsageError for another form than `person:EMAIL,schedule:SLUG,channel:NAME=MINUTES`. */
function parseStep(text: string): PolicyStep {
  const [, targets, minutes] = /^(.+)=(\d{1,4})$/.exec(text) ?? [];
  const notify = targets?.split(',').map(parseTarget);
  if (notify === undefined || notify.includes(undefined)) {
    throw new UsageError(
      `--step must be who is told and the minutes to wait, such as schedule:backend,channel:Team=10, not "${text}".`,
    );
  }
  return { notify: notify.flatMap((target) => target ?? []), waitMinutes: Number(minutes) };
}

function parseTarget(text: string): PolicyTarget | undefined {
  const [, type, name] = /^\s*(person|schedule|channel):(.+)$/.exec(text) ?? [];
  return type === undefined || name === undefined ? undefined : { [type]: name.trim() };
}

function parseSeverities(text: string, option: string): string[] {
  if (text === 'none') return [];
  return text.split(',').map((one) => oneOf(one.trim(), alertSeverities, option));
}

function policyText({ slug, name, steps, repeat, defaultFor, withoutRole }: ManagedPolicy): string {
  const facts: [string, string][] = [
    ['policy', slug],
    ['name', name],
    ['default for', defaultFor.join(', ') || 'nothing'],
    ['repeats', String(repeat)],
    ...(withoutRole.length === 0
      ? []
      : [['not told', `${withoutRole.join(', ')}: no role on the page`] satisfies [string, string]]),
  ];
  const rows = steps.map(({ notify, waitMinutes }, at) => {
    const told = notify.map(({ person, schedule, channel }) =>
      person !== undefined ? person : schedule !== undefined ? `schedule ${schedule}` : `channel ${channel}`,
    );
    return [String(at + 1), told.join(', ') || 'nobody', `${waitMinutes} min`];
  });
  return `${formatFields(facts)}\n${formatTable(['STEP', 'TELLS', 'THEN WAITS'], rows)}`;
}
