import { Compile } from 'typebox/compile';
import {
  Pool,
  type PoolMeasurement,
  PoolReport,
  poolCounters,
  poolGauges,
  poolPeaks,
  poolReportLimits,
} from '../../contract/pool-reports.js';
import { parseAlias, parseRevision } from '../../lib/alias.js';
import { parseId, type SessionId } from '../../lib/ids.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import { describeErrors } from '../../lib/parse-body.js';
import { ServiceError } from '../../lib/service-error.js';
import { parseTimestamp } from '../../lib/timestamp.js';

/**
 * A report that keeps every rule, in one form: times in milliseconds since the epoch, aliases trimmed, absent fields
 * null, and only the fields of the contract.
 */
export type CheckedPoolReport = Omit<PoolReport, 'session' | 'startedAt' | 'from' | 'to' | 'pools'> & {
  session: SessionId;
  startedAt: number;
  from: number;
  to: number;
  pools: CheckedPool[];
};
export type CheckedPool = Required<Pool>;

const check = Compile({ Pool }, PoolReport);

/**
 * @param now milliseconds since the epoch.
 * @throws ServiceError `invalidBody`, which names the field by its JSON pointer and never repeats a secret.
 */
export function parsePoolReport(body: unknown, now: number): CheckedPoolReport {
  if (!check.Check(body)) throw invalid(describeErrors(check, body));
  const sent = body as PoolReport; // Checked above; the type of a schema does not follow its references.
  const session = parseId<SessionId>(sent.session);
  if (session === undefined) throw invalid(`/session must be a UUID; it was ${describeSent(sent.session)}.`);
  const times = {
    startedAt: parseTime('/startedAt', sent.startedAt),
    from: parseTime('/from', sent.from),
    to: parseTime('/to', sent.to),
  };
  checkInterval(times, now);
  const pools = sent.pools.map((pool, i) => parsePool(`/pools/${i}`, pool));
  checkDistinct(pools);
  return {
    version: 1,
    session,
    sequence: sent.sequence,
    service: parseAlias('/service', sent.service),
    environment: parseAlias('/environment', sent.environment),
    revision: parseRevision('/revision', sent.revision),
    ...times,
    pools,
    exporter: { dropped: sent.exporter.dropped, failures: sent.exporter.failures },
  };
}

function parseTime(at: string, text: string): number {
  const time = parseTimestamp(text);
  // A negative time is before 1970, which no store needs to hold.
  if (!(time >= 0))
    throw invalid(
      `${at} must be an ISO-8601 time that exists, such as 2026-01-31T23:00:00Z; it was ${describeSent(text)}.`,
    );
  return time;
}

type Times = Pick<CheckedPoolReport, 'startedAt' | 'from' | 'to'>;

function checkInterval({ startedAt, from, to }: Times, now: number): void {
  const { intervalSecondsMax, lateSecondsMax, aheadSecondsMax } = poolReportLimits;
  if (from < startedAt) throw invalid('/from must not be before startedAt.');
  if (to <= from) throw invalid('/to must be after from.');
  if (to - from > intervalSecondsMax * 1000) {
    throw invalid(`/to must be at most ${intervalSecondsMax} s after from.`);
  }
  if (to < now - lateSecondsMax * 1000)
    throw invalid(`/to must be at most ${lateSecondsMax} s ago; ${arrived(to, now)}.`);
  if (to > now + aheadSecondsMax * 1000)
    throw invalid(`/to must be at most ${aheadSecondsMax} s ahead; ${arrived(to, now)}.`);
}

/** A clock that is off shows when both times stand side by side. */
function arrived(to: number, now: number): string {
  return `it was ${new Date(to).toISOString()}, and arrived at ${new Date(now).toISOString()}`;
}

