import type { CumulativeReason } from '../cumulative/advance.js';

/**
 * Why samples of remote write count nothing. Labels of the metric of ignored samples. `other_metric` and `other_form` are no
 * histograms of requests; `stale` says that a series has ended; `late` came after a newer point of its histogram had
 * counted, and `incomplete` waited in vain for the other buckets: a newer point includes what both counted. From
 * `no_requests` on they are reasons of whole points, which have several samples each.
 */
export const ignoredReasons = [
  ...([
    'other_metric',
    'other_form',
    'stale',
    'malformed',
    'at_invalid',
    'too_old',
    'in_the_future',
  ] as const),
  ...(['late', 'incomplete', 'too_many_buckets', 'too_many_series', 'too_many_requests'] as const),
  ...(['no_requests', 'seen_before', 'first_of_series', 'counts_fell', 'counted_by_spans'] as const),
] as const satisfies readonly (CumulativeReason | string)[];
export type IgnoredReason = (typeof ignoredReasons)[number];

/** Numbers of samples by reason. */
export class Ignored {
  readonly counts = new Map<IgnoredReason, number>();

  add(reason: IgnoredReason, samples = 1): void {
    if (samples > 0) this.counts.set(reason, (this.counts.get(reason) ?? 0) + samples);
  }
}
