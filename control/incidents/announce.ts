import type { AnnouncementKind } from '../../contract/incidents.js';
import { type AnnouncementId, type IncidentId, newId, type PageId, type UpdateId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { loadLedgerEntry } from './load-ledger.js';

export type Announcement = {
  pageId: PageId;
  /** The caller's transaction holds its lock, which is what puts announcements of one incident in order. */
  incidentId: IncidentId;
  kind: AnnouncementKind;
  /** The timeline update that was posted. */
  updateId?: UpdateId;
  /** Milliseconds since the epoch. */
  now: number;
};

/**
 * Writes down, in the transaction of the change, that subscribers and webhooks are to be told of it, with the
 * incident as it is now. The workers of notify/ see the row once, and only if, the transaction commits.
 */
export async function announce(tx: Transaction, announcement: Announcement): Promise<void> {
  const { pageId, incidentId, kind, updateId, now } = announcement;
  const entry = await loadLedgerEntry(tx, pageId, incidentId, now);
  if (entry === undefined) throw new Error('An incident was announced that its page does not have.');
  await tx`
    insert into announcements (id, page_id, incident_id, kind, entry, update_id, created_at)
    values (${newId<AnnouncementId>(now)}, ${pageId}, ${incidentId}, ${kind}, ${tx.json(entry)}, ${updateId ?? null},
      ${new Date(now)})`;
}
