import type { CheckOutcome } from '../../contract/manage/monitors.js';
import {
  changeMonitor,
  createCheckDeps,
  createMonitor,
  deleteMonitor,
  explainBlockedTarget,
  listMonitors,
  loadCheck,
  loadMonitor,
  type MonitorRef,
  ProbeError,
  pauseMonitor,
  putMonitor,
  resumeMonitor,
  runCheck,
  toManagedMonitor,
} from '../../control/monitors/index.js';
import { loadPageId } from '../../control/pages/index.js';
import type { CommandContext } from '../core/context.js';
import { mayPagesBePrivate } from '../may-be-private.js';
import type { MonitorName, Monitors } from './monitor-port.js';
import { toSettings } from './monitor-settings.js';

export function localMonitors(context: CommandContext): Monitors {
  const pingAddress = async (token: string) => `${await context.serviceUrl()}/ping/${token}`;

  async function refOf(name: MonitorName): Promise<MonitorRef> {
    if ('id' in name) return name;
    const { sql } = await context.openControl();
    return { pageId: await loadPageId(sql, name.page), slug: name.slug };
  }

  return {
    async create(page, settings) {
      const deps = await context.openControlWithSecrets();
      const pageId = await loadPageId(deps.sql, page);
      const { monitor, token } = await createMonitor(deps, { ...settings, pageId });
      const warning = token === undefined ? await warningOf(context, settings.url) : undefined;
      return {
        ...toManagedMonitor(monitor),
        ...(token !== undefined && { url: await pingAddress(token) }),
        ...(warning !== undefined && { warning }),
      };
    },
    async put(page, slug, settings) {
      const deps = await context.openControlWithSecrets();
      const pageId = await loadPageId(deps.sql, page);
      const { type: kind, name } = settings;
      const { token } = await putMonitor(deps, { ...toSettings(settings), pageId, slug, kind, name });
      return token === undefined ? {} : { address: await pingAddress(token) };
    },
    async list(page) {
      const { sql, pageId } = await context.openPage(page);
      return (await listMonitors({ sql }, pageId)).map(toManagedMonitor);
    },
    async show(name) {
      return toManagedMonitor(await loadMonitor(await context.openControl(), await refOf(name)));
    },
    async change(name, settings) {
      const deps = await context.openControlWithSecrets();
      const monitor = await changeMonitor(deps, await refOf(name), settings);
      const warning = await warningOf(context, settings.url);
      if (warning !== undefined) context.notify(warning);
      return toManagedMonitor(monitor);
    },
    async pause(name) {
      return toManagedMonitor(await pauseMonitor(await context.openControl(), await refOf(name)));
    },
    async resume(name) {
      return toManagedMonitor(await resumeMonitor(await context.openControl(), await refOf(name)));
    },
    async check(name) {
      return checkOnce(context, await refOf(name));
    },
    async remove(name) {
      return toManagedMonitor(await deleteMonitor(await context.openControl(), await refOf(name)));
    },
  };
}

/** Checks a monitor from this machine and stores nothing. */
async function checkOnce({ config, ...context }: CommandContext, ref: MonitorRef): Promise<CheckOutcome> {
  const { sql, clock, secretKey } = await context.openControlWithSecrets();
  const { id } = await loadMonitor({ sql }, ref);
  const check = await loadCheck({ sql, clock }, id);
  if (check === undefined) throw new Error('The monitor was deleted just now.');
  const allowPrivateAddresses = await mayPagesBePrivate(config, sql);
  const deps = createCheckDeps({ clock, allowPrivateAddresses });
  const phases = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: null };
  try {
    const outcome = await runCheck({ ...deps, secretKey }, check, new AbortController().signal);
    return { ...outcome, unobserved: null };
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    const { unobserved, message: detail } = error;
    return { ok: null, error: null, unobserved, detail, status: null, ...phases };
  }
}

/**
 * Why a URL cannot be checked as this machine is configured. The monitor stays: the service may be configured otherwise,
 * and where a name leads may change.
 */
async function warningOf(
  { config, ...context }: CommandContext,
  url: string | undefined,
): Promise<string | undefined> {
  if (url === undefined) return undefined;
  const { sql, clock } = await context.openControl();
  const allowPrivateAddresses = await mayPagesBePrivate(config, sql);
  return explainBlockedTarget(createCheckDeps({ allowPrivateAddresses, clock }), url);
}
