import { CheckOutcome } from '../contract/manage/monitor-checks.js';
import { CreatedMonitor, ManagedMonitor } from '../contract/manage/monitors.js';
import { monitorKinds } from '../contract/monitors.js';
import { createCheckDeps, explainBlockedTarget } from '../control/monitors/index.js';
import type { CommandContext } from './core/context.js';
import { defineCommand, type Output } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatTable } from './core/output.js';
import { nothingToChange } from './core/refusals.js';
import { usagePart } from './core/usage.js';
import { mayPagesBePrivate } from './may-be-private.js';
import { listMonitors, type MonitorName, monitorPath, removeMonitor } from './monitor/requests.js';
import { settingOptions, toSettings } from './monitor/settings.js';
import { monitorText, outcomeJson, outcomeText, stateOf } from './monitor/text.js';
import { pageOption } from './page.js';

const answer = ManagedMonitor;

/** Names one monitor on the command line: by its id, or by the slugs of the page and the monitor. */
const reference = {
  arguments: { id: 'ID' },
  argumentsUnless: ['page', 'slug'],
  options: {
    page: { value: 'SLUG', help: 'the page' },
    slug: { value: 'SLUG', help: 'the monitor' },
  },
} as const;

/** The option without which a monitor of a type is nothing. */
const neededOf = { http: 'url', tcp: 'url', heartbeat: 'period', manual: undefined } as const;

const nameOption = { value: 'NAME', help: 'in the default language of the page' } as const;

