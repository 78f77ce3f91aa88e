import type { Acknowledgement } from '../contract/events.js';
import { limits } from '../contract/limits.js';
import { inflateSnappy } from '../lib/snappy.js';
import { handCumulative } from './accept-cumulative.js';
import type { AcceptOtlpDeps, Incoming } from './accept-events.js';
import type { Handed } from './hand-to-commit.js';
import { LeftOut } from './otlp/left-out.js';
import { cutsOf } from './otlp/read-otlp.js';
import type { CumulativePoint } from './otlp/read-points.js';
import { type IgnoredReason, ignoredReasons } from './prometheus/ignored.js';
import { countBuckets } from './prometheus/join.js';
import type { Joiner } from './prometheus/joiner.js';
import type { Counted } from './prometheus/native.js';
import { readHistograms, type SentSeries, type WriteRead } from './prometheus/read-histograms.js';
import type { WriteVersion } from './prometheus/read-series.js';
import type { WholePoint } from './prometheus/store-joins.js';
import { windowV1 } from './read/time-window.js';
import type { Turn } from './turns/take-turns.js';

/** The samples of a body, whether they count or not. */
export type WriteAcknowledgement = Pick<WriteRead, 'samples' | 'histograms'>;

type Deps = AcceptOtlpDeps & { joiner: Joiner };

/**
 * Accepts a body of remote write when it is its turn: joins the buckets of its histograms to those of other bodies, and hands
 * the whole points to the commit of cumulative points. Points are forgotten here after they have counted, so that a body
 * that is sent again hands them on again, and nothing counts twice.
 *
 * @throws ServiceError as inflateSnappy() and readHistograms() do, and as handCumulative() does; the errors of the
 *   driver. Some of the body may count then; sent again, it counts once.
 */
export async function acceptRemoteWriteNow(
  deps: Deps,
  incoming: Incoming<Buffer>,
  version: WriteVersion,
  turn: Turn,
): Promise<WriteAcknowledgement> {
  const { pageId, at } = incoming;
  const body = inflateSnappy(incoming.body, limits.otlpBodyBytes);
  turn.charge(body.length);
  const read = readHistograms(body, { version, window: windowV1(at) }, (bytes) => turn.charge(bytes));
  const { series, ignored, samples, histograms } = read;
  const classic = series.filter(({ partial, ended }) => partial.size > 0 || ended.size > 0);
  const { whole, forget } = await deps.joiner.join(pageId, classic, at, ignored);
  const points = [...whole.flatMap((point) => pointOf(point, read)), ...series.flatMap(nativePointsOf)];
  const leftOut = new LeftOut();
  const handed: Handed<Acknowledgement>[] = [];
  for (const [from, to] of cutsOf(points.map(({ event }) => event))) {
    const one = await handCumulative(deps, incoming, points.slice(from, to), leftOut);
    one.answer.catch(() => {}); // When a later slice fails before this one is waited for.
    handed.push(one);
  }
  turn.end();
  await Promise.all(handed.map(({ answer }) => answer));
  await forget();
  for (const [reason, count] of leftOut.counts) if (isIgnored(reason)) ignored.add(reason, count);
  deps.metrics.ignoredSamples(ignored.counts);
  return { samples, histograms };
}

function pointOf({ of, buckets, ...times }: WholePoint, { ignored }: WriteRead): CumulativePoint[] {
  const counted = countBuckets(buckets);
  if (counted !== undefined) return [cumulative(of, times, counted)];
  ignored.add('malformed', buckets.size);
  return [];
}

function nativePointsOf(of: SentSeries): CumulativePoint[] {
  return of.native
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ counted, ...times }) => cumulative(of, times, counted));
}

function cumulative(
  { event, group, hash, perUnitMs }: SentSeries,
  { atMs, startMs }: { atMs: number; startMs: number | undefined },
  counted: Counted,
): CumulativePoint {
  const histogram = { ...counted, min: undefined, max: undefined, perUnitMs };
  return {
    event: { ...event, at: new Date(atMs).toISOString() },
    point: { group, hash, startMs: startMs ?? 0, timeMs: atMs, histogram },
  };
}

const reasons: ReadonlySet<string> = new Set(ignoredReasons);
const isIgnored = (reason: string): reason is IgnoredReason => reasons.has(reason);
