import {
  type PutReportSettings,
  ReportSettings,
  reportSchedules,
} from '../contract/manage/report-settings.js';
import type { Client } from './client/client.js';
import { defineCommand, type Output } from './core/define-command.js';
import { formatFields } from './core/output.js';
import { onOff } from './core/parse-arguments.js';
import { nothingToChange } from './core/refusals.js';
import { pageOption } from './page.js';

const settings = {
  every: {
    value: 'weekly|monthly|off',
    help: 'on Monday for the week before, or on the 1st for the month before, at 8:00 by the clock of the page',
    choices: [...reportSchedules, 'off'],
  },
  recipient: {
    value: 'EMAIL',
    help: 'a person with a role on the page; repeat it for more, "" for nobody',
    multiple: true,
  },
  toSubscribers: {
    value: 'on|off',
    help: 'whether subscribers get what the status page shows of it',
    parse: onOff,
  },
} as const;

export const reportCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'report show',
    summary: 'show who gets the reports of a page',
    options: { page: pageOption },
    json: '',
    async run({ client }, { page }) {
      return printed(await loadReportSettings(client, await client.pathOf(page)));
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'report set',
    summary: 'send the reports of a page by email',
    help: 'Changes the settings that are named and keeps all others. The recipients replace those that were there.',
    options: { page: pageOption, ...settings },
    json: 'as from: heartline report show',
    async run({ client }, { page, every, recipient, toSubscribers }) {
      if (every === undefined && recipient === undefined && toSubscribers === undefined) {
        throw nothingToChange('--every weekly');
      }
      const path = await client.pathOf(page);
      const before = await loadReportSettings(client, path);
      const changed = {
        ...(every !== undefined && { every: reportSchedules.find((known) => known === every) ?? null }),
        ...(recipient !== undefined && { recipients: recipient.filter((email) => email !== '') }),
        ...(toSubscribers !== undefined && { toSubscribers }),
      };
      return printed(await putReportSettings(client, path, { ...before, ...changed }));
    },
  }),
];

/** The settings of the page with the path. */
export function loadReportSettings(client: Client, path: string): Promise<ReportSettings> {
  return client.send('GET', `${path}/report-settings`, { answer: ReportSettings });
}

export function putReportSettings(
  client: Client,
  path: string,
  body: PutReportSettings,
): Promise<ReportSettings> {
  return client.send('PUT', `${path}/report-settings`, { answer: ReportSettings, body });
}

function printed(settings: ReportSettings): Output {
  const { every, recipients, toSubscribers } = settings;
  const text = formatFields([
    ['every', every ?? 'off'],
    ['recipients', recipients.join(', ') || 'nobody'],
    ['to subscribers', toSubscribers ? 'on' : 'off'],
  ]);
  return { json: settings, text };
}
