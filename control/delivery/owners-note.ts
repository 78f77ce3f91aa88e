import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import type { Fragment, Transaction } from '../../sql/open-postgres.js';

/**
 * Queues emails to the owners of a page in a transaction, and returns whether the page has any.
 *
 * @param queued.now milliseconds since the epoch
 */
export type QueueNotice<Notice> = (
  tx: Transaction,
  queued: { pageId: PageId; notice: Notice; now: number },
) => Promise<boolean>;

/** The webhook or channel that a note is about. Its table has the column `owners_told_at`. */
type Subject = { table: string; id: string; pageId: PageId };

/**
 * Takes the lock of the page that queued emails need. A transaction that also writes the subject of a note takes it first,
 * as the transactions do that create one; they would otherwise wait for each other.
 */
export async function lockPageForNote(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`select 1 from pages where id = ${pageId} for key share`;
}

/**
 * Sends a note about a subject to the owners of its page, in the transaction that records the failure, and returns whether
 * emails were queued. A receiver that is gone for long fails many times, so there is one note in a day.
 *
 * @param note.load returns the content of the note
 * @param note.orWhen a condition under which there is one more on the same day
 * @param note.columns further columns of the subject that are set
 */
export async function noteToOwners<Notice>(
  tx: Transaction,
  queueNotice: QueueNotice<Notice>,
  { table, id, pageId }: Subject,
  note: { load(): Promise<Notice>; now: number; orWhen?: Fragment; columns?: Record<string, string> },
): Promise<boolean> {
  const { now, orWhen = tx`false`, columns = {} } = note;
  const [due] = await tx`
    select 1 from ${tx(table)}
    where id = ${id} and (owners_told_at is null
      or owners_told_at <= ${new Date(now - dayMs)}
      -- Written before the clock was put back.
      or owners_told_at > ${new Date(now + clocksDifferMsMax)}
      or ${orWhen})
    for no key update`;
  if (due === undefined || !(await queueNotice(tx, { pageId, notice: await note.load(), now }))) return false;
  await tx`update ${tx(table)} set ${tx({ owners_told_at: new Date(now), ...columns })} where id = ${id}`;
  return true;
}
