import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId, UpdateId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { loadAffected } from './affected-services.js';
import { forgetAnnouncementsOfUpdate } from './announcements.js';
import { type Audit, recordIncidentChange, recordUpdateChange } from './audit.js';
import { loadUpdate } from './correct-update.js';
import { countRevision, lockIncident } from './incident-row.js';
import { lockPageOfIncidents } from './limits.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

type IncidentRef = { pageId: PageId; incidentId: IncidentId };

/** Deletes the finished emails of an incident. */
export type ForgetEmails = (tx: Transaction, ref: IncidentRef) => Promise<void>;

/**
 * Deletes an incident with its timeline, its announcements, and their deliveries and emails, those that are pending
 * included. Nothing is announced. A monitor or alert rule that has opened it opens no other one for the same outage. Returns
 * false when the page has no such incident.
 *
 * @param deps.forgetEmails deletes the finished emails in parts, in the same transaction: the cascade would delete the emails of
 *   ten thousand subscribers and two hundred updates in one statement.
 */
export async function deleteIncident(
  { sql, clock, by, forgetEmails }: Deps & { forgetEmails: ForgetEmails },
  ref: IncidentRef,
): Promise<boolean> {
  return inTransaction(sql, (tx) => deleteIncidentIn(tx, { ...ref, forgetEmails, by, now: clock.now() }));
}

/** deleteIncident() as part of a transaction. `now` is in milliseconds since the epoch. */
export async function deleteIncidentIn(
  tx: Transaction,
  { pageId, incidentId, forgetEmails, ...audit }: IncidentRef & Audit & { forgetEmails: ForgetEmails },
): Promise<boolean> {
  await lockPageOfIncidents(tx, pageId);
  const incident = await lockIncident(tx, pageId, incidentId);
  if (incident === undefined) return false;
  const before = { ...incident, affected: await loadAffected(tx, incidentId) };
  await forgetEmails(tx, { pageId, incidentId });
  await tx`delete from incidents where id = ${incidentId} and page_id = ${pageId}`;
  await recordIncidentChange(tx, audit, { pageId, verb: 'delete', before, after: null });
  return true;
}

/**
 * Deletes an update from the timeline, and the announcements of it alone with their deliveries and emails. Announces
 * nothing. An incident that the update has resolved stays resolved, and its end stays announced. Returns false when the
 * page has no such incident with such an update.
 */
export async function deleteUpdate(
  { sql, clock, by }: Deps,
  { pageId, incidentId, updateId }: IncidentRef & { updateId: UpdateId },
): Promise<boolean> {
  return inTransaction(sql, async (tx) => {
    await lockPageOfIncidents(tx, pageId);
    const incident = await lockIncident(tx, pageId, incidentId);
    const before = await loadUpdate(tx, incidentId, updateId);
    if (incident === undefined || before === undefined) return false;
    await forgetAnnouncementsOfUpdate(tx, incidentId, updateId);
    await tx`delete from incident_updates where id = ${updateId} and incident_id = ${incidentId}`;
    await countRevision(tx, incidentId);
    const change = { pageId, verb: 'delete', incident, updateId, before, after: null } as const;
    await recordUpdateChange(tx, { by, now: clock.now() }, change);
    return true;
  });
}
