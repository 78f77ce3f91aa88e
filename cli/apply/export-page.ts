import { Document, isMap, isScalar } from 'yaml';
import { type ApplyFile, applySchemaPath } from '../../contract/manage/apply.js';
import type { ManagedMonitor } from '../../contract/manage/monitors.js';
import type { ManagedPage } from '../../contract/manage/pages.js';
import { monitorFields, webhookKey } from './desired.js';
import type { Installation } from './installation.js';

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
export async function exportPage(installation: Installation, slug: string): Promise<Exported> {
  const page = await installation.pages.show(slug);
  const monitors = await installation.monitors.list(slug);
  const webhooks = await installation.webhooks.list(slug);
  const rule = await installation.alerts.find(slug);
  const connections = await installation.connections.list(slug);
  const file: ApplyFile = {
    page: pageOf(page),
    monitors: Object.fromEntries(monitors.map((monitor) => [monitor.slug, monitorOf(monitor)])),
    webhooks: withoutTwins(webhooks).map(({ url, events, enabled }) => ({
      url,
      ...(events !== null && { events: [...events] }),
      ...(!enabled && { enabled }),
    })),
    alertRule: rule && {
      thresholdPercent: rule.thresholdPercent,
      windowSeconds: rule.windowSeconds,
      minimumRequests: rule.minimumRequests,
    },
    connections: connections.map(({ name, engine }) => ({ name, engine })),
  };
  const withSecrets = monitors.filter(({ hasSecrets }) => hasSecrets).map((monitor) => monitor.slug);
  return { file, withSecrets };
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
  const { accent, footerLinks, logoAlone, ownerEmails, databaseHealth, incidentsFromMonitors } = page;
  return {
    ...{ slug, name, hostname, languages, defaultLanguage, historyDays, responseTimesSince },
    ...{ accent: accent ?? 'none', footerLinks, logoAlone, ownerEmails },
    ...{ databaseHealth, incidentsFromMonitors },
  };
}

/** The settings of a monitor, without those that say nothing. */
function monitorOf(monitor: ManagedMonitor): NonNullable<ApplyFile['monitors']>[string] {
  const { type, name, names, ...fields } = monitorFields(monitor);
  const said = Object.entries(fields).filter(([, value]) => value !== null);
  return {
    type: monitor.type,
    name: monitor.name,
    ...(Object.keys(monitor.names).length > 0 && { names: monitor.names }),
    ...Object.fromEntries(said),
  };
}

/** The file as YAML. `serviceUrl` is the address of the installation, whose schema editors fetch. */
export function exportText({ file, withSecrets }: Exported, serviceUrl: string): string {
  const document = new Document(file);
  document.commentBefore = ` yaml-language-server: $schema=${serviceUrl}${applySchemaPath}`;
  const monitors: unknown = document.get('monitors', true);
  for (const { key, value } of isMap(monitors) ? monitors.items : []) {
    if (!isScalar(key) || !isMap(value) || !withSecrets.includes(String(key.value))) continue;
    value.comment = ` It has request headers or a body, which nobody is shown and apply keeps.`;
  }
  return document.toString({ lineWidth: 0 });
}
