import type { Monitor } from '../control/monitors/monitor.js';
import { formatFields } from './output.js';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/** A monitor as `--json` prints it: of the headers and the body of its requests, whether there are any. */
export function monitorJson(monitor: Monitor): object {
  return {
    id: monitor.id,
    slug: monitor.slug,
    name: monitor.name,
    names: monitor.names,
    type: monitor.kind,
    url: 'url' in monitor ? monitor.url : null,
    everySeconds: monitor.everySeconds,
    ...(monitor.kind !== 'heartbeat' && { timeoutMs: monitor.timeoutMs }),
    failuresToDown: monitor.failuresToDown,
    ...('options' in monitor && monitor.options),
    ...(monitor.kind === 'http' && { hasSecrets: monitor.hasSecrets }),
    ...(monitor.kind === 'heartbeat' && { lastPingAt: iso(monitor.lastPingAt) }),
    createdAt: iso(monitor.createdAt),
    pausedAt: iso(monitor.pausedAt),
    state: monitor.state,
    stateSince: iso(monitor.stateSince),
    lastCheckedAt: iso(monitor.lastCheckedAt),
    lastError: monitor.lastError,
    nextDueAt: iso(monitor.nextDueAt),
  };
}

/** A monitor as people read it. */
export function monitorText(monitor: Monitor): string {
  return formatFields([
    ['slug', monitor.slug],
    ['id', monitor.id],
    ['name', monitor.name],
    ...Object.entries(monitor.names).map(([tag, name]) => [`name in ${tag}`, name] as const),
    ['type', monitor.kind],
    ...targetFields(monitor),
    ['every', `${monitor.everySeconds} s`],
    ['down after', `${monitor.failuresToDown} failures in a row`],
    ['state', stateOf(monitor)],
    ['state since', iso(monitor.stateSince) ?? ''],
    ['last checked', iso(monitor.lastCheckedAt) ?? 'never'],
    ['last error', monitor.lastError ?? 'none'],
    ['next check', iso(monitor.nextDueAt) ?? 'none while paused'],
  ]);
}

function targetFields(monitor: Monitor): (readonly [string, string])[] {
  if (monitor.kind === 'heartbeat') {
    const { periodSeconds, graceSeconds } = monitor.options;
    return [
      ['period', `${periodSeconds} s, and ${graceSeconds} s of grace`],
      ['last ping', iso(monitor.lastPingAt) ?? 'never'],
    ];
  }
  const target = [['url', monitor.url] as const, ['timeout', `${monitor.timeoutMs} ms`] as const];
  if (monitor.kind === 'tcp') return target;
  const { method, expectStatus, expectBody, tlsExpiryDays } = monitor.options;
  return [
    ...target,
    ['method', method],
    ['headers and body', monitor.hasSecrets ? 'some, not shown' : 'none'],
    ['expected status', expectStatus],
    ['expected body', expectBody ?? 'any'],
    ['certificate', tlsExpiryDays === null ? 'must be valid' : `must be valid for ${tlsExpiryDays} days`],
  ];
}

/** `paused` where it is; else what it counts as. */
export function stateOf({ state, pausedAt }: Monitor): string {
  return pausedAt !== null ? 'paused' : (state ?? 'not known yet');
}
