import { limits } from '../../../contract/limits.js';
import { dayMs } from '../../../lib/times.js';
import { parseTimestamp } from '../../../lib/timestamp.js';

/** `at` is in milliseconds since the epoch; `ms` is the response time, null when none was measured. */
export type ImportedCheck = { monitor: string; at: number; up: boolean; ok: boolean; ms: number | null };

/** The store would delete older checks on arrival. */
const keptDays = 400;

/**
 * Parses a line such as {"monitor": "api", "at": "2026-01-31T23:00:00Z", "up": true, "ms": 82}. Returns the check, or
 * the reason why the line is refused. `ok` says whether this check passed, and defaults to `up`.
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
  return { monitor, at, up, ok, ms };
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