export const monitorCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'monitor create',
    summary: 'monitor a server or a job for a page',
    help: `Creates a monitor; its first check is due within a minute. For a heartbeat, prints the address that the job must call;
it is shown only this once.`,
    options: {
      page: pageOption,
      slug: { value: 'SLUG', help: 'its name in the API; cannot be changed', required: true },
      name: { ...nameOption, required: true },
      type: {
        value: 'TYPE',
        help: 'http: sends requests to a server; tcp: connects to a port; heartbeat: waits for calls; manual: has no checks, and incidents alone say its state',
        required: true,
        choices: monitorKinds,
      },
      ...settingOptions,
    },
    json: '',
    async run(context, { page, slug, type, ...input }) {
      const needed = neededOf[type];
      if (needed !== undefined && input[needed] === undefined) {
        throw new UsageError(
          `A monitor of type ${type} needs ${usagePart([needed, settingOptions[needed]])}, ${settingOptions[needed].help}.`,
        );
      }
      const { client } = context;
      const body = { ...toSettings(input), name: input.name, slug, type };
      const list = `${await client.pathOf(page)}/monitors`;
      const { id, url } = await client.send('POST', list, { answer: CreatedMonitor, body });
      const created = `This is the monitor ${slug} of ${page}, ${id}.`;
      if (type !== 'heartbeat' || url === null) {
        const warning = await warningOf(context, input.url);
        if (warning !== undefined) context.notify(warning);
        return { json: { id, ...(warning !== undefined && { warning }) }, text: `${created}\n` };
      }
      const { pathname: path } = new URL(url);
      const token = path.split('/').at(-1);
      const text = `${url}\n\n${created} The job must call this address, which is not shown again:
  curl -fsS ${url}\n`;
      return { json: { id, token, path, url }, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'monitor list',
    summary: 'list the monitors of a page',
    help: 'Lists the monitors of a page in its order.',
    options: { page: pageOption },
    json: '{"monitors": [...]}',
    async run(context, { page: slug }) {
      const monitors = await listMonitors(context.client, await context.client.pathOf(slug));
      const rows = monitors.map((monitor) => [
        ...[monitor.slug, monitor.type, stateOf(monitor)],
        ...[monitor.lastCheckedAt ?? 'never', monitor.url ?? '', monitor.id],
      ]);
      const empty = `${slug} has no monitor yet; create one with: ${context.commandPrefix} monitor create`;
      return {
        json: { monitors },
        text: formatTable(['SLUG', 'TYPE', 'STATE', 'LAST CHECKED', 'URL', 'ID'], rows, empty),
      };
    },
  }),

  defineCommand({
    ...reference,
    runsRemotely: true,
    name: 'monitor show',
    summary: 'show one monitor',
    help: 'Shows the settings of a monitor and the result of its last check. Request headers and bodies are not shown.',
    json: '',
    async run(context, input) {
      const monitor = await context.client.send('GET', await pathOf(context, input), { answer });
      return printed(monitor, monitorText(monitor));
    },
  }),

  defineCommand({
    ...reference,
    runsRemotely: true,
    name: 'monitor set',
    summary: 'change a monitor',
    help: `Changes the settings that are named and keeps all others. The given headers replace all existing ones. An empty
body, expected body, description, link or text in a language removes it, as does 0 for --tls-expiry-days and --degraded-over.`,
    options: {
      ...reference.options,
      name: nameOption,
      ...settingOptions,
    },
    json: '',
    async run(context, { id, page, slug, ...input }) {
      const settings = toSettings(input);
      if (Object.keys(settings).length === 0) throw nothingToChange('--every SECONDS');
      const path = await pathOf(context, { id, page, slug });
      const monitor = await context.client.send('PATCH', path, { answer, body: settings });
      const warning = await warningOf(context, input.url);
      if (warning !== undefined) context.notify(warning);
      return printed(monitor, monitorText(monitor));
    },
  }),

  defineCommand({
    ...reference,
    runsRemotely: true,
    name: 'monitor pause',
    summary: 'stop the checks of a monitor',
    help: 'Stops the checks of a monitor. The time until it is resumed counts as not observed.',
    json: '',
    async run(context, input) {
      const path = `${await pathOf(context, input)}/pause`;
      const monitor = await context.client.send('POST', path, { answer });
      return printed(monitor, `${monitor.slug} is paused.\n`);
    },
  }),

  defineCommand({
    ...reference,
    runsRemotely: true,
    name: 'monitor resume',
    summary: 'resume the checks of a paused monitor',
    help: 'Resumes the checks of a monitor; the first is due within a minute.',
    json: '',
    async run(context, input) {
      const path = `${await pathOf(context, input)}/resume`;
      const monitor = await context.client.send('POST', path, { answer });
      return printed(monitor, `${monitor.slug} is no longer paused.\n`);
    },
  }),

  defineCommand({
    ...reference,
    runsRemotely: true,
    name: 'monitor check',
    summary: 'check a monitor once, now',
    help: `Checks the monitor once, prints the result and the time of each step, and stores nothing. The check comes from this
machine, or over HTTP from the service.`,
    json: '',
    async run(context, input) {
      const path = `${await pathOf(context, input)}/check`;
      const outcome = await context.client.send('POST', path, { answer: CheckOutcome });
      return { json: outcomeJson(outcome), text: outcomeText(outcome) };
    },
  }),

  defineCommand({
    ...reference,
    runsRemotely: true,
    name: 'monitor delete',
    summary: 'delete a monitor',
    help: 'Deletes a monitor for good, and removes it from incidents.',
    json: '',
    async run(context, input) {
      const path = await pathOf(context, input);
      const monitor = await context.client.send('GET', path, { answer });
      await removeMonitor(context.client, path);
      return printed(monitor, `${monitor.slug} is deleted.\n`);
    },
  }),
];

function printed(monitor: ManagedMonitor, text: string): Output {
  return { json: monitor, text };
}

/**
 * Why a URL cannot be checked as this machine is configured, which only the stores' own machine can tell. The monitor
 * stays: the service may be configured otherwise, and where a name leads may change.
 */
async function warningOf(context: CommandContext, url: string | undefined): Promise<string | undefined> {
  if (url === undefined || context.isRemote) return undefined;
  const { sql, clock } = await context.openControl();
  const allowPrivateAddresses = await mayPagesBePrivate(context.config, sql);
  return explainBlockedTarget(createCheckDeps({ allowPrivateAddresses, clock }), url);
}

type Reference = { [key in 'id' | 'page' | 'slug']?: string | undefined };

function pathOf({ client, isRemote }: CommandContext, reference: Reference): Promise<string> {
  return monitorPath(client, isRemote, nameOf(reference));
}

function nameOf({ id, page, slug }: Reference): MonitorName {
  // The parser refuses a command line with only one of the two.
  return id === undefined ? { page: page ?? '', slug: slug ?? '' } : { id };
}
