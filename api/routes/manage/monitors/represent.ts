import type { ManagedMonitor } from '../../../../contract/manage/monitors.js';
import type { Monitor } from '../../../../control/monitors/index.js';
import type { Representation } from '../../../manage/answers.js';

/** What checks and pings change. */
const volatile = [
  'lastPingAt',
  'state',
  'stateSince',
  'lastCheckedAt',
  'lastError',
  'unobservedSince',
  'nextDueAt',
] as const;

/** A monitor as one resource. */
export function representMonitor(monitor: Monitor): Representation {
  return { body: monitorJson(monitor), volatile };
}

/** A monitor as answers show it: whether its requests have secret headers or a body, not which. */
export function monitorJson(monitor: Monitor): ManagedMonitor {
  const iso = (time: Date | null) => time?.toISOString() ?? null;
  const { id, slug, name, names, group, everySeconds, failuresToDown, state, lastError } = monitor;
  return {
    ...{
      id,
      slug,
      name,
      names,
      group,
      type: monitor.kind,
      url: 'url' in monitor ? monitor.url : null,
      everySeconds,
    },
    ...(monitor.kind !== 'heartbeat' && { timeoutMs: monitor.timeoutMs }),
    failuresToDown,
    ...('options' in monitor && monitor.options),
    ...(monitor.kind === 'http' && { hasSecrets: monitor.hasSecrets }),
    ...(monitor.kind === 'heartbeat' && { lastPingAt: iso(monitor.lastPingAt) }),
    createdAt: monitor.createdAt.toISOString(),
    pausedAt: iso(monitor.pausedAt),
    state,
    stateSince: iso(monitor.stateSince),
    lastCheckedAt: iso(monitor.lastCheckedAt),
    lastError,
    unobservedSince: iso(monitor.unobservedSince),
    nextDueAt: iso(monitor.nextDueAt),
  };
}
