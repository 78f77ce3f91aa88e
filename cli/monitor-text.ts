import type { Monitor, Outcome } from '../control/monitors/index.js';
import { formatFields, isoTime } from './core/output.js';

/** A monitor as `--json` prints it. Shows whether its requests have secret headers or a body, not which. */
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
    ...(monitor.kind === 'heartbeat' && { lastPingAt: isoTime(monitor.lastPingAt) }),
    createdAt: isoTime(monitor.createdAt),
    pausedAt: isoTime(monitor.pausedAt),
    state: monitor.state,
    stateSince: isoTime(monitor.stateSince),
    lastCheckedAt: isoTime(monitor.lastCheckedAt),
    lastError: monitor.lastError,
    unobservedSince: isoTime(monitor.unobservedSince),
    nextDueAt: isoTime(monitor.nextDueAt),
  };
}

/** A monitor as text. */
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
    ['state since', isoTime(monitor.stateSince) ?? ''],
    ['last checked', isoTime(monitor.lastCheckedAt) ?? 'never'],
    ['last error', monitor.lastError ?? 'none'],
    ...notObservedSince(monitor),
    ['next check', isoTime(monitor.nextDueAt) ?? 'none while paused'],
  ]);
}

function targetFields(monitor: Monitor): (readonly [string, string])[] {
  if (monitor.kind === 'heartbeat') {
    const { periodSeconds, graceSeconds } = monitor.options;
    return [
      ['period', `${periodSeconds} s, and ${graceSeconds} s of grace`],
      ['last ping', isoTime(monitor.lastPingAt) ?? 'never'],
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

function notObservedSince({ unobservedSince }: Monitor): (readonly [string, string])[] {
  return unobservedSince === null ? [] : [['not observed since', unobservedSince.toISOString()]];
}

/**
 * `paused` for a paused monitor; otherwise the state that counts. A monitor that cannot be checked has the reason after
 * it.
 */
export function stateOf(monitor: Monitor): string {
  const { state, pausedAt, unobservedSince, lastError, kind } = monitor;
  if (pausedAt !== null) return 'paused';
  const isWaiting = kind === 'heartbeat' && monitor.lastPingAt === null;
  const known = state ?? (isWaiting ? 'waiting for the first call' : 'not known yet');
  return unobservedSince === null ? known : `${known}, not observed (${lastError?.split(':')[0]})`;
}

/** The outcome of one check as text, with the time that each step took. */
export function outcomeText(outcome: Outcome): string {
  const ms = (value: number | null): string => (value === null ? '-' : `${value.toFixed(1)} ms`);
  return formatFields([
    ['outcome', outcome.ok ? 'ok' : `failed, ${outcome.error}`],
    ...(outcome.detail === null ? [] : [['reason', outcome.detail] as const]),
    ['status', String(outcome.status ?? '-')],
    ['DNS', ms(outcome.dnsMs)],
    ['connect', ms(outcome.connectMs)],
    ['TLS', ms(outcome.tlsMs)],
    ['first byte', ms(outcome.firstByteMs)],
    ['total', ms(outcome.totalMs)],
  ]);
}
