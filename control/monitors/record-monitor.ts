import { isProbed } from '../../contract/monitors.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { type Actor, type AuditedFields, recordChange } from '../audit/index.js';
import type { Monitor } from './monitor.js';

/** Returns the settings of a monitor, without the secrets of its requests. */
export function settingsOf(monitor: Monitor): AuditedFields {
  return {
    ...{ slug: monitor.slug, name: monitor.name, names: monitor.names, type: monitor.kind },
    ...{ group: monitor.group, dependsOn: monitor.dependsOn },
    ...('url' in monitor && { url: monitor.url }),
    ...(monitor.kind !== 'manual' && {
      ...{ everySeconds: monitor.everySeconds, failuresToDown: monitor.failuresToDown },
    }),
    ...(isProbed(monitor.kind) && {
      ...{ timeoutMs: monitor.timeoutMs, degradedOverMs: monitor.degradedOverMs },
    }),
    ...{ hidden: monitor.hidden, link: monitor.link },
    ...{ description: monitor.description, descriptions: monitor.descriptions },
    ...('options' in monitor && monitor.options),
    ...(monitor.kind === 'http' && { hasSecrets: monitor.hasSecrets }),
    pausedAt: monitor.pausedAt,
  };
}

type MonitorChange = {
  verb: 'create' | 'update' | 'pause' | 'resume' | 'rotate' | 'delete';
  /** Whether the request has other headers or another body, or the heartbeat another address. */
  secretsChanged?: boolean;
} & (
  | { before: null; after: Monitor }
  | { before: Monitor; after: Monitor }
  | { before: Monitor; after: null }
);

/** Writes a change of a monitor into the audit log, in its transaction. */
export function recordMonitor(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { verb, before, after, secretsChanged }: MonitorChange,
): Promise<void> {
  const { pageId, id, slug } = after ?? before;
  return recordChange(tx, audit, {
    pageId,
    action: `monitor.${verb}`,
    target: { type: 'monitor', id, name: slug },
    before: before && settingsOf(before),
    after: after && { ...settingsOf(after), ...(secretsChanged && { secretsChanged }) },
  });
}
