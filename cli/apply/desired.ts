import type { ApplyFile, FileWebhook } from '../../contract/manage/apply.js';
import type { FileMonitor } from '../../contract/manage/apply-monitor.js';
import type { PutTemplate, Template } from '../../contract/manage/incidents/templates.js';
import type { ManagedMonitor, PutMonitor } from '../../contract/manage/monitors.js';
import type { PutReportSettings, ReportSettings } from '../../contract/manage/report-settings.js';
import { httpDefaults, monitorDefaults, settingsOfKind } from '../../contract/monitors.js';
import type { Engine } from '../../contract/observations.js';
import { findTimeZone } from '../../lib/locale/time.js';
import { type DesiredAlerting, toAlerting } from './desired-alerting.js';
import { toBoards } from './desired-boards.js';
import { type DesiredChannel, toChannels } from './desired-channels.js';
import type { Fields, WantedBySlug } from './fields.js';
import {
  normalAlias,
  normalDescription,
  normalEmails,
  normalEvents,
  normalFigures,
  normalHostname,
  normalLabel,
  normalLanguage,
  normalName,
  normalNames,
  normalTemplate,
  normalTexts,
  normalUrl,
} from './normal-form.js';
import { FileError, type FilePath, type ReadFile } from './read-file.js';
import { type FindVariable, resolveVariables } from './variables.js';

export type DesiredMonitor = {
  slug: string;
  type: ManagedMonitor['type'];
  fields: Fields;
  /** The body that creates or replaces it. */
  put: PutMonitor;
  /** Whether the requests send headers or a body; undefined when the file leaves that open. */
  hasSecrets: boolean | undefined;
  /** Whether `put` has headers or a body, which nobody can compare with those that are stored. */
  sendsSecrets: boolean;
  path: FilePath;
};

export type DesiredWebhook = {
  url: string;
  events: string[] | null;
  enabled: boolean;
  isSecret: boolean;
  path: FilePath;
};

/** The wishes of a file, with its variables filled in. A section that is absent is not managed by the file. */
export type Desired = DesiredAlerting & {
  slug: string;
  /** Only the settings that the file has. */
  page: Fields;
  groups?: {
    slug: string;
    name: string;
    names: Record<string, string>;
    collapsed: boolean;
    path: FilePath;
  }[];
  monitors?: DesiredMonitor[];
  webhooks?: DesiredWebhook[];
  alertRule?: ApplyFile['alertRule'];
  reports?: ReportSettings;
  connections?: { name: string; engine: Engine; path: FilePath }[];
  channels?: DesiredChannel[];
  templates?: { slug: string; put: PutTemplate; path: FilePath }[];
  boards?: WantedBySlug[];
  placeOf: ReadFile['placeOf'];
};

/**
 * Reads what a file asks for.
 *
 * @throws FileError when a variable is missing, for a setting that monitors of a type do not have or lack, and for a
 *   webhook, a connection or the default policy of a severity that is there twice.
 */
export function readDesired(file: ReadFile, find: FindVariable): Desired {
  const { value, placeOf } = file;
  const resolve = resolveVariables(file, find);
  const { page, groups, monitors, webhooks, alertRule, connections, templates, channels } = value;
  const { reports, boards } = value;
  const desired: Desired = {
    slug: page.slug,
    page: pageFields(page),
    ...(groups && {
      groups: Object.entries(groups).map(([slug, { name, names = {}, collapsed = false }]) => ({
        ...{ slug, name: normalName(name), names: normalNames(names), collapsed, path: ['groups', slug] },
      })),
    }),
    ...(monitors && {
      monitors: Object.entries(monitors).map(([slug, monitor]) => {
        checkType(monitor, slug, placeOf);
        return toMonitor(slug, monitor, resolve);
      }),
    }),
    ...(webhooks && { webhooks: webhooks.map((webhook, index) => toWebhook(webhook, index, resolve)) }),
    ...(alertRule !== undefined && { alertRule }),
    ...(connections && {
      connections: connections.map(({ name, engine }, index) => ({
        ...{ name: normalAlias(name), engine, path: ['connections', index] },
      })),
    }),
    ...(templates && {
      templates: Object.entries(templates).map(([slug, template]) => ({
        ...{ slug, put: normalTemplate(template), path: ['templates', slug] },
      })),
    }),
    ...(channels && { channels: toChannels(channels, resolve) }),
    ...toAlerting(file),
    ...(reports && { reports: reportFields(reports) }),
    ...(boards && { boards: toBoards(boards) }),
    placeOf,
  };
  refuseTwice(
    desired.webhooks?.map((webhook) => ({ key: webhookKey(webhook), path: webhook.path })),
    'webhook has this URL and these events',
    placeOf,
  );
  refuseTwice(
    desired.connections?.map(({ name, path }) => ({ key: name, path })),
    'connection has this name',
    placeOf,
  );
  return desired;
}

/** The settings of reports, of a file or of the service, with every default. */
export function reportFields({
  every,
  recipients = [],
  toSubscribers = false,
}: PutReportSettings): ReportSettings {
  return { every, recipients: [...new Set(normalEmails(recipients))].sort(), toSubscribers };
}

