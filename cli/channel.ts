import Type from 'typebox';
import { Compile } from 'typebox/compile';
import {
  type ChannelSettings,
  channelFields,
  channelKinds,
  channelNames,
  channelRegions,
  channelTopics,
} from '../contract/channels.js';
import { ManagedChannel, ManagedMessage } from '../contract/manage/channels.js';
import { type Client, Nothing } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields, formatTable } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';
import { readInput } from './core/read-bounded.js';
import { nothingToChange } from './core/refusals.js';
import { pageOfIdOption, pageOption } from './page.js';

const messagesMax = 1_000;

const answer = ManagedChannel;
const Queued = Type.Object({ messageId: Type.String() });

const settingOptions = {
  url: { value: 'URL', help: 'incoming webhook of a chat, or the address of a program' },
  server: { value: 'URL', help: 'server of ntfy or Gotify; of ntfy, https://ntfy.sh by default' },
  topic: { value: 'TOPIC', help: 'topic of ntfy' },
  token: { value: 'TOKEN', help: 'token of a Telegram bot, of Gotify, Pushover or ntfy' },
  chat: { value: 'CHAT', help: 'chat of Telegram: its number, or @name' },
  user: { value: 'KEY', help: 'user or group of Pushover' },
  routingKey: { value: 'KEY', help: 'integration key of a PagerDuty service' },
  apiKey: { value: 'KEY', help: 'API key of an Opsgenie integration' },
  region: { value: 'REGION', help: 'of PagerDuty or Opsgenie; us by default', choices: channelRegions },
  secret: { value: 'SECRET', help: 'signs the messages to a webhook: whsec_ and base64' },
  settings: {
    value: 'FILE',
    help: 'these settings as JSON, so that no token is in a list of processes; - for standard input',
  },
} as const;

const topicsOption = {
  value: 'TOPICS',
  help: `only these, separated by commas: ${channelTopics.join(', ')}; all for everything, as at first`,
  parse: (text: string): string[] | null =>
    text === 'all' ? null : text.split(',').map((name) => name.trim()),
} as const;

const quietOption = {
  value: 'HOURS',
  help: 'from and to, such as 22:00-07:00, in the time zone of the page; none for none',
  parse: parseHours,
} as const;

const needs = channelKinds
  .map((kind) => {
    const options = channelFields[kind].needs.map(
      (field) => `--${field.replace(/[A-Z]/g, (at) => `-${at.toLowerCase()}`)}`,
    );
    return `  ${kind.padEnd(11)} ${options.join(' ')}`;
  })
  .join('\n');

