import type { IncidentId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import {
  changeIncidentIn,
  countRevision,
  deleteIncidentIn,
  type ForgetEmails,
  lockIncident,
  provideTexts,
} from '../incidents/index.js';
import { type Audit, fieldsOf, rememberIncident } from './publish-occurrence.js';
import { type Occurrence, occurrencesAfter } from './recurrence.js';
import { loadOccurrenceRows, type OccurrenceRow, type Series } from './series.js';

type Change = {
  before: Series;
  after: Series;
  /** Whether the times have changed. */
  isTimed: boolean;
  /** Announces the first published maintenance that changes: one message, however many occurrences there are. */
  notify: boolean;
  forgetEmails: ForgetEmails;
};

/** Changes what a series has published and skipped, after a change of the series in the same transaction. */
export async function republish(tx: Transaction, audit: Audit, change: Change): Promise<void> {
  const { before, after, isTimed } = change;
  const rows = (await loadOccurrenceRows(tx, [after.id], audit.now)).filter(
    ({ startsAt }) => startsAt.getTime() > audit.now,
  );
  if (rows.length === 0) return;
  const moves = isTimed
    ? pairUp(rows, { before, after, now: audit.now })
    : rows.map((row) => ({ row, to: undefined }));
  // All at once: an occurrence may come to the time of another one.
  await tx`
    delete from maintenance_occurrences where series_id = ${after.id} and starts_at > ${new Date(audit.now)}`;
  let notify = change.notify;
  for (const { row, to } of moves) {
    const isAnnounced = await move(tx, audit, { ...change, notify, row, to });
    if (isAnnounced) notify = false;
  }
}

type Move = { row: OccurrenceRow; to: Occurrence | undefined };

/** The first occurrence to come becomes the first one of the new times, and so on. */
function pairUp(
  rows: readonly OccurrenceRow[],
  { before, after, now }: { before: Series; after: Series; now: number },
): Move[] {
  const last = rows.at(-1)?.startsAt.getTime() ?? now;
  const old = occurrencesAfter(before, now, { count: 2_000, from: now + 1, before: last + 1 });
  const places = new Map(old.map(({ startsAt }, i) => [startsAt.getTime(), i]));
  const next = occurrencesAfter(after, now, { count: old.length, from: now + 1 });
  return rows.map((row) => ({ row, to: next[places.get(row.startsAt.getTime()) ?? next.length] }));
}

/** Returns whether it has announced a change. */
async function move(
  tx: Transaction,
  audit: Audit,
  { row, to, after, isTimed, notify, forgetEmails }: Change & Move,
): Promise<boolean> {
  const { incidentId, isUntouched, incidentRevision } = row;
  const startsAt = isTimed ? to?.startsAt : row.startsAt;
  if (incidentId !== null && isUntouched) {
    if (startsAt === undefined) {
      await deleteIncidentIn(tx, { pageId: after.pageId, incidentId, forgetEmails, ...audit });
      return false;
    }
    const revision = await changePublished(tx, audit, { after, incidentId, to, notify });
    await rememberIncident(tx, after, { startsAt, incidentId });
    // One that stays as it was is not announced, and leaves that to the next.
    return notify && revision !== incidentRevision;
  }
  // One that somebody has edited stays as it is, and still stands for its occurrence, as do those that were skipped.
  if (startsAt === undefined) return false;
  const kept = { incident_id: incidentId, incident_revision: incidentRevision };
  await tx`
    insert into maintenance_occurrences
      ${tx({ series_id: after.id, page_id: after.pageId, starts_at: startsAt, ...kept })}`;
  return false;
}

/** Returns the revision with the new times and texts in the default language; `undefined` for a maintenance that is gone. */
async function changePublished(
  tx: Transaction,
  audit: Audit,
  {
    after,
    incidentId,
    to,
    notify,
  }: { after: Series; incidentId: IncidentId; to: Occurrence | undefined; notify: boolean },
): Promise<number | undefined> {
  const { pageId } = after;
  const times = to && { startedAt: to.startsAt, scheduledEndAt: to.endsAt };
  await changeIncidentIn(tx, {
    pageId,
    incidentId,
    change: { ...fieldsOf(after), ...times, notify },
    ...audit,
  });
  const incident = await lockIncident(tx, pageId, incidentId);
  if (incident === undefined) return undefined;
  const isChanged = await provideTexts(tx, { pageId, incident, provided: after.texts, ...audit });
  if (isChanged) await countRevision(tx, incidentId);
  return incident.revision;
}