function pageFields({ slug, ...page }: ApplyFile['page']): Fields {
  const {
    hostname,
    languages,
    defaultLanguage,
    accent,
    footerLinks,
    figures,
    ownerEmails,
    timeZone,
    traceUrl,
  } = page;
  return {
    ...page,
    ...(hostname !== undefined && { hostname: normalHostname(hostname) }),
    ...(languages && { languages: languages.map(normalLanguage) }),
    ...(defaultLanguage !== undefined && { defaultLanguage: normalLanguage(defaultLanguage) }),
    ...(timeZone !== undefined && { timeZone: findTimeZone(timeZone) ?? timeZone }),
    ...(traceUrl !== undefined && { traceUrl: traceUrl === 'none' ? null : traceUrl.trim() }),
    ...(accent !== undefined && { accent: accent === 'none' ? null : accent.toLowerCase() }),
    ...(footerLinks && {
      footerLinks: footerLinks.map(({ label, url }) => ({ label: normalLabel(label), url: normalUrl(url) })),
    }),
    ...(figures && { figures: normalFigures(figures) }),
    ...(ownerEmails && { ownerEmails: normalEmails(ownerEmails) }),
  };
}

const neededOf = { http: 'url', tcp: 'url', heartbeat: 'periodSeconds', manual: undefined } as const;

function checkType(monitor: FileMonitor, slug: string, placeOf: ReadFile['placeOf']): void {
  const own: readonly string[] = settingsOfKind[monitor.type];
  const special = new Set<string>(Object.values(settingsOfKind).flat());
  const foreign = Object.keys(monitor).find((key) => special.has(key) && !own.includes(key));
  const path = ['monitors', slug];
  if (foreign !== undefined) {
    throw new FileError(
      `${placeOf([...path, foreign])}: A monitor of type ${monitor.type} has no ${foreign}.`,
    );
  }
  const needed = neededOf[monitor.type];
  if (needed !== undefined && monitor[needed] === undefined) {
    throw new FileError(`${placeOf(path)}: A monitor of type ${monitor.type} needs ${needed}.`);
  }
}

type Resolve = ReturnType<typeof resolveVariables>;

function toMonitor(slug: string, monitor: FileMonitor, resolve: Resolve): DesiredMonitor {
  const { headers, body, url, ...settings } = monitor;
  const sent = headers && Object.entries(headers).map(([name, value]) => ({ name, value: resolve(value) }));
  const sentBody = body === undefined ? undefined : resolve(body);
  const isEmpty = sent?.length === 0 && sentBody === '';
  const sendsSome = (sent?.length ?? 0) > 0 || (sentBody ?? '') !== '';
  const target = url === undefined ? {} : { url: resolve(url) };
  return {
    ...{ slug, type: monitor.type, path: ['monitors', slug] },
    fields: monitorFields({ ...settings, ...target }),
    put: {
      ...{ ...settings, ...target },
      ...(sent !== undefined && { headers: sent }),
      ...(sentBody !== undefined && { body: sentBody }),
    },
    hasSecrets: sendsSome ? true : isEmpty ? false : undefined,
    sendsSecrets: sent !== undefined || sentBody !== undefined,
  };
}

type Settings = Partial<Omit<ManagedMonitor, 'url'>> & Pick<ManagedMonitor, 'type'> & { url?: string | null };

/** The settings of a monitor, of a file or of the service, with every default. */
export function monitorFields({ type, url, ...monitor }: Settings): Fields {
  const { everySeconds, failuresToDown, timeoutMs, graceSeconds } = { ...monitorDefaults, ...monitor };
  const shown = {
    ...{ type, name: normalName(monitor.name ?? ''), names: normalNames(monitor.names ?? {}) },
    ...{ group: monitor.group ?? null, dependsOn: [...(monitor.dependsOn ?? [])].sort() },
    ...{ hidden: monitor.hidden ?? false, link: monitor.link ? normalUrl(monitor.link) : null },
    description: normalDescription(monitor.description ?? ''),
    descriptions: Object.fromEntries(
      Object.entries(normalTexts(monitor.descriptions ?? {})).map(([tag, text]) => [
        tag,
        normalDescription(text),
      ]),
    ),
  };
  if (type === 'manual') return shown;
  const common = { ...shown, everySeconds, failuresToDown };
  if (type === 'heartbeat') return { ...common, periodSeconds: monitor.periodSeconds, graceSeconds };
  const degradedOverMs = monitor.degradedOverMs || null;
  const target = { ...common, url: normalUrl(url ?? ''), timeoutMs, degradedOverMs };
  if (type === 'tcp') return target;
  const { method, expectStatus, expectBody, tlsExpiryDays } = { ...httpDefaults, ...monitor };
  return {
    ...{ ...target, method, expectStatus },
    ...{ expectBody: expectBody || null, tlsExpiryDays: tlsExpiryDays || null },
  };
}

/** The fields of a template, of a file or of the service, with every default. */
export function templateFields({ name, type = 'incident', ...rest }: PutTemplate | Template): Fields {
  const { title = '', summary = '', monitorSlugs = [], updates = [], texts = {} } = rest;
  return { name, type, title, summary, monitorSlugs, updates, texts };
}

function toWebhook(
  { url, events, enabled = true }: FileWebhook,
  index: number,
  resolve: Resolve,
): DesiredWebhook {
  return {
    url: normalUrl(resolve(url)),
    ...{ events: normalEvents(events), enabled },
    isSecret: typeof url !== 'string',
    path: ['webhooks', index],
  };
}

/** The key of a webhook in a file: a receiver may have one for each choice of events. */
export function webhookKey({ url, events }: { url: string; events: readonly string[] | null }): string {
  return JSON.stringify([url, events]);
}

function refuseTwice(
  entries: readonly { key: string; path: FilePath }[] = [],
  what: string,
  placeOf: ReadFile['placeOf'],
): void {
  const seen = new Set<string>();
  for (const { key, path } of entries) {
    if (seen.has(key)) throw new FileError(`${placeOf(path)}: Another ${what} already.`);
    seen.add(key);
  }
}