export const channelCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'channel create',
    summary: 'tell a chat or pager of trouble that only the team should see',
    help: `Creates a channel. It reports when a monitor goes down, a reporter falls silent, the failure rate is high,
deliveries are behind or a certificate is about to end, and again when that is over. What each kind needs:
${needs}`,
    options: {
      page: pageOption,
      kind: { value: 'KIND', help: 'what it is', choices: channelKinds, required: true },
      name: { value: 'NAME', help: 'name for people; the name of the kind by default' },
      ...settingOptions,
      topics: topicsOption,
      quietHours: quietOption,
    },
    json: '',
    async run(context, { page, kind, name = channelNames[kind], topics, quietHours, ...given }) {
      const body = {
        ...{ kind, name, settings: await readSettings(given) },
        ...(topics !== undefined && { topics }),
        ...(quietHours !== undefined && { quietHours }),
      };
      const path = `${await context.client.pathOf(page)}/channels`;
      const channel = await context.client.send('POST', path, { answer, body });
      const text = `The channel ${channel.id} is created. Try it with: ${context.commandPrefix} channel test ${channel.id}\n`;
      return { json: channel, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'channel list',
    summary: 'list the channels of a page',
    help: 'Lists the channels of a page, oldest first, with what became of the last message.',
    options: { page: pageOption },
    json: '{"channels": [...]}',
    async run(context, { page }) {
      const channels = await listChannels(context.client, await context.client.pathOf(page));
      const headings = ['ID', 'KIND', 'NAME', 'HOST', 'TOPICS', 'QUIET', 'STATE', 'WAITING', 'LAST'];
      const empty = `${page} has no channel yet; create one with: ${context.commandPrefix} channel create`;
      return { json: { channels }, text: formatTable(headings, channels.map(channelCells), empty) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'channel set',
    summary: 'change a channel, or turn it off or on',
    help: `Changes the settings that are named and keeps all others. A channel that is turned off sends nothing, and drops
the messages that are waiting. ID is as in: heartline channel list`,
    arguments: { id: 'ID' },
    options: {
      page: pageOfIdOption,
      name: { value: 'NAME', help: 'name for people' },
      ...settingOptions,
      topics: topicsOption,
      quietHours: quietOption,
      enabled: { value: 'on|off', help: 'whether it sends messages', choices: ['on', 'off'] },
    },
    json: '',
    async run({ client }, { id, page, name, topics, quietHours, enabled, ...given }) {
      const settings = await readSettings(given);
      const changes = {
        ...(name !== undefined && { name }),
        ...(topics !== undefined && { topics }),
        ...(quietHours !== undefined && { quietHours }),
        ...(enabled !== undefined && { enabled: enabled === 'on' }),
        ...(Object.keys(settings).length > 0 && { settings }),
      };
      if (Object.keys(changes).length === 0) throw nothingToChange('--quiet-hours 22:00-07:00');
      const path = await client.pathTo('channel', { id, page });
      const channel = await client.send('PATCH', path, { answer, body: changes });
      return { json: channel, text: formatFields(channelFacts(channel)) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'channel test',
    summary: 'send a test message to a channel',
    help: `Queues a message that the running service sends within seconds, whatever the quiet hours. PagerDuty shows it as a
change, and Opsgenie as nothing: neither calls anybody. See the result with: heartline channel messages ID`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '{"messageId"}',
    async run({ client }, ref) {
      const path = `${await client.pathTo('channel', ref)}/test`;
      const queued = await client.send('POST', path, { answer: Queued });
      return { json: queued, text: `The message ${queued.messageId} is queued.\n` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'channel messages',
    summary: 'list the messages of a channel and their results',
    help: 'Lists the messages of a channel, newest first. Heartline has given up a parked one. ID is as in: heartline channel list',
    arguments: { id: 'ID' },
    options: {
      page: pageOfIdOption,
      limit: {
        value: 'N',
        help: `at most this many, up to ${messagesMax}; 50 by default`,
        default: '50',
        parse: wholeNumber,
      },
    },
    json: '{"messages": [...]}',
    async run({ client }, { limit, ...ref }) {
      const path = `${await client.pathTo('channel', ref)}/messages`;
      const messages = await client.list(path, ManagedMessage, Math.min(limit, messagesMax));
      const headings = ['ID', 'EVENT', 'STATE', 'CREATED', 'ATTEMPTS', 'STATUS', 'TITLE', 'PROBLEM'];
      const text = formatTable(headings, messages.map(messageCells), 'The channel has no message yet.');
      return { json: { messages }, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'channel delete',
    summary: 'delete a channel',
    help: 'Deletes a channel for good, with its messages: those that wait are not sent. ID is as in: heartline channel list',
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '',
    async run({ client }, ref) {
      const path = await client.pathTo('channel', ref);
      const channel = await client.send('GET', path, { answer });
      await client.send('DELETE', path, { answer: Nothing });
      return { json: channel, text: `The channel ${channel.id} is deleted.\n` };
    },
  }),
];

/** The channels of the page with the path, the oldest first. */
export async function listChannels(client: Client, path: string): Promise<ManagedChannel[]> {
  return (await client.list(`${path}/channels`, ManagedChannel)).reverse();
}

function channelCells(channel: ManagedChannel): string[] {
  const { id, kind, name, host, waiting, last } = channel;
  const outcome = last === null ? '' : `${last.state} ${last.at}`;
  return [
    id,
    kind,
    name,
    host,
    topicsOf(channel),
    quietOf(channel),
    stateOf(channel),
    String(waiting),
    outcome,
  ];
}

function channelFacts(channel: ManagedChannel): [string, string][] {
  const { id, kind, name, host } = channel;
  return [
    ...([
      ['id', id],
      ['kind', kind],
      ['name', name],
      ['host', host],
    ] satisfies [string, string][]),
    ['topics', topicsOf(channel)],
    ['quiet hours', quietOf(channel) || 'none'],
    ['state', stateOf(channel)],
  ];
}

const topicsOf = ({ topics }: ManagedChannel): string => topics?.join(',') ?? 'all';
const quietOf = ({ quietHours }: ManagedChannel): string =>
  quietHours === null ? '' : `${quietHours.from}-${quietHours.to}`;
const stateOf = ({ enabled }: ManagedChannel): string => (enabled ? 'on' : 'off');

function messageCells({
  id,
  event,
  state,
  createdAt,
  attempts,
  status,
  title,
  reason,
}: ManagedMessage): string[] {
  return [id, event, state, createdAt, String(attempts), status?.toString() ?? '', title, reason ?? ''];
}

/** @throws UsageError for another form */
function parseHours(text: string, option: string): { from: string; to: string } | null {
  if (text === 'none') return null;
  const [, from, to] = /^(\d{1,2}:\d\d)-(\d{1,2}:\d\d)$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return { from, to };
  throw new UsageError(`${option} must be two times, such as 22:00-07:00, or none, not "${text}".`);
}

const settingsFile = Compile(Type.Record(Type.String(), Type.String()));

/** Joins the settings of the options and of a file; an option goes before the file. */
async function readSettings({
  settings: file,
  ...given
}: Partial<Record<keyof typeof settingOptions, string>>): Promise<ChannelSettings> {
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (file === undefined) return options;
  const text = await readInput(file);
  const parsed = parseJson(text);
  // Names and values are checked with the options; see parseSettings().
  if (settingsFile.Check(parsed)) return { ...parsed, ...options };
  throw new UsageError('--settings: The file must be a JSON object of texts, such as {"url": "https://…"}.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
