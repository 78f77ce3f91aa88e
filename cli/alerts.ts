import {
  ManagedAlert as Alert,
  type AlertNotice,
  type ManagedAlert,
  ManagedAlertWithNotices,
} from '../contract/manage/alerts.js';
import { alertSeverities } from '../contract/manage/shared.js';
import type { Client, Ref } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { formatFields, formatTable } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';
import { pageOfIdOption, pageOption } from './page.js';

const listedMax = 1_000;
const noteOption = { value: 'TEXT', help: 'what you know, for those who come after you' } as const;

export const alertsCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'alerts list',
    summary: 'list the alerts of a page',
    help: 'Lists the alerts of a page, newest first: those that are open, unless --state says otherwise.',
    options: {
      page: pageOption,
      state: {
        value: 'STATE',
        help: 'open, past or all; open by default',
        choices: ['open', 'past', 'all'],
        default: 'open',
      },
      rule: { value: 'SLUG', help: 'alerts of this rule alone' },
      severity: { value: 'SEVERITY', help: 'alerts of this severity alone', choices: alertSeverities },
      limit: {
        value: 'N',
        help: `at most this many, up to ${listedMax}; 50 by default`,
        default: '50',
        parse: wholeNumber,
      },
    },
    json: '{"alerts": [...]}',
    async run({ client }, { page, limit, ...filter }) {
      const query = new URLSearchParams(Object.entries(filter));
      const path = `${await client.pathOf(page)}/alerts?${query}`;
      const alerts = await client.list(path, Alert, Math.min(limit, listedMax));
      const headings = ['ID', 'SEVERITY', 'STATE', 'SINCE', 'RULE', 'GROUP', 'TITLE'];
      const rows = alerts.map(({ id, severity, state, startedAt, rule, group, title }) => {
        return [id, severity, state, startedAt, rule.slug, group, title];
      });
      const empty = filter.state === 'open' ? `${page} has no open alert.` : `${page} has no such alert.`;
      return { json: { alerts }, text: formatTable(headings, rows, empty) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'alerts show',
    summary: 'show an alert, its evidence, and who was told',
    help: 'Shows an alert with what contributes most to it, and who was told when. ID is as in: heartline alerts list',
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '',
    async run({ client }, ref) {
      const path = await client.pathTo('alert', ref);
      const alert = await client.send('GET', path, { answer: ManagedAlertWithNotices });
      return { json: alert, text: `${alertText(alert)}${evidenceText(alert)}${noticesText(alert.notified)}` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'alerts acknowledge',
    summary: 'say that you look after an alert',
    help: `Stops reminders and escalation of an alert, until it is over or its severity gets worse. ID is as in: heartline
alerts list`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption, note: noteOption },
    json: '',
    async run({ client }, input) {
      const alert = await answerAlert(client, 'acknowledge', input);
      return { json: alert, text: alertText(alert) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'alerts resolve',
    summary: 'end an alert by hand',
    help: `Ends an alert. The rule begins another one only after its condition did not hold for once. ID is as in: heartline
alerts list`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption, note: noteOption },
    json: '',
    async run({ client }, input) {
      const alert = await answerAlert(client, 'resolve', input);
      return { json: alert, text: alertText(alert) };
    },
  }),
];

async function answerAlert(
  client: Client,
  verb: 'acknowledge' | 'resolve',
  { note, ...ref }: Ref & { note?: string },
): Promise<ManagedAlert> {
  const body = note === undefined ? {} : { note };
  return client.send('POST', `${await client.pathTo('alert', ref)}/${verb}`, { answer: Alert, body });
}

function alertText(alert: ManagedAlert): string {
  const { value, threshold, acknowledgedAt, acknowledgedBy } = alert;
  const facts: [string, string | null][] = [
    ['alert', alert.title],
    ['id', alert.id],
    ['rule', alert.rule.slug],
    ['group', alert.group],
    ['severity', alert.severity],
    ['state', alert.state],
    ['value', value === null ? null : String(value)],
    ['threshold', threshold === null ? null : String(threshold)],
    ['since', alert.startedAt],
    ['ended', alert.resolvedAt && `${alert.resolvedAt} (${alert.endedBy})`],
    ['acknowledged', acknowledgedAt && `${acknowledgedAt} by ${acknowledgedBy}`],
    ['note', alert.note],
    ['held back by', alert.heldBy],
    ['incident', alert.incidentId],
  ];
  return formatFields(
    facts.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value]])),
  );
}

/** The figures, endpoints, messages and the deployment that an engineer looks up first. */
function evidenceText({ evidence }: ManagedAlert): string {
  const { requests, errors, endpoints = [], messages = [], deployment } = evidence;
  const parts: string[] = [];
  if (requests !== undefined) parts.push(`${errors ?? 0} of ${requests} requests failed.\n`);
  if (endpoints.length > 0) {
    const rows = endpoints.map((one) => {
      return [one.service, one.endpoint, String(one.requests), String(one.errors)];
    });
    parts.push(formatTable(['SERVICE', 'ENDPOINT', 'REQUESTS', 'ERRORS'], rows));
  }
  if (messages.length > 0) {
    const rows = messages.map(({ message, count }) => [String(count), message]);
    parts.push(formatTable(['COUNT', 'MESSAGE'], rows));
  }
  if (deployment !== undefined) {
    const { service, version, environment, at } = deployment;
    parts.push(
      `Last deployment: ${service} ${version}${environment === null ? '' : ` to ${environment}`}, ${at}.\n`,
    );
  }
  return parts.map((part) => `\n${part}`).join('');
}

function noticesText(notified: readonly AlertNotice[]): string {
  const rows = notified.map(({ at, step, round, type, name, state, reason, ways }) => [
    ...[at, `${step + 1}${round === 0 ? '' : `, round ${round + 1}`}`, type, name],
    ...[state ?? '', ways.map((way) => `${way.kind} ${way.state}`).join(', '), reason ?? ''],
  ]);
  const headings = ['TOLD AT', 'STEP', 'WHO', 'NAME', 'STATE', 'WAYS', 'PROBLEM'];
  return `\n${formatTable(headings, rows, 'Nobody was told yet.')}`;
}
