import type { Acknowledgement, ReporterAcknowledgement } from '../contract/events.js';
import { type BatchRejection, type RejectionReason, rejectionLimits } from '../contract/rejections.js';
import type { Committed } from './commit/commit.js';
import type { Batch, Rejected } from './read/batch.js';
import { type Drops, describeDrops } from './read/guard.js';
import { describeUnread } from './read/unread.js';

/** The rejected events of one batch, by their reason. */
export type Rejections = ReadonlyMap<RejectionReason, Rejected>;

/** The outcome of a batch, for its answer: the batch itself is reused for the next request. */
export type Summary = {
  accepted: number;
  rejected: number;
  rejections: Rejections;
  /** The limits that dropped events. */
  warning: string | undefined;
  /** The fields of counted events that were not read, in a sentence. */
  unread: string | undefined;
};

/** Makes the answer for a batch; `committed` is `undefined` for one that left nothing to store. */
export type Describe<Answer> = (summary: Summary, committed: Committed | undefined) => Answer;

/** For a batch whose store is known to be unreachable, by where it waits. */
const waitingWarnings: Record<Committed['writtenTo'], string> = {
  log: 'The event store cannot be reached: the batch is in the log, and is stored from there.',
  postgres:
    'The event store cannot be reached: the batch is in the delivery buffer, and is stored from there.',
};

const noRejections: Rejections = new Map();

/** Sums up the outcome of a batch. Adds the limit of methods to `drops`. */
export function summarise(batch: Batch, drops: Drops): Summary {
  const { rejected, length: accepted } = batch;
  const overMethods = batch.rejections.get('method_limit');
  if (overMethods !== undefined) drops.set('method_limit', { count: overMethods.count, names: [] });
  const [warning, unread] = [describeDrops(drops), describeUnread(batch)];
  const rejections = batch.rejections.size === 0 ? noRejections : new Map(batch.rejections);
  return { accepted, rejected, rejections, warning, unread };
}

/** Makes the answer to a batch of v1. */
export function describe(summary: Summary, committed: Committed | undefined): Acknowledgement {
  const { accepted, rejected, rejections } = summary;
  const warning = [summary.warning, summary.unread, describeWaiting(committed)].filter(Boolean).join(' ');
  return {
    accepted,
    rejected,
    rows: committed?.rows ?? 0,
    statements: committed === undefined || committed.isWaiting ? 0 : 1,
    ...(warning !== '' && { warning }),
    ...(rejections.size > 0 && { rejections: listRejections(rejections) }),
  };
}

/** Makes the answers to a reporter. */
export function describeFor(reporterId: string): Describe<ReporterAcknowledgement> {
  return (summary, committed) => ({
    ...describe(summary, committed),
    heartbeat: committed !== undefined,
    reporterId,
  });
}

function describeWaiting(committed: Committed | undefined): string | undefined {
  return committed?.isWaiting ? waitingWarnings[committed.writtenTo] : undefined;
}

/** The most frequent reasons first. */
function listRejections(rejections: Rejections): BatchRejection[] {
  return [...rejections]
    .map(([reason, { count, firstIndex, message }]) => ({ reason, count, firstIndex, message }))
    .sort((a, b) => b.count - a.count || a.firstIndex - b.firstIndex)
    .slice(0, rejectionLimits.perAcknowledgement);
}
