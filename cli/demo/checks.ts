import type { CheckError } from '../../contract/monitors.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { loadAt, noiseAt, normalAt } from './noise.js';

/** Time between the checks of a monitor: 90 days of six monitors are 388,800 checks, half as many as one a minute. */
export const everySeconds = 120;
/** The default of every monitor. */
const failuresToDown = 2;
/** Share of checks that fail at random: about one in a fortnight for each monitor. */
const failingShare = 0.0001;
const spikeShare = 0.004;
/** A service is slow for this long before an outage, and after it until its caches are warm. */
const slowMs = 25 * minuteMs;

/** All times are milliseconds since the epoch; `to` is Infinity while there is no end. */
export type Span = { from: number; to: number };

/** A series of checks. Each check is the same every time it is computed. */
export type Series = {
  slug: string;
  seed: number;
  usualMs: number | null;
  /** Time of the first check. */
  start: number;
  outages: readonly Span[];
};

export type SeriesCheck = { at: number; ok: boolean; up: boolean; ms: number | null };

/** The rest of what is known of a check, as a line of an import has it. */
export type CheckDetails = {
  status?: number;
  error?: CheckError;
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  firstByteMs?: number;
};

/** Yields the checks after `from`, up to and including `to`. */
export function* checksOf(series: Series, { from, to }: Span): Generator<SeriesCheck> {
  const everyMs = everySeconds * 1000;
  for (let place = Math.max(0, Math.floor((from - series.start) / everyMs) + 1); ; place += 1) {
    const at = series.start + place * everyMs;
    if (at > to) return;
    const ok = passes(series, place, at);
    const failures = [0, 1].filter((back) => !passes(series, place - back, at - back * everyMs)).length;
    yield { at, ok, up: failures < failuresToDown, ms: ok ? responseMs(series, place, at) : null };
  }
}

function passes({ seed, outages }: Series, place: number, at: number): boolean {
  if (outages.some(({ from, to }) => at >= from && at < to)) return false;
  return noiseAt(seed + 10, place) >= failingShare;
}

function responseMs({ seed, usualMs, outages }: Series, place: number, at: number): number | null {
  if (usualMs === null) return null;
  const usual = usualMs * (0.7 + 0.3 * loadAt(at)) * Math.exp(0.16 * normalAt(seed + 20, place));
  const spike = noiseAt(seed + 30, place) < spikeShare ? 2 + 3 * noiseAt(seed + 40, place) : 1;
  const slow = outages.some(({ from, to }) => at >= from - slowMs && at < to + slowMs) ? 2.4 : 1;
  // Days differ in what is deployed and requested.
  const ofDay = Math.exp(0.05 * normalAt(seed + 50, Math.floor(at / dayMs)));
  return Math.round(usual * spike * slow * ofDay * 10) / 10;
}

/** Returns what is known of a check besides its outcome. A heartbeat has no details. */
export function detailsOf({ seed, usualMs }: Series, { at, ok, ms }: SeriesCheck): CheckDetails {
  if (usualMs === null) return {};
  const place = Math.floor(at / 1000);
  if (!ok || ms === null) {
    return noiseAt(seed + 60, place) < 0.7 ? { error: 'status', status: 503 } : { error: 'timeout' };
  }
  const part = (share: number, more: number) =>
    Math.round(ms * share * (0.7 + 0.6 * noiseAt(seed + more, place)) * 10) / 10;
  const [dnsMs, connectMs, tlsMs] = [part(0.05, 61), part(0.11, 62), part(0.2, 63)];
  const firstByteMs = Math.round((ms - dnsMs - connectMs - tlsMs) * 0.94 * 10) / 10;
  return { status: 200, dnsMs, connectMs, tlsMs, firstByteMs };
}
