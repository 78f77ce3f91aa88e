import { alertLimits, ManagedSilence } from '../contract/manage/alerts.js';
import { alertSeverities } from '../contract/manage/shared.js';
import { Nothing } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatTable } from './core/output.js';
import { parseTimeOption, wholeNumber } from './core/parse-arguments.js';
import { pageOfIdOption, pageOption } from './page.js';

const answer = ManagedSilence;

export const silenceCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'silence create',
    summary: 'tell nobody of some alerts for a time',
    help: `Silences the alerts of a page for so many minutes, or until a time: those of a rule, a service, an endpoint or a
severity, or all. They begin and end as ever, and are shown as silenced. Nobody is told of them.`,
    options: {
      page: pageOption,
      minutes: {
        value: 'N',
        help: `for so long from now on, at most ${alertLimits.silenceDaysMax} days`,
        parse: wholeNumber,
      },
      until: {
        value: 'TIME',
        help: 'until this time, such as 2026-12-24T18:00:00Z',
        parse: parseTimeOption,
        excludes: 'minutes',
      },
      rule: { value: 'SLUG', help: 'alerts of this rule' },
      service: { value: 'SERVICE', help: 'alerts of this service' },
      endpoint: { value: 'ENDPOINT', help: 'alerts of this endpoint' },
      severity: { value: 'SEVERITY', help: 'alerts of this severity', choices: alertSeverities },
      note: { value: 'TEXT', help: 'why' },
    },
    json: '',
    async run({ client }, { page, until: endsAt, ...given }) {
      if (endsAt === undefined && given.minutes === undefined) {
        throw new UsageError('Say how long: --minutes N, or --until TIME.');
      }
      const body = { ...given, ...(endsAt !== undefined && { endsAt }) };
      const path = `${await client.pathOf(page)}/silences`;
      const silence = await client.send('POST', path, { answer, body });
      return { json: silence, text: `The silence ${silence.id} lasts until ${silence.endsAt}.\n` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'silence list',
    summary: 'list the silences of a page',
    help: 'Lists the silences of a page, newest first, with those that are over.',
    options: { page: pageOption },
    json: '{"silences": [...]}',
    async run({ client }, { page }) {
      const silences = await client.list(`${await client.pathOf(page)}/silences`, answer);
      const rows = silences.map((silence) => [
        ...[silence.id, silence.isActive ? 'active' : 'over', silence.endsAt, scopeOf(silence)],
        ...[silence.createdBy, silence.note],
      ]);
      const headings = ['ID', 'STATE', 'UNTIL', 'ALERTS', 'BY', 'NOTE'];
      return { json: { silences }, text: formatTable(headings, rows, `${page} has no silence.`) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'silence end',
    summary: 'end a silence',
    help: 'Ends a silence. Alerts that it covered and that are still open are told from now on. ID is as in: heartline silence list',
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '{"id"}',
    async run({ client }, ref) {
      await client.send('DELETE', await client.pathTo('silence', ref), { answer: Nothing });
      return { json: { id: ref.id }, text: `The silence ${ref.id} is over.\n` };
    },
  }),
];

function scopeOf({ rule, service, endpoint, severity }: ManagedSilence): string {
  const parts = Object.entries({ rule, service, endpoint, severity });
  const said = parts.flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  return said.join(', ') || 'all';
}
