import { poolReportLimits } from '../../contract/pool-reports.js';
import { ServiceError } from '../../lib/service-error.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import type { CheckedPoolReport } from './parse-pool-report.js';
import type { IncomingReport } from './stored-reports.js';

/** A stored report. Times are in milliseconds since the epoch. */
export type HeldReport = {
  sequence: number;
  hash: string;
  from: number;
  to: number;
};

/** The fields that a session may not change, and the reports and pools of its hour. */
export type Session = Pick<CheckedPoolReport, 'service' | 'environment' | 'revision' | 'startedAt'> & {
  hourFrom: number;
  hourReports: number;
  hourPools: Set<string>;
  /** The reports that a new one may repeat or overlap. */
  held: HeldReport[];
};

export type Verdict =
  /** The session has the report, from now on or since before. */
  { is: 'held'; duplicate: boolean } | { is: 'refused'; error: ServiceError };

/** An hour may begin this much later than now: an instance whose clock is ahead began it. */
const aheadMsMax = minuteMs;

/** Returns the session that begins with this report; it has sent nothing yet. */
export function beginSession(
  { service, environment, revision, startedAt }: CheckedPoolReport,
  now: number,
): Session {
  const fixed = { service, environment, revision, startedAt };
  return { ...fixed, hourFrom: now, hourReports: 0, hourPools: new Set(), held: [] };
}

/**
 * Decides about one report. Adds a new report to the session, so that the later ones of the same transaction are
 * decided as if it had been stored before.
 */
export function decide(session: Session, incoming: IncomingReport, now: number): Verdict {
  const { report, hash } = incoming;
  const same = session.held.find(({ sequence }) => sequence === report.sequence);
  if (same !== undefined && same.hash === hash) return { is: 'held', duplicate: true };
  const error = findConflict(session, report, same !== undefined) ?? countInHour(session, incoming, now);
  if (error !== undefined) return { is: 'refused', error };
  const { sequence, from, to } = report;
  session.held.push({ sequence, hash, from, to });
  return { is: 'held', duplicate: false };
}

const fixedFields = ['service', 'environment', 'revision', 'startedAt'] as const;

function findConflict(session: Session, report: CheckedPoolReport, known: boolean): ServiceError | undefined {
  const changed = fixedFields.find((field) => session[field] !== report[field]);
  if (changed !== undefined) return conflict(`/${changed} is not what the session began with.`);
  if (known) return conflict('/sequence was sent before, with another content.');
  const overlapped = session.held.find(({ from, to }) => from < report.to && to > report.from);
  if (overlapped === undefined) return undefined;
  return conflict(`/from and /to overlap the interval of sequence ${overlapped.sequence}.`);
}

/** Counts the report in the session's hour. Returns the error of a report that is one too many. */
function countInHour(session: Session, { pools }: IncomingReport, now: number): ServiceError | undefined {
  if (now >= session.hourFrom + hourMs || now < session.hourFrom - aheadMsMax) {
    session.hourFrom = now;
    session.hourReports = 0;
    session.hourPools = new Set();
  }
  const { reportsPerSessionAndHour, serverPoolsPerSessionAndHour } = poolReportLimits;
  const waitMs = session.hourFrom + hourMs - now;
  if (session.hourReports >= reportsPerSessionAndHour) {
    return tooMany(`A session sends at most ${reportsPerSessionAndHour} reports an hour.`, waitMs);
  }
  const all = new Set([...session.hourPools, ...pools]);
  if (all.size > serverPoolsPerSessionAndHour) {
    return tooMany(`A session has at most ${serverPoolsPerSessionAndHour} server pools an hour.`, waitMs);
  }
  session.hourReports += 1;
  session.hourPools = all;
  return undefined;
}

function conflict(detail: string): ServiceError {
  return new ServiceError('conflict', { message: detail });
}

/** @param waitMs milliseconds until the report may be sent again. */
function tooMany(detail: string, waitMs: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ServiceError('rateLimited', { message: detail, retryAfterSeconds: seconds });
}
