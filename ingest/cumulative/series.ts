import type { Counts } from './histogram.js';

/** The last point of a series that any instance has seen. */
export type Series = {
  /** Hash of its attributes, as of SeriesHash; tells series of a group apart. */
  readonly hash: number;
  /** When its sender began to count, in milliseconds since the epoch; 0 when the sender does not say. */
  readonly startMs: number;
  /** The time of the point, in milliseconds since the epoch. */
  timeMs: number;
  /** When the last point arrived, in minutes since the epoch. */
  seenMinute: number;
  count: number;
  counts: Counts;
  /** The series of the same attributes that another start has. */
  next: Series | undefined;
};

/** Buckets that a series has for its own; each so many further ones count like one more series. */
const bucketsPerSeries = 64;

/** Returns how much room a series takes, in series: 1 for up to 64 buckets. */
export function weightOf(counts: Counts): number {
  return Math.max(1, Math.ceil(counts.counts.length / bucketsPerSeries));
}

/** The series of one sender and metric. */
export class Group {
  private readonly byHash = new Map<number, Series>();
  /** Sum of the weights. */
  weight = 0;

  find(hash: number, startMs: number): Series | undefined {
    let series = this.byHash.get(hash);
    while (series !== undefined && series.startMs !== startMs) series = series.next;
    return series;
  }

  /** The time of the newest point of these attributes, whatever its start; `undefined` when there is none. */
  newestTimeMs(hash: number): number | undefined {
    let newest: number | undefined;
    for (let series = this.byHash.get(hash); series !== undefined; series = series.next)
      newest = Math.max(newest ?? 0, series.timeMs);
    return newest;
  }

  add(series: Series): void {
    series.next = this.byHash.get(series.hash);
    this.byHash.set(series.hash, series);
    this.weight += weightOf(series.counts);
  }

  /** Notes a further point of a series of the group. */
  advance(
    series: Series,
    { timeMs, seenMinute, count, counts }: Omit<Series, 'hash' | 'startMs' | 'next'>,
  ): void {
    this.weight += weightOf(counts) - weightOf(series.counts);
    series.timeMs = timeMs;
    series.seenMinute = seenMinute;
    series.count = count;
    series.counts = counts;
  }

  *all(): Generator<Series> {
    for (const first of this.byHash.values())
      for (let series: Series | undefined = first; series !== undefined; series = series.next) yield series;
  }
}
