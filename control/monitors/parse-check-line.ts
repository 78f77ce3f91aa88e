import { limits } from '../../contract/limits.js';
import { parseTimestamp } from '../../lib/timestamp.js';

/** `at` in milliseconds since the epoch; `ms` is the response time, null where none was measured. */
export type ImportedCheck = { monitor: string; at: number; up: boolean; ok: boolean; ms: number | null };

/** Checks are kept so long; what is older would be deleted as it arrives. */
const keptDays = 400;
const dayMs = 86_400_000;

/**
 * A line such as {"monitor": "api", "at": "2026-01-31T23:00:00Z", "up": true, "ms": 82} as a check, or why it is none.
 * `ok`, whether this very check passed, is as `up` where it is left out.
 */
export function readCheckLine(text: string, now: number): ImportedCheck | string {
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
    return isObject ? (value as Record<string, unknown>) : undefined; // An object has unknown values under names.
  } catch {
    return undefined;
  }
}

function isResponseTime(ms: unknown): ms is number | null {
  return ms === null || (typeof ms === 'number' && ms >= 0 && ms <= limits.latencyMsMax);
}
