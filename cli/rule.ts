import {
  ManagedRule,
  noDataChoices,
  RuleCondition,
  RuleTarget,
  ruleKinds,
} from '../contract/manage/rules.js';
import { alertSeverities } from '../contract/manage/shared.js';
import { deleteCommand, type Kind, readBySlug, setBySlug } from './by-slug.js';
import type { Client } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields, formatTable } from './core/output.js';
import { onOff, wholeNumber } from './core/parse-arguments.js';
import { missingOptions, nothingToChange } from './core/refusals.js';
import { pageOption } from './page.js';
import { fieldOptions, fieldsOf } from './schema-options.js';

const rules = {
  noun: 'rule',
  list: '/rules',
  answer: ManagedRule,
} as const satisfies Kind<typeof ManagedRule>;

const targetOptions = fieldOptions(RuleTarget.properties, 'The target; an empty value leaves a field out');
const conditionOptions = fieldOptions(RuleCondition.properties, 'The condition');

const settings = {
  name: { value: 'NAME', help: 'name for people; its slug by default' },
  kind: { value: 'KIND', help: 'what it looks at; cannot be changed', choices: ruleKinds },
  severity: {
    value: 'SEVERITY',
    help: 'page wakes somebody, ticket waits for working hours, info is only shown; page by default',
    choices: alertSeverities,
  },
  forSeconds: {
    value: 'SECONDS',
    help: 'the condition must hold for so long; 0 by default',
    parse: wholeNumber,
  },
  resolveForSeconds: {
    value: 'SECONDS',
    help: 'the alert ends after the condition has not held for so long; 0 by default',
    parse: wholeNumber,
  },
  noData: {
    value: 'CHOICE',
    help: 'what a window without data is: ok, keep the state, or alert',
    choices: noDataChoices,
  },
  policy: {
    value: 'SLUG',
    help: 'policy that decides who is told; none for the default of the page, as at first',
    parse: (text: string) => (text === 'none' ? null : text),
  },
  opensIncident: {
    value: 'TEMPLATE',
    help: 'opens an incident from this template; own for the texts of the service, none for no incident, as at first',
    parse: parseIncident,
  },
  dependsOn: {
    value: 'NAME',
    help: 'monitor:SLUG or rule:SLUG, whose trouble holds its alerts back; may be repeated, and replaces all; none for none',
    multiple: true,
  },
  enabled: { value: 'on|off', help: 'whether it is looked at', parse: onOff },
} as const;

