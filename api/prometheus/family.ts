import type { LatencyHistogram } from '../../analytics/minute/latency-histogram.js';

/** A metric with its series. Names of labels and metrics are ours; values of labels may be any text. */
export type Family = { name: string; help: string } & (
  | { type: 'gauge'; samples: readonly Sample<number>[] }
  /** Response times in seconds, at one time and not since a start. */
  | { type: 'gaugehistogram'; unit: 'seconds'; samples: readonly Sample<LatencyHistogram>[] }
);

export type Sample<Value> = { labels: Labels; value: Value; atMs?: number };

export type Labels = Readonly<Record<string, string>>;
