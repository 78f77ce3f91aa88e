import type { ManagedMonitor } from '../../contract/manage/monitors.js';
import { isProbed } from '../../contract/monitors.js';
import type { Monitor } from './monitor.js';

/** A monitor as answers and commands show it: whether its requests have secret headers or a body, not which. */
export function toManagedMonitor(monitor: Monitor): ManagedMonitor {
  const iso = (time: Date | null) => time?.toISOString() ?? null;
  const { id, slug, name, names, group, everySeconds, failuresToDown, state, lastError } = monitor;
  const { hidden, description, descriptions, link, timeoutMs, degradedOverMs } = monitor;
  return {
    ...{ id, slug, name, names, group, type: monitor.kind, url: 'url' in monitor ? monitor.url : null },
    ...{ hidden, description, descriptions, link },
    ...(monitor.kind !== 'manual' && { everySeconds, failuresToDown }),
    ...(isProbed(monitor.kind) && { timeoutMs, degradedOverMs }),
    ...('options' in monitor && monitor.options),
    ...(monitor.kind === 'http' && { hasSecrets: monitor.hasSecrets }),
    ...(monitor.kind === 'heartbeat' && { lastPingAt: iso(monitor.lastPingAt) }),
    createdAt: monitor.createdAt.toISOString(),
    pausedAt: iso(monitor.pausedAt),
    state,
    stateSince: iso(monitor.stateSince),
    degradedSince: iso(monitor.degradedSince),
    lastCheckedAt: iso(monitor.lastCheckedAt),
    lastError,
    unobservedSince: iso(monitor.unobservedSince),
    nextDueAt: iso(monitor.nextDueAt),
  };
}
