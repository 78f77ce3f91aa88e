import { limits } from '../../../contract/limits.js';
import { type CheckError, checkErrors } from '../../../contract/monitors.js';
import { dayMs } from '../../../lib/times.js';
import { parseTimestamp } from '../../../lib/timestamp.js';

/** The parts of a response time, in milliseconds. */
export const phaseNames = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs'] as const;
export type PhaseName = (typeof phaseNames)[number];

/**
 * `at` is in milliseconds since the epoch; `ms` is the response time, null when none was measured, `error` the class of a
 * failure. A phase that was not measured is missing.
 */
export type ImportedCheck = {
  monitor: string;
  at: number;
  up: boolean;
  ok: boolean;
  ms: number | null;
  error?: CheckError;
  status?: number;
  phases?: Partial<Record<PhaseName, number>>;
};

/** The store would delete older checks on arrival. */
const keptDays = 400;

/**
 * Parses a line such as {"monitor": "api", "at": "2026-01-31T23:00:00Z", "up": true, "ms": 82}. Returns the check, or
 * the reason why the line is refused. `ok` says whether this check passed, and defaults to `up`. A line may also have the
 * phases of the response time, the HTTP status, and for a check that failed the class of the failure.
 */
export function parseCheckLine(text: string, now: number): ImportedCheck | string {
  const line = parseObject(text);
  if (line === undefined) return 'it is not a JSON object';
  const { monitor, at: atText, up, ok = up, ms = null } = line;
  if (typeof monitor !== 'string' || monitor.length > 63) return '"monitor" must be the slug of a monitor';
  const at = typeof atText === 'string' ? parseTimestamp(atText) : Number.NaN;
  if (Number.isNaN(at)) return '"at" must be a time such as 2026-01-31T23:00:00Z';
  if (at > now) return '"at" is in the future';
  if (at < now - keptDays * dayMs) return `"at" is more than ${keptDays} days ago`;
  if (typeof up !== 'boolean') return '"up" must be true or false';
  if (typeof ok !== 'boolean') return '"ok" must be true or false';
  if (!isResponseTime(ms)) return '"ms" must be a number of milliseconds or null';
  const details = parseDetails(line, ok);
  return typeof details === 'string' ? details : { monitor, at, up, ok, ms, ...details };
}

/** Fields that a check may have besides its outcome; most checks of a file have none. */
function parseDetails(
  line: Record<string, unknown>,
  ok: boolean,
): Pick<ImportedCheck, 'error' | 'status' | 'phases'> | string {
  const { error, status } = line;
  if (error !== undefined && (ok || !isCheckError(error)))
    return '"error" must be a class of failures, of a check that failed';
  if (status !== undefined && !isStatus(status)) return '"status" must be an HTTP status';
  const phases: Partial<Record<PhaseName, number>> = {};
  for (const name of phaseNames) {
    const ms = line[name] ?? null;
    if (!isResponseTime(ms)) return `"${name}" must be a number of milliseconds or null`;
    if (ms !== null) phases[name] = ms;
  }
  return { ...(error !== undefined && { error }), ...(status !== undefined && { status }), phases };
}

function isCheckError(value: unknown): value is CheckError {
  return checkErrors.some((error) => error === value);
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= limits.statusMin && Number(value) <= limits.statusMax;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined; // An object that is neither null nor an array has names with unknown values.
  } catch {
    return undefined;
  }
}

function isResponseTime(ms: unknown): ms is number | null {
  return ms === null || (typeof ms === 'number' && ms >= 0 && ms <= limits.latencyMsMax);
}
