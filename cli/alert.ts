import type { Static } from 'typebox';
import { ManagedAlertRule, type SetAlertRule } from '../contract/manage/alert-rule.js';
import { type Client, Nothing } from './client/client.js';
import { orNull } from './client/or-null.js';
import { defineCommand, type Output } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';
import { missingOptions } from './core/refusals.js';
import { pageOption } from './page.js';

type Rule = Static<typeof ManagedAlertRule>;

const settings = {
  threshold: { value: 'PERCENT', help: 'such as 5 or 0.5', parse: parsePercent },
  window: { value: 'SECONDS', help: '60 to 86400, whole minutes', parse: wholeNumber },
  minimumRequests: {
    value: 'N',
    help: 'with fewer requests in the window, no incident opens',
    parse: wholeNumber,
  },
} as const;

export const alertCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'alert set',
    summary: 'open an incident when too many requests of a page fail',
    help: `Turns on the alert rule of a page, which needs all three settings, or changes those that are named. Once a minute,
Heartline counts the requests in the window. When at least PERCENT of at least N requests have failed with a 5xx status,
it opens one incident for the outage. It resolves the incident when the share over the window is lower again.`,
    options: { page: pageOption, ...settings },
    json: '',
    async run({ client }, { page: slug, ...given }) {
      const path = await client.pathOf(slug);
      const rule = await findRule(client, path);
      const {
        threshold = rule?.thresholdPercent,
        window: windowSeconds = rule?.windowSeconds,
        minimumRequests = rule?.minimumRequests,
      } = given;
      if (threshold === undefined || windowSeconds === undefined || minimumRequests === undefined) {
        throw missingOptions(Object.entries(settings).filter(([key]) => !(key in given)));
      }
      const changed = { thresholdPercent: threshold, windowSeconds, minimumRequests };
      return printed(slug, await setRule(client, path, changed));
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'alert show',
    summary: 'show the alert rule of a page',
    options: { page: pageOption },
    json: '{"page": SLUG, "alert": null} when it is off',
    async run({ client }, { page: slug }) {
      return printed(slug, await findRule(client, await client.pathOf(slug)));
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'alert off',
    summary: 'turn off the alert rule of a page',
    help: 'Deletes the rule. An incident that it has opened stays open until you resolve it.',
    options: { page: pageOption },
    json: 'as from: heartline alert show',
    async run({ client }, { page: slug }) {
      const removed = await removeRule(client, await client.pathOf(slug));
      const text = removed ? 'The alert rule is off.\n' : 'The page had no alert rule.\n';
      return { ...printed(slug, null), text };
    },
  }),
];

/** The rule of the page with the path, or null. */
export function findRule(client: Client, path: string): Promise<Rule | null> {
  const found = client.send('GET', `${path}/alert-rule`, { answer: ManagedAlertRule });
  return orNull(client, path, found);
}

export function setRule(client: Client, path: string, body: SetAlertRule): Promise<Rule> {
  return client.send('PUT', `${path}/alert-rule`, { answer: ManagedAlertRule, body });
}

/** Returns whether the page had a rule. */
export async function removeRule(client: Client, path: string): Promise<boolean> {
  const removed = client.send('DELETE', `${path}/alert-rule`, { answer: Nothing }).then(() => true);
  return (await orNull(client, path, removed)) ?? false;
}

function parsePercent(text: string, option: string): number {
  if (!/^\d{1,3}(\.\d{1,6})?$/.test(text)) {
    throw new UsageError(`${option} must be a number such as 5 or 0.5, not "${text}".`);
  }
  return Number(text);
}

function printed(page: string, alert: Rule | null): Output {
  if (alert === null) {
    const fields = [['page', page] as const, ['alert', 'off'] as const];
    return { json: { page, alert: null }, text: formatFields(fields) };
  }
  const { thresholdPercent, windowSeconds, minimumRequests, incidentId } = alert;
  const text = formatFields([
    ['page', page],
    ['alert', `from ${thresholdPercent} % of 5xx`],
    ['window', `${windowSeconds} seconds`],
    ['minimum requests', String(minimumRequests)],
    ['incident', incidentId ?? 'none'],
  ]);
  return { json: { page, alert }, text };
}
