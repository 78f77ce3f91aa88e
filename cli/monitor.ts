import { monitorKinds } from '../contract/monitors.js';
import type { Monitor, MonitorRef } from '../control/monitors/index.js';
import {
  changeMonitor,
  createCheckDeps,
  createMonitor,
  deleteMonitor,
  explainBlockedTarget,
  listMonitors,
  loadCheck,
  loadMonitor,
  ProbeError,
  pauseMonitor,
  resumeMonitor,
  runCheck,
} from '../control/monitors/index.js';
import { loadPageId } from '../control/pages/index.js';
import type { Sql } from '../sql/open-postgres.js';
import type { CommandContext } from './core/context.js';
import { defineCommand, type Output } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields, formatTable } from './core/output.js';
import { nothingToChange } from './core/refusals.js';
import { usagePart } from './core/usage.js';
import { settingOptions, toSettings } from './monitor-settings.js';
import { monitorJson, monitorText, outcomeText, stateOf } from './monitor-text.js';
import { pageOption } from './page.js';

/** What a command on one monitor takes: the id, or the slugs of the page and the monitor. */
const reference = {
  arguments: { id: 'ID' },
  argumentsUnless: ['page', 'slug'],
  options: {
    page: { value: 'SLUG', help: 'the page' },
    slug: { value: 'SLUG', help: 'the monitor' },
  },
} as const;

const nameOption = { value: 'NAME', help: 'in the default language of the page' } as const;

