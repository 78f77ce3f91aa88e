import { Document, isMap, isScalar } from 'yaml';
import { type ApplyFile, applySchemaPath } from '../../contract/manage/apply.js';
import type { Template } from '../../contract/manage/incidents/templates.js';
import type { MonitorGroup } from '../../contract/manage/monitor-groups.js';
import type { ManagedMonitor } from '../../contract/manage/monitors.js';
import { ManagedPage } from '../../contract/manage/pages.js';
import { listChannels } from '../channel.js';
import type { Client } from '../client/client.js';
import { listConnections } from '../connection.js';
import { listMonitors } from '../monitor/requests.js';
import { loadReportSettings } from '../report.js';
import { listWebhooks } from '../webhook.js';
import { monitorFields, reportFields, webhookKey } from './desired.js';
import { fileChannelOf } from './desired-channels.js';
import { exportAlerting } from './export-alerting.js';
import { exportBoards } from './export-boards.js';
import { listGroups } from './plan-groups.js';
import { listTemplates } from './plan-templates.js';

export type Exported = {
  file: ApplyFile;
  /** Slugs of monitors whose requests have headers or a body, which are not in the file. */
  withSecrets: string[];
};

/**
 * Reads what a file of the page says, every section included.
 *
 * @throws ServiceError `notFound`
 */
export async function exportPage(client: Client, slug: string): Promise<Exported> {
  const path = await client.pathOf(slug);
  const page = await client.send('GET', path, { answer: ManagedPage });
  const groups = await listGroups(client, path);
  const monitors = await listMonitors(client, path);
  const webhooks = await listWebhooks(client, path);
  const connections = await listConnections(client, path);
  const templates = await listTemplates(client, path);
  const channels = await listChannels(client, path);
  const file: ApplyFile = {
    page: pageOf(page),
    groups: Object.fromEntries(groups.map((group) => [group.slug, groupOf(group)])),
    monitors: Object.fromEntries(monitors.map((monitor) => [monitor.slug, monitorOf(monitor)])),
    webhooks: withoutTwins(webhooks).map(({ url, events, enabled }) => ({
      url,
      ...(events !== null && { events: [...events] }),
      ...(!enabled && { enabled }),
    })),
    connections: connections.map(({ name, engine }) => ({ name, engine })),
    templates: Object.fromEntries(templates.map((template) => [template.slug, templateOf(template)])),
    channels: Object.fromEntries(channels.map((channel) => [channel.name, fileChannelOf(channel)])),
    ...(await exportAlerting(client, path)),
    reports: reportFields(await loadReportSettings(client, path)),
    boards: await exportBoards(client, path),
  };
  const withSecrets = monitors.filter(({ hasSecrets }) => hasSecrets).map((monitor) => monitor.slug);
  return { file, withSecrets };
}

/** The fields of a template, without those that are empty. */
function templateOf({ name, type, ...template }: Template): NonNullable<ApplyFile['templates']>[string] {
  const { title, summary, monitorSlugs, updates, texts } = template;
  return {
    ...{ name, ...(type !== 'incident' && { type }) },
    ...{ ...(title !== '' && { title }), ...(summary !== '' && { summary }) },
    ...(monitorSlugs.length > 0 && { monitorSlugs }),
    ...(updates.length > 0 && { updates }),
    ...(Object.keys(texts).length > 0 && { texts }),
  };
}

/** Two webhooks with the same URL and events are one in a file, which refuses twins. */
function withoutTwins<W extends Parameters<typeof webhookKey>[0] & { enabled: boolean }>(
  webhooks: readonly W[],
): W[] {
  // The last of a key counts: an active one, as in plans.
  const activeLast = [...webhooks].sort((a, b) => Number(a.enabled) - Number(b.enabled));
  const kept = new Set(new Map(activeLast.map((webhook) => [webhookKey(webhook), webhook])).values());
  return webhooks.filter((webhook) => kept.has(webhook));
}

function pageOf(page: ManagedPage): ApplyFile['page'] {
  const { slug, name, hostname, languages, defaultLanguage, historyDays, responseTimesSince } = page;
  const {
    accent,
    footerLinks,
    figures,
    logoAlone,
    ownerEmails,
    databaseHealth,
    incidentsFromMonitors,
    publicMetrics,
    allowedAddresses,
  } = page;
  const { timeZone } = page;
  return {
    ...{ slug, name, hostname, languages, defaultLanguage, historyDays, responseTimesSince, timeZone },
    ...{ accent: accent ?? 'none', footerLinks, figures, logoAlone, ownerEmails },
    traceUrl: page.traceUrl ?? 'none',
    ...{ databaseHealth, incidentsFromMonitors, publicMetrics },
    ...{ private: page.private, allowedAddresses },
  };
}

function groupOf({ name, names, collapsed }: MonitorGroup): NonNullable<ApplyFile['groups']>[string] {
  return { name, ...(Object.keys(names).length > 0 && { names }), ...(collapsed && { collapsed }) };
}

/** The settings of a monitor, without those that say nothing. */
function monitorOf(monitor: ManagedMonitor): NonNullable<ApplyFile['monitors']>[string] {
  const { type, name, names, ...fields } = monitorFields(monitor);
  const said = Object.entries(fields).filter(([, value]) => saysSomething(value));
  return {
    type: monitor.type,
    name: monitor.name,
    ...(Object.keys(monitor.names).length > 0 && { names: monitor.names }),
    ...Object.fromEntries(said),
  };
}

const saysSomething = (value: unknown): boolean =>
  ![null, '', false].some((nothing) => nothing === value) &&
  !(typeof value === 'object' && Object.keys(value ?? {}).length === 0);

/** The file as YAML. `serviceUrl` is the address of the installation, whose schema editors fetch. */
export function exportText({ file, withSecrets }: Exported, serviceUrl: string): string {
  const document = new Document(file);
  document.commentBefore = ` yaml-language-server: $schema=${serviceUrl}${applySchemaPath}`;
  const monitors: unknown = document.get('monitors', true);
  for (const { key, value } of isMap(monitors) ? monitors.items : []) {
    if (!isScalar(key) || !isMap(value) || !withSecrets.includes(String(key.value))) continue;
    value.comment = ` It has request headers or a body, which nobody is shown and apply keeps.`;
  }
  const channels: unknown = document.get('channels', true);
  for (const { value } of isMap(channels) ? channels.items : []) {
    if (isMap(value)) value.comment = ' Its address and tokens are shown to nobody, and apply keeps them.';
  }
  return document.toString({ lineWidth: 0 });
}
