import type { Batch } from '../read/batch.js';
import { describeUnread } from '../read/unread.js';

/**
 * Why something in a body of OTLP is not counted, by signal: spans, metrics or data points that are no requests, and from
 * `no_method` and `no_temporality` on those that the answer rejects. Labels of the metric of ignored OTLP.
 */
export const leftOutReasons = {
  traces: ['other_kind', 'web_socket', 'no_method', 'no_message', 'too_many_requests', 'counted_by_metrics'],
  metrics: [
    'other_metric',
    'other_name',
    'twice',
    'no_value',
    'no_requests',
    'counted_by_spans',
    'seen_before',
    'first_of_series',
    'no_temporality',
    'counts_fell',
    'too_many_series',
    'not_a_histogram',
    'unknown_unit',
    'malformed',
    'too_many_buckets',
    'too_many_requests',
  ],
} as const;
export type LeftOutReason = (typeof leftOutReasons)['traces' | 'metrics'][number];

/** Sentences about requests that count. */
type Note = 'estimates' | 'over_weight' | 'unread';

/** The rest of a body, beside the requests that count: numbers by reason, and sentences for its sender. */
export class LeftOut {
  readonly counts = new Map<LeftOutReason, number>();
  /** Spans or data points that the answer rejects. */
  refused = 0;
  private readonly sentences = new Map<LeftOutReason | Note, string>();

  /** Counts what is no request; the sender has done nothing wrong. */
  ignore(reason: LeftOutReason, count = 1): void {
    if (count > 0) this.add(reason, count);
  }

  /** Counts spans or data points that the answer rejects. The sentence of the first of each reason is kept. */
  refuse(reason: LeftOutReason, sentence: string, points = 1): void {
    if (points === 0) return;
    this.add(reason, points);
    this.refused += points;
    this.say(reason, sentence);
  }

  /** Keeps a sentence for the sender without a rejection. */
  say(reason: LeftOutReason | Note, sentence: string): void {
    if (!this.sentences.has(reason)) this.sentences.set(reason, sentence);
  }

  /** The sentence of the first of each reason, in the order of the body. */
  get messages(): string[] {
    return [...this.sentences.values()];
  }

  private add(reason: LeftOutReason, count: number): void {
    this.counts.set(reason, (this.counts.get(reason) ?? 0) + count);
  }
}

/** Tells the sender what counts without a part of it: a version, when its service has too many. */
export function noteUnread(batch: Batch, leftOut: LeftOut): void {
  const unread = describeUnread(batch);
  if (unread !== undefined) leftOut.say('unread', unread);
}
