import type { UpdateStatus } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId, UpdateId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { requestTranslations } from '../translations/index.js';
import { keepAnnouncedUpdate } from './announced-incident.js';
import { announce } from './announcements.js';
import { type Audit, recordUpdateChange } from './audit.js';

import { countRevision, type IncidentRow, type IncidentVersion, lockIncident } from './incident-row.js';
import { checkRoomForCorrection, lockPageOfIncidents } from './limits.js';
import type { UpdateCorrection } from './parse-incident.js';

type CorrectionInput = {
  pageId: PageId;
  incidentId: IncidentId;
  updateId: UpdateId;
  correction: UpdateCorrection;
  /** Called in the transaction with the incident as it is; may refuse the change. */
  check?: (current: IncidentVersion) => void;
};

/**
 * Corrects the text or the status of an update. Changes nothing else of the incident: the status `resolved` does not
 * resolve it, and another one does not reopen it. Notifications of the update keep what they said. With `notify` the
 * correction is announced like a new update. Returns false when the page has no such incident with such an update.
 *
 * @throws ServiceError `incidentLimit` when the incident or the page has no room for a longer text; what `check` throws.
 */
export async function correctUpdate(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { pageId, incidentId, updateId, correction, check }: CorrectionInput,
): Promise<boolean> {
  return inTransaction(sql, async (tx) => {
    await lockPageOfIncidents(tx, pageId);
    const incident = await lockIncident(tx, pageId, incidentId);
    if (incident === undefined) return false;
    check?.(incident);
    const update = await loadUpdate(tx, incidentId, updateId);
    if (update === undefined) return false;
    const audit = { by, now: clock.now() };
    const { notify, ...fields } = correction;
    if (!(await correctUpdateIn(tx, { pageId, incident, update, fields, ...audit }))) return true;
    await countRevision(tx, incidentId);
    const kind = `${incident.type}.update_posted` as const;
    if (notify) await announce(tx, { pageId, incidentId, kind, updateId, now: audit.now });
    return true;
  });
}

/** An update as it is stored. */
export type StoredUpdate = { id: UpdateId; status: UpdateStatus; body: string };

export async function loadUpdate(
  tx: Transaction,
  incidentId: IncidentId,
  updateId: UpdateId,
): Promise<StoredUpdate | undefined> {
  const [update] = await tx<StoredUpdate[]>`
    select id, status, body from incident_updates where id = ${updateId} and incident_id = ${incidentId}`;
  return update;
}

type Correction = Audit & {
  pageId: PageId;
  incident: IncidentRow;
  update: StoredUpdate;
  fields: { body?: string; status?: UpdateStatus };
};

/** Corrects an update of a locked incident. Returns whether that changed anything. */
export async function correctUpdateIn(
  tx: Transaction,
  { pageId, incident, update, fields, ...audit }: Correction,
): Promise<boolean> {
  const after = { ...update, ...fields };
  if (after.body === update.body && after.status === update.status) return false;
  const added = Buffer.byteLength(after.body) - Buffer.byteLength(update.body);
  await checkRoomForCorrection(tx, pageId, incident, added);
  await keepAnnouncedUpdate(tx, incident.id, update.id);
  const { status, body } = after;
  const correctedAt = new Date(audit.now);
  await tx`
    update incident_updates set status = ${status}, body = ${body}, corrected_at = ${correctedAt}
    where id = ${update.id}`;
  await requestTranslations(tx, { pageId, texts: [body], now: audit.now });
  await recordUpdateChange(tx, audit, {
    ...{ pageId, verb: 'update', incident, updateId: update.id },
    ...{ before: update, after },
  });
  return true;
}