export const ruleCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'rule set',
    summary: 'create or change a rule that alerts',
    help: `Changes the fields that are named and keeps all others; a rule that does not exist is created, which needs --kind and
a condition. A rule of the kind failure-rate needs --percent and --window-minutes, for example:
  heartline rule set checkout --page demo --kind failure-rate --service shop --percent 5 --window-minutes 5`,
    arguments: { slug: 'SLUG' },
    options: { page: pageOption, ...settings, ...targetOptions, ...conditionOptions },
    json: '',
    async run(context, { page, slug, ...input }) {
      const [target, condition] = [fieldsOf(targetOptions, input), fieldsOf(conditionOptions, input)];
      const given = givenSettings(input);
      const { one, isNew } = await setBySlug(context.client, rules, { page, slug }, (before) => {
        const changed = {
          ...given,
          ...(target !== undefined && { target: withoutEmpty({ ...before?.target, ...target }) }),
          ...(condition !== undefined && { condition: withoutEmpty({ ...before?.condition, ...condition }) }),
        };
        if (before === null) {
          if (input.kind === undefined) throw missingOptions([['kind', settings.kind]]);
          return { name: slug, kind: input.kind, condition: {}, ...changed };
        }
        if (input.kind !== undefined && input.kind !== before.kind) throw otherKind(before);
        if (Object.keys(changed).length === 0) throw nothingToChange('--percent 5');
        return changed;
      });
      return { json: one, text: `${isNew ? `The rule ${slug} is created.\n` : ''}${ruleText(one)}` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'rule list',
    summary: 'list the rules of a page and their states',
    help: 'Lists the rules of a page by slug.',
    options: { page: pageOption },
    json: '{"rules": [...]}',
    async run(context, { page }) {
      const found = await listRules(context.client, await context.client.pathOf(page));
      const rows = found.map((rule) => [
        ...[rule.slug, rule.kind, rule.severity, rule.state, rule.since ?? '', String(rule.alerts)],
        rule.name,
      ]);
      const headings = ['SLUG', 'KIND', 'SEVERITY', 'STATE', 'SINCE', 'ALERTS', 'NAME'];
      const empty = `${page} has no rule yet; create one with: ${context.commandPrefix} rule set`;
      return { json: { rules: found }, text: formatTable(headings, rows, empty) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'rule show',
    summary: 'show a rule and its state',
    help: 'Shows what a rule looks at, when it fires, and its state.',
    arguments: { slug: 'SLUG' },
    options: { page: pageOption },
    json: '',
    async run({ client }, ref) {
      const rule = await readBySlug(client, rules, ref);
      return { json: rule, text: ruleText(rule) };
    },
  }),

  deleteCommand(rules, 'Deletes a rule and ends its alerts. Rules that depend on it must let it go first.'),
];

/** The rules of the page with the path, by slug. */
export function listRules(client: Client, path: string): Promise<ManagedRule[]> {
  return client.list(`${path}${rules.list}`, ManagedRule);
}

type Given = { [Key in keyof typeof settings]?: unknown };

function givenSettings({ kind: _, dependsOn, ...given }: Given & { dependsOn?: readonly string[] }): object {
  const own = Object.entries(given).filter(([key, value]) => key in settings && value !== undefined);
  return {
    ...Object.fromEntries(own),
    ...(dependsOn !== undefined && {
      dependsOn: dependsOn.filter((one) => one !== 'none').map(parseDependency),
    }),
  };
}

/** @throws UsageError for another form */
function parseDependency(text: string): { monitor: string } | { rule: string } {
  const [, noun, slug] = /^(monitor|rule):(.+)$/.exec(text) ?? [];
  if (slug === undefined) {
    throw new UsageError(`--depends-on must be monitor:SLUG, rule:SLUG or none, not "${text}".`);
  }
  return noun === 'monitor' ? { monitor: slug } : { rule: slug };
}

function parseIncident(text: string): { template: string | null } | null {
  if (text === 'none') return null;
  return { template: text === 'own' ? null : text };
}

function withoutEmpty(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

function otherKind({ slug, kind }: ManagedRule): UsageError {
  return new UsageError(`The rule ${slug} is of the kind ${kind}, which cannot change; delete it first.`);
}

function ruleText(rule: ManagedRule): string {
  const { opensIncident, dependsOn } = rule;
  const facts: [string, string][] = [
    ['rule', rule.slug],
    ['name', rule.name],
    ['kind', rule.kind],
    ['state', rule.since === null ? rule.state : `${rule.state} since ${rule.since}`],
    ['target', wordsOf(inOrderOf(RuleTarget, rule.target)) || 'everything'],
    ['condition', wordsOf(inOrderOf(RuleCondition, rule.condition))],
    ['for', `${rule.forSeconds} seconds, and ${rule.resolveForSeconds} to end`],
    ['no data', rule.noData],
    ['severity', rule.severity],
    ['policy', rule.policy ?? 'the default of the page'],
    ['opens incident', opensIncident === null ? 'no' : (opensIncident.template ?? 'with its own texts')],
    ['depends on', dependsOn.map(wordsOf).join(', ') || 'nothing'],
    ...(rule.error === null ? [] : [['problem', rule.error] satisfies [string, string]]),
  ];
  return formatFields(facts);
}

/** The fields in the order of their schema: the store keeps none. */
function inOrderOf({ properties }: { properties: object }, fields: object): object {
  const order = Object.keys(properties);
  const place = ([name]: readonly [string, unknown]) => order.indexOf(name);
  return Object.fromEntries(Object.entries(fields).sort((one, other) => place(one) - place(other)));
}

const wordsOf = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
