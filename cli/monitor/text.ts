import type { CheckOutcome } from '../../contract/manage/monitor-checks.js';
import type { ManagedMonitor } from '../../contract/manage/monitors.js';
import { httpDefaults } from '../../contract/monitors.js';
import { formatFields } from '../core/output.js';

type Field = readonly [name: string, value: string];

/** A monitor as text. */
export function monitorText(monitor: ManagedMonitor): string {
  return formatFields([
    ['slug', monitor.slug],
    ['id', monitor.id],
    ['name', monitor.name],
    ...Object.entries(monitor.names).map(([tag, name]) => [`name in ${tag}`, name] as const),
    ['type', monitor.type],
    ...targetFields(monitor),
    ...timingFields(monitor),
    ...shownFields(monitor),
    ...(monitor.dependsOn.length === 0 ? [] : [['depends on', monitor.dependsOn.join(', ')] as const]),
    ['state', stateOf(monitor)],
    ['state since', monitor.stateSince ?? ''],
    ...(monitor.degradedSince === null ? [] : [['degraded since', monitor.degradedSince] as const]),
    ...checkFields(monitor),
  ]);
}

function timingFields(monitor: ManagedMonitor): Field[] {
  const { type, everySeconds, failuresToDown, degradedOverMs } = monitor;
  if (type === 'manual') return [];
  return [
    ['every', `${everySeconds} s`],
    ['down after', `${failuresToDown} failures in a row`],
    ...(degradedOverMs ? [['degraded over', `${degradedOverMs} ms`] as const] : []),
  ];
}

function shownFields({ hidden, description, descriptions, link }: ManagedMonitor): Field[] {
  return [
    ...(hidden ? [['shown in public', 'no'] as const] : []),
    ...(description === '' ? [] : [['description', description] as const]),
    ...Object.entries(descriptions).map(([tag, text]) => [`description in ${tag}`, text] as const),
    ...(link === null ? [] : [['link', link] as const]),
  ];
}

function checkFields(monitor: ManagedMonitor): Field[] {
  if (monitor.type === 'manual') return [];
  return [
    ['last checked', monitor.lastCheckedAt ?? 'never'],
    ['last error', monitor.lastError ?? 'none'],
    ...notObservedSince(monitor),
    ['next check', monitor.nextDueAt ?? 'none while paused'],
  ];
}

function targetFields(monitor: ManagedMonitor): Field[] {
  if (monitor.type === 'manual') return [];
  if (monitor.type === 'heartbeat') {
    const { periodSeconds, graceSeconds } = monitor;
    return [
      ['period', `${periodSeconds} s, and ${graceSeconds} s of grace`],
      ['last ping', monitor.lastPingAt ?? 'never'],
    ];
  }
  const target = [['url', monitor.url ?? ''] as const, ['timeout', `${monitor.timeoutMs} ms`] as const];
  if (monitor.type === 'tcp') return target;
  const { method, expectStatus, expectBody, tlsExpiryDays } = { ...httpDefaults, ...monitor };
  return [
    ...target,
    ['method', method],
    ['headers and body', monitor.hasSecrets ? 'some, not shown' : 'none'],
    ['expected status', expectStatus],
    ['expected body', expectBody ?? 'any'],
    ['certificate', tlsExpiryDays === null ? 'must be valid' : `must be valid for ${tlsExpiryDays} days`],
  ];
}

function notObservedSince({ unobservedSince }: ManagedMonitor): Field[] {
  return unobservedSince === null ? [] : [['not observed since', unobservedSince]];
}

/**
 * `paused` for a paused monitor; otherwise the state that counts. A monitor that cannot be checked has the reason after
 * it.
 */
export function stateOf(monitor: ManagedMonitor): string {
  const { state, pausedAt, unobservedSince, lastError, type } = monitor;
  if (pausedAt !== null) return 'paused';
  if (type === 'manual') return 'as its incidents say';
  const isWaiting = type === 'heartbeat' && monitor.lastPingAt === null;
  const known =
    (state === 'up' && monitor.degradedSince !== null ? 'degraded' : state) ??
    (isWaiting ? 'waiting for the first call' : 'not known yet');
  return unobservedSince === null ? known : `${known}, not observed (${lastError?.split(':')[0]})`;
}

/** The outcome of one check as `--json` prints it: with the reason alone when nothing was observed. */
export function outcomeJson({ unobserved, ...outcome }: CheckOutcome): object {
  return outcome.ok === null ? { ok: null, unobserved, detail: outcome.detail } : outcome;
}

/** The outcome of one check as text, with the time that each step took. */
export function outcomeText(outcome: CheckOutcome): string {
  if (outcome.ok === null) {
    return formatFields([
      ['outcome', `not observed, ${outcome.unobserved}`],
      ['reason', outcome.detail ?? ''],
    ]);
  }
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
