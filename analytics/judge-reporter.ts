import type { ReporterHealth, Reporting } from '../contract/analytics/reporters.js';
import { minuteMs } from '../lib/times.js';

/** How long a source without a promise usually pauses, from the minutes in which it reported. */
export type Rhythm = { gapSeconds: number; minutes: number };

/** The gap that a source without a promise is held to at least. */
export const usualGapSeconds = 60;

/** A report that is older than so many times the usual gap is late. */
export const lateFactor = 2;
const silentFactor = 5;

/** A few calls by hand are no rhythm. */
export const rhythmMinutesMin = 5;

/** Whoever sets up a reporter starts and stops it more than once. */
const lifeMsMin = 10 * minuteMs;

export function stateByAge(ageMs: number | undefined, expectedMs: number): 'silent' | 'late' | 'clean' {
  if (ageMs === undefined || ageMs > silentFactor * expectedMs) return 'silent';
  return ageMs > lateFactor * expectedMs ? 'late' : 'clean';
}

type Life = {
  /** Since the last report; `undefined` without one in the retention. */
  ageMs: number | undefined;
  promisedSeconds: number | undefined;
  rhythm: Rhythm | undefined;
  /** Whether it has said goodbye, and nothing since. */
  hasStopped: boolean;
  /** Since the first report, as far as it is known. */
  lifeMs: number;
};

/**
 * Judges whether a source still reports, whatever it reports. Silence counts only for a source that is ten minutes old and
 * that has promised an interval, or has reported in five different minutes.
 */
export function judgeReporting({ ageMs, promisedSeconds, rhythm, hasStopped, lifeMs }: Life): Reporting {
  if (hasStopped) return 'stopped';
  const learned = (rhythm?.minutes ?? 0) >= rhythmMinutesMin ? rhythm?.gapSeconds : undefined;
  const expectedSeconds = promisedSeconds ?? learned;
  const state = stateByAge(ageMs, (expectedSeconds ?? usualGapSeconds) * 1000);
  if (state === 'clean') return state;
  return expectedSeconds === undefined || lifeMs < lifeMsMin ? 'unknown' : state;
}

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
