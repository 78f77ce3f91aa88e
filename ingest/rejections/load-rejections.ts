import { limits } from '../../contract/limits.js';
import type { RejectionReason, RejectionsAnswer } from '../../contract/rejections.js';
import type { PageId } from '../../lib/ids.js';
import { keptAt, noteRange } from '../../lib/kept.js';
import { parseParameters, type QueryParameters } from '../../lib/query-parameters.js';
import { checkPoints, parseSteppedRange, type SteppedRange } from '../../lib/steps.js';
import type { Sql } from '../../sql/open-postgres.js';
import { unreadReason } from './store-rejections.js';

/** Loads what was not read of a page's newest such batch whose events count; `undefined` when none came since then. */
export async function loadUnread(
  { sql }: { sql: Sql },
  pageId: PageId,
  since: number,
): Promise<{ at: Date; message: string } | undefined> {
  const [newest] = await sql<{ at: Date; message: string }[]>`
    select at, message from rejection_messages
    where page_id = ${pageId} and reason = ${unreadReason} and at >= ${new Date(since)}`;
  return newest;
}

/** `now` is the time to which a range is relative. @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseRejectionsQuery(query: QueryParameters, now: number): SteppedRange {
  const range = parseSteppedRange(parseParameters(query, ['from', 'to', 'step']), now);
  checkPoints(range, 1);
  return range;
}

type PointRow = { reason: RejectionReason; step: bigint; events: bigint };
type MessageRow = { reason: RejectionReason; at: Date; service: string | null; message: string };

/** Loads how many events of a page were rejected, by reason and over time, the most frequent reason first. */
export async function loadRejections(
  { sql }: { sql: Sql },
  pageId: PageId,
  range: SteppedRange,
): Promise<RejectionsAnswer> {
  const { from, to, stepSeconds } = range;
  const kept = keptAt(range.now, limits.eventRetentionDays);
  const points = await sql<PointRow[]>`
    select reason, floor(extract(epoch from minute) / ${stepSeconds})::bigint as step, sum(events)::bigint as events
    from rejected_events
    where page_id = ${pageId} and minute >= ${new Date(from)} and minute < ${new Date(to)}
    group by reason, step order by step`;
  const messages = await sql<MessageRow[]>`
    select reason, at, service, message from rejection_messages
    where page_id = ${pageId} and reason <> ${unreadReason}`;
  const reasons = messages
    .map((newest) => toReason(newest, points, stepSeconds))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
  const total = (count: number) => (from < kept.from ? null : count);
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step: stepSeconds,
    ...noteRange(range, kept),
    rejected: total(reasons.reduce((sum, { count }) => sum + count, 0)),
    reasons: reasons.map(({ count, points, ...reason }) => ({
      ...{ ...reason, count: total(count) },
      points: points.filter(({ at }) => Math.max(from, Date.parse(at)) >= kept.from),
    })),
  };
}

function toReason(
  { reason, at, service, message }: MessageRow,
  rows: readonly PointRow[],
  stepSeconds: number,
): RejectionsAnswer['reasons'][number] & { count: number } {
  const points = rows
    .filter((row) => row.reason === reason)
    .map(({ step, events }) => ({
      at: new Date(Number(step) * stepSeconds * 1000).toISOString(),
      count: Number(events),
    }));
  const count = points.reduce((sum, point) => sum + point.count, 0);
  return { reason, count, newest: { at: at.toISOString(), service, message }, points };
}
