import type { ReporterHealth } from '../contract/analytics/reporters.js';
import { stateByAge, usualGapSeconds } from './reporting.js';

/** The nearer to calling as it should, the earlier. */
const reportingBestFirst = ['clean', 'late', 'silent', 'unknown', 'stopped'] as const;
const stateBestFirst = ['clean', 'late', 'silent'] as const;

/**
 * Gives each service the reports of the reporters that name it, because events count for the service and calls for the
 * reporter. A service has the state of the reporter that does best: it is silent when all of them are.
 *
 * @param now in milliseconds since the epoch
 */
export function joinInstances(reporters: readonly ReporterHealth[], now: number): ReporterHealth[] {
  const instancesOf = new Map<string, ReporterHealth[]>();
  for (const one of reporters) {
    if (one.service === undefined) continue;
    const others = instancesOf.get(one.service);
    if (others === undefined) instancesOf.set(one.service, [one]);
    else others.push(one);
  }
  return reporters.map((one) => {
    const instances = one.kind === 'service' ? instancesOf.get(one.id) : undefined;
    return instances === undefined ? one : joined(one, instances, now);
  });
}

function joined(service: ReporterHealth, instances: readonly ReporterHealth[], now: number): ReporterHealth {
  // One that is sent to by v1 as well has reports of its own.
  const callers = service.lastReportAt === null ? instances : [service, ...instances];
  const newest = callers.reduce((best, one) =>
    (one.lastReportAt ?? '') > (best.lastReportAt ?? '') ? one : best,
  );
  const states = new Set(callers.map((one) => stateOf(one, now)));
  const reporting = new Set(callers.map((one) => one.reporting));
  return {
    ...service,
    state: service.errors > 0 ? 'failing' : (stateBestFirst.find((state) => states.has(state)) ?? 'silent'),
    reporting: reportingBestFirst.find((state) => reporting.has(state)) ?? 'unknown',
    ...{ lastReportAt: newest.lastReportAt, ageSeconds: newest.ageSeconds },
    instances: instances.length,
  };
}

/** By the age of the last report alone: a reporter may have failed in events of its own, before it named its service. */
function stateOf({ state, lastReportAt, expectedEverySeconds }: ReporterHealth, now: number) {
  if (state !== 'failing') return state;
  const ageMs = lastReportAt === null ? undefined : now - Date.parse(lastReportAt);
  return stateByAge(ageMs, (expectedEverySeconds ?? usualGapSeconds) * 1000);
}