export const monitorCommands = [
  defineCommand({
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
        help: 'http: sends requests to a server; tcp: connects to a port; heartbeat: waits for calls',
        required: true,
        choices: monitorKinds,
      },
      ...settingOptions,
    },
    json: '',
    async run(context, { page, slug, type, ...input }) {
      const needed = type === 'heartbeat' ? 'period' : 'url';
      if (input[needed] === undefined) {
        throw new UsageError(
          `A monitor of type ${type} needs ${usagePart([needed, settingOptions[needed]])}, ${settingOptions[needed].help}.`,
        );
      }
      const deps = await context.openControlWithSecrets();
      const pageId = await loadPageId(deps.sql, page);
      const settings = { ...toSettings(input), name: input.name, pageId, slug, kind: type };
      const { id, token } = await createMonitor(deps, settings);
      const created = `This is the monitor ${slug} of ${page}, ${id}.`;
      if (token === undefined) {
        const warning = await warnOfBlocked(context, input.url);
        return { json: { id, ...(warning !== undefined && { warning }) }, text: `${created}\n` };
      }
      const path = `/ping/${token}`;
      const url = `${await context.serviceUrl()}${path}`;
      const text = `${url}\n\n${created} The job must call this address, which is not shown again:
  curl -fsS ${url}\n`;
      return { json: { id, token, path, url }, text };
    },
  }),

  defineCommand({
    name: 'monitor list',
    summary: 'list the monitors of a page',
    help: 'Lists the monitors of a page in its order.',
    options: { page: pageOption },
    json: '{"monitors": [...]}',
    async run(context, { page: slug }) {
      const { sql, pageId } = await context.openPage(slug);
      const monitors = await listMonitors({ sql }, pageId);
      const rows = monitors.map((monitor) => [
        ...[monitor.slug, monitor.kind, stateOf(monitor)],
        monitor.lastCheckedAt?.toISOString() ?? 'never',
        'url' in monitor ? monitor.url : '',
        monitor.id,
      ]);
      const empty = `${slug} has no monitor yet; create one with: heartline monitor create`;
      return {
        json: { monitors: monitors.map(monitorJson) },
        text: formatTable(['SLUG', 'TYPE', 'STATE', 'LAST CHECKED', 'URL', 'ID'], rows, empty),
      };
    },
  }),

  defineCommand({
    ...reference,
    name: 'monitor show',
    summary: 'show one monitor',
    help: 'Shows the settings of a monitor and the result of its last check. Request headers and bodies are not shown.',
    json: '',
    async run(context, input) {
      const { sql } = await context.openControl();
      const monitor = await loadMonitor({ sql }, await loadRef(sql, input));
      return printed(monitor, monitorText(monitor));
    },
  }),

  defineCommand({
    ...reference,
    name: 'monitor set',
    summary: 'change a monitor',
    help: `Changes the settings that are named and keeps all others. The given headers replace all existing ones. An empty
body, expected body or name in a language removes it, as does 0 for --tls-expiry-days.`,
    options: {
      ...reference.options,
      name: nameOption,
      ...settingOptions,
    },
    json: '',
    async run(context, { id, page, slug, ...input }) {
      const settings = toSettings(input);
      if (Object.keys(settings).length === 0) throw nothingToChange('--every SECONDS');
      const deps = await context.openControlWithSecrets();
      const ref = await loadRef(deps.sql, { id, page, slug });
      const monitor = await changeMonitor(deps, ref, settings);
      await warnOfBlocked(context, input.url);
      return printed(monitor, monitorText(monitor));
    },
  }),

  defineCommand({
    ...reference,
    name: 'monitor pause',
    summary: 'stop the checks of a monitor',
    help: 'Stops the checks of a monitor. The time until it is resumed counts as not observed.',
    json: '',
    async run(context, input) {
      const deps = await context.openControl();
      const monitor = await pauseMonitor(deps, await loadRef(deps.sql, input));
      return printed(monitor, `${monitor.slug} is paused.\n`);
    },
  }),

  defineCommand({
    ...reference,
    name: 'monitor resume',
    summary: 'resume the checks of a paused monitor',
    help: 'Resumes the checks of a monitor; the first is due within a minute.',
    json: '',
    async run(context, input) {
      const deps = await context.openControl();
      const monitor = await resumeMonitor(deps, await loadRef(deps.sql, input));
      return printed(monitor, `${monitor.slug} is no longer paused.\n`);
    },
  }),

  defineCommand({
    ...reference,
    name: 'monitor check',
    summary: 'check a monitor once, now',
    help: 'Checks the monitor once from this machine, prints the result and the time of each step, and stores nothing.',
    json: '',
    async run({ config, ...context }, input) {
      const { sql, clock, secretKey } = await context.openControlWithSecrets();
      const { id } = await loadMonitor({ sql }, await loadRef(sql, input));
      const check = await loadCheck({ sql, clock }, id);
      if (check === undefined) throw new Error('The monitor was deleted just now.');
      const deps = createCheckDeps({ clock, allowPrivateAddresses: config.allowPrivateAddresses });
      try {
        const outcome = await runCheck({ ...deps, secretKey }, check, new AbortController().signal);
        return { json: outcome, text: outcomeText(outcome) };
      } catch (error) {
        if (error instanceof ProbeError) return unobserved(error);
        throw error;
      }
    },
  }),

  defineCommand({
    ...reference,
    name: 'monitor delete',
    summary: 'delete a monitor',
    help: 'Deletes a monitor for good, and removes it from incidents.',
    json: '',
    async run(context, input) {
      const { sql } = await context.openControl();
      const monitor = await deleteMonitor({ sql }, await loadRef(sql, input));
      return printed(monitor, `${monitor.slug} is deleted.\n`);
    },
  }),
];

/**
 * Tells at once that a URL cannot be checked as this machine is configured. The monitor stays: the service may be
 * configured otherwise, and where a name leads may change.
 */
async function warnOfBlocked(
  { config, clock, notify }: CommandContext,
  url: string | undefined,
): Promise<string | undefined> {
  if (url === undefined || config.allowPrivateAddresses) return undefined;
  const warning = await explainBlockedTarget(createCheckDeps({ ...config, clock }), url);
  if (warning !== undefined) notify(warning);
  return warning;
}

/** The output of a check that says nothing about what is monitored. */
function unobserved({ unobserved, message }: ProbeError): Output {
  return {
    json: { ok: null, unobserved, detail: message },
    text: formatFields([
      ['outcome', `not observed, ${unobserved}`],
      ['reason', message],
    ]),
  };
}

function printed(monitor: Monitor, text: string): Output {
  return { json: monitorJson(monitor), text };
}

/** @throws ServiceError `notFound` when no page has the slug. */
async function loadRef(
  sql: Sql,
  { id, page, slug }: { [key in 'id' | 'page' | 'slug']?: string | undefined },
): Promise<MonitorRef> {
  if (id !== undefined) return { id };
  // The parser refuses a command line with only one of the two.
  return { pageId: await loadPageId(sql, page ?? ''), slug: slug ?? '' };
}
