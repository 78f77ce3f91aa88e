import type { RejectionReason } from '../contract/rejections.js';
import type { PageId } from '../lib/ids.js';
import type { Describe, Summary } from './acknowledge.js';
import { batchKeyOf } from './batch-ids/batch-id.js';
import type { Block, Events } from './commit/collapse.js';
import type { Arrival, Commit, Committed } from './commit/commit.js';
import type { CumulativeCommit } from './cumulative/cumulative-commit.js';
import type { Source } from './names/names.js';
import type { LeftOutReason } from './otlp/left-out.js';
import type { Signal } from './otlp/tree.js';
import type { PostgresCommit } from './postgres/postgres-commit.js';
import type { IgnoredReason } from './prometheus/ignored.js';
import type { RejectionCounts } from './rejections/count-rejections.js';

export type IngestMetrics = {
  accepted(events: number): void;
  /** Counts spans, metrics and data points of OTLP that are no requests. */
  ignored(signal: Signal, counts: ReadonlyMap<LeftOutReason, number>): void;
  /** Counts samples of remote write that count nothing. */
  ignoredSamples(counts: ReadonlyMap<IgnoredReason, number>): void;
  rejected(reason: RejectionReason, events: number): void;
  /** Counts a batch with fields of counted events that were not read. */
  unread(): void;
};

export type CommitDeps = {
  /** Returns the commit to the store of a page's events. */
  commitOf(pageId: PageId): Commit;
  /** Returns the commit to the same store for batches that have an id. */
  postgresCommitOf(pageId: PageId): PostgresCommit;
  /** Returns the commit to the same store for cumulative data points. */
  cumulativeCommitOf(pageId: PageId): CumulativeCommit;
  metrics: IngestMetrics;
  /** Counts the rejected events of each page. */
  rejections: Pick<RejectionCounts, 'add' | 'addUnread'>;
};

/** The names that a batch came with, as far as it has them. */
export type Sent = { batchId: string | undefined; reporterId: string | undefined };

/** A batch that has its names, or the block that it has collapsed into. */
type Named<Content> = { content: Content; callers: readonly Source[]; summary: Summary };

/** A batch that was handed to the commit. */
export type Handed<Answer> = {
  /** Resolves when the batch is durable and its events are counted. */
  answer: Promise<Answer>;
};

/** Hands a batch to the commit. The content has been copied when this returns. */
export function hand<Answer extends object>(
  deps: CommitDeps,
  arrival: Arrival,
  { batchId, reporterId }: Sent,
  named: Named<Events>,
  describe: Describe<Answer>,
): Handed<Answer> {
  if (batchId !== undefined) return handOnce(deps, arrival, { batchId, reporterId }, named, describe);
  const { content, callers, summary } = named;
  const { pageId, at, answerBy } = arrival;
  const conclude = (committed?: Committed): Answer => {
    count(deps, pageId, { at, caller: reporterId }, summary);
    return describe(summary, committed);
  };
  // Without an event left, no source called.
  if (callers.length === 0) return { answer: Promise.resolve(conclude()) };
  return { answer: deps.commitOf(pageId).add(content, callers, { pageId, at, answerBy }).then(conclude) };
}

/** Hands a batch with an id to the commit, as hand() does. A duplicate is not counted. */
export function handOnce<Answer extends object>(
  deps: CommitDeps,
  { pageId, at, answerBy }: Arrival,
  { batchId, reporterId }: Sent & { batchId: string },
  { content, callers, summary }: Named<Events | Block>,
  describe: Describe<Answer>,
): Handed<Answer> {
  const acknowledged = deps.postgresCommitOf(pageId).addOnce(
    content,
    callers,
    { pageId, at, answerBy },
    {
      key: batchKeyOf(reporterId, batchId),
      describe: (committed: Committed | undefined) => describe(summary, committed),
    },
  );
  const answer = acknowledged.then(({ acknowledgement, isDuplicate }) => {
    if (isDuplicate) return { ...acknowledgement, duplicate: true };
    count(deps, pageId, { at, caller: reporterId }, summary);
    return acknowledgement;
  });
  return { answer };
}

/** Counts a batch that is acknowledged in the metrics, and what was rejected of it for its page. */
export function count(
  deps: CommitDeps,
  pageId: PageId,
  batch: { at: number; caller: string | undefined },
  { accepted, rejections, unread }: Summary,
): void {
  deps.metrics.accepted(accepted);
  for (const [reason, { count }] of rejections) deps.metrics.rejected(reason, count);
  if (rejections.size > 0) deps.rejections.add(pageId, rejections, batch);
  if (unread !== undefined) {
    deps.metrics.unread();
    deps.rejections.addUnread(pageId, unread, batch);
  }
}