function parsePool(at: string, pool: Pool): CheckedPool {
  const { open, busy, idle, waiting } = pool.snapshot;
  const parsed: CheckedPool = {
    system: parseAlias(`${at}/system`, pool.system),
    target: parseAlias(`${at}/target`, pool.target),
    pool: parseAlias(`${at}/pool`, pool.pool),
    serverPool: parseAlias(`${at}/serverPool`, pool.serverPool),
    driverVersion: parseAlias(`${at}/driverVersion`, pool.driverVersion),
    coverage: pool.coverage,
    supported: [...pool.supported],
    snapshot: { open, busy, idle, waiting },
    peaks: { open: pool.peaks.open, busy: pool.peaks.busy, waiting: pool.peaks.waiting },
    acquisition: pool.acquisition && { counts: pool.acquisition.counts, sumMs: pool.acquisition.sumMs },
    failures: pool.failures,
    created: pool.created,
    closed: pool.closed,
    minimum: pool.minimum ?? null,
    maximum: pool.maximum ?? null,
  };
  checkSupported(at, parsed);
  checkPeaks(at, parsed);
  checkSums(at, parsed);
  return parsed;
}

/** Every declared measurement must be there, and no other: null never stands for 0, nor 0 for null. */
function checkSupported(at: string, pool: CheckedPool): void {
  const { supported, snapshot } = pool;
  const checkOne = (name: PoolMeasurement, field: string, value: unknown): void => {
    if (supported.includes(name) === (value !== null)) return;
    const problem = value === null ? 'must not be null: it is' : 'must be null: it is not';
    throw invalid(`${at}${field} ${problem} one of the supported measurements.`);
  };
  for (const gauge of poolGauges) checkOne(gauge, `/snapshot/${gauge}`, snapshot[gauge]);
  checkOne('acquisition', '/acquisition', pool.acquisition);
  for (const counter of poolCounters) checkOne(counter, `/${counter}`, pool[counter]);
}

/** An unknown peak makes the coverage partial; a known one is not below the last value. */
function checkPeaks(at: string, { supported, coverage, snapshot, peaks }: CheckedPool): void {
  for (const gauge of poolPeaks) {
    const [peak, last] = [peaks[gauge], snapshot[gauge]];
    const field = `${at}/peaks/${gauge}`;
    if (!supported.includes(gauge)) {
      if (peak !== null) throw invalid(`${field} must be null: it is not one of the supported measurements.`);
    } else if (peak === null) {
      if (coverage === 'complete') throw invalid(`${field} must not be null where coverage is complete.`);
    } else if (last !== null && peak < last) {
      throw invalid(`${field} must not be below snapshot.${gauge}.`);
    }
  }
}

function checkSums(at: string, { snapshot, acquisition, minimum, maximum }: CheckedPool): void {
  const { open, busy, idle } = snapshot;
  if (open !== null && busy !== null && idle !== null && open !== busy + idle) {
    throw invalid(`${at}/snapshot/open must be busy plus idle.`);
  }
  if (acquisition !== null && acquisition.sumMs > 0 && acquisition.counts.every((count) => count === 0)) {
    throw invalid(`${at}/acquisition/sumMs must be 0 where no acquisition is counted.`);
  }
  if (minimum !== null && maximum !== null && minimum > maximum) {
    throw invalid(`${at}/minimum must not be above maximum.`);
  }
}

/** Returns the four names of a pool as one text. An alias cannot hold the separator. */
export function poolKey({ system, target, pool, serverPool }: CheckedPool): string {
  return [system, target, pool, serverPool].join('\n');
}

/** The same pool twice would give one gauge two newest values. */
function checkDistinct(pools: readonly CheckedPool[]): void {
  const seen = new Set<string>();
  for (const [i, pool] of pools.entries()) {
    const key = poolKey(pool);
    if (seen.has(key)) throw invalid(`/pools/${i} is the same pool as another one of the report.`);
    seen.add(key);
  }
}

function invalid(detail: string): ServiceError {
  return new ServiceError('invalidBody', { message: detail });
}
