import { incidentLimits } from '../../contract/incidents.js';
import { withCommas } from '../../contract/limits.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { IncidentRow } from './incident-row.js';
import type { UpdateFields } from './parse-incident.js';

/**
 * Limits of what people and keys write. Monitors and alert rules are not subject to them, so that no flood of a key keeps
 * an outage from its announcement: they have one open incident each, with two short texts and one update.
 */

/** Bytes that an attached service counts beside the texts: in answers it is a slug of up to 63 characters, in quotes. */
export const serviceBytes = 64;

/** Texts of an incident besides its updates, and the number of its attached services. */
type Head = { title: string; summary: string; services: number };

/** Locks the page until the transaction ends, before any incident, so that concurrent writes stay within the limits. */
export async function lockPageOfIncidents(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`select 1 from pages where id = ${pageId} for no key update`;
}

/** @throws ServiceError `incidentLimit` when the page has no room for another open incident with this head. */
export async function checkRoomForIncident(tx: Transaction, pageId: PageId, head: Head): Promise<void> {
  await checkOpenIncidents(tx, pageId, { incidents: 1, bytes: headBytes(head) });
}

/**
 * An update that resolves an open incident may be its 200th, and may take the incident over its bytes, but only if it was
 * not over them before. So a key that reopens an incident again and again adds no text to it.
 *
 * @throws ServiceError `incidentLimit` when the incident or the page has no room for the update.
 */
export async function checkRoomForUpdate(
  tx: Transaction,
  pageId: PageId,
  incident: IncidentRow,
  { body, status }: UpdateFields,
): Promise<void> {
  const { updates, bytes } = await loadSize(tx, incident.id);
  const resolves = status === 'resolved' && incident.resolved_at === null;
  checkUpdates(updates, resolves);
  const added = Buffer.byteLength(body);
  if (resolves) checkBytesBefore(bytes);
  else checkEntryBytes(bytes + added);
  if (incident.resolved_at === null && !resolves) {
    await checkOpenIncidents(tx, pageId, { incidents: 0, bytes: added });
  }
}

/**
 * A change that neither reopens the incident nor lengthens its texts and services is always possible, such as one that
 * only sets its end.
 *
 * @throws ServiceError `incidentLimit` when the incident or the page has no room for the change.
 */
export async function checkRoomForChange(
  tx: Transaction,
  pageId: PageId,
  { before, after }: { before: IncidentRow & Head; after: IncidentRow & Head },
): Promise<void> {
  const added = headBytes(after) - headBytes(before);
  const reopens = before.resolved_at !== null && after.resolved_at === null;
  if (added <= 0 && !reopens) return;
  const { bytes } = await loadSize(tx, before.id);
  if (added > 0) checkEntryBytes(bytes + added);
  if (reopens) await checkOpenIncidents(tx, pageId, { incidents: 1, bytes: bytes + added });
  else if (after.resolved_at === null) await checkOpenIncidents(tx, pageId, { incidents: 0, bytes: added });
}

/**
 * A correction that does not lengthen the texts is always possible.
 *
 * @param added bytes of UTF-8 that the correction adds to the updates.
 * @throws ServiceError `incidentLimit` when the incident or the page has no room for the correction.
 */
export async function checkRoomForCorrection(
  tx: Transaction,
  pageId: PageId,
  incident: IncidentRow,
  added: number,
): Promise<void> {
  if (added <= 0) return;
  const { bytes } = await loadSize(tx, incident.id);
  checkEntryBytes(bytes + added);
  if (incident.resolved_at === null) await checkOpenIncidents(tx, pageId, { incidents: 0, bytes: added });
}

function headBytes({ title, summary, services }: Head): number {
  return Buffer.byteLength(title) + Buffer.byteLength(summary) + serviceBytes * services;
}

function checkUpdates(updates: number, resolves: boolean): void {
  const { updates: max } = incidentLimits;
  if (updates >= max) {
    throw tooMuch(
      `The incident has ${max} updates, which is the most. Resolve it by its end time (resolvedAt), and open another incident for further updates.`,
    );
  }
  if (updates === max - 1 && !resolves) {
    throw tooMuch(
      `The incident has ${updates} updates, and the last one is kept for an update that resolves it. Resolve it, and open another incident for further updates.`,
    );
  }
}

function checkEntryBytes(bytes: number): void {
  const { entryBytes: max } = incidentLimits;
  if (bytes <= max) return;
  throw tooMuch(
    `The texts and services of the incident would have ${withCommas(bytes)} bytes, and may have ${withCommas(max)}. Shorten the text, or open another incident.`,
  );
}

/** An incident from before this limit, or one that was reopened, may have more. */
function checkBytesBefore(bytes: number): void {
  const { entryBytes: max } = incidentLimits;
  if (bytes <= max) return;
  throw tooMuch(
    `The texts and services of the incident have ${withCommas(bytes)} bytes already, and may have ${withCommas(max)}. Resolve it by its end time (resolvedAt).`,
  );
}

async function checkOpenIncidents(
  tx: Transaction,
  pageId: PageId,
  added: { incidents: number; bytes: number },
): Promise<void> {
  const { openPerPage, openBytesPerPage: bytesMax } = incidentLimits;
  const open = await loadOpen(tx, pageId);
  if (added.incidents > 0 && open.incidents + added.incidents > openPerPage) {
    throw tooMuch(
      `The page has ${openPerPage} open incidents and maintenance, which is the most. Resolve one, and repeat the request.`,
    );
  }
  const bytes = open.bytes + added.bytes;
  if (bytes <= bytesMax) return;
  throw tooMuch(
    `The texts and services of all open incidents and maintenance of the page would have ${withCommas(bytes)} bytes, and may have ${withCommas(bytesMax)}. Resolve one, or shorten the text or the list of services.`,
  );
}

/** `octet_length` of a long text reads its length alone. */
async function loadSize(
  tx: Transaction,
  incidentId: IncidentId,
): Promise<{ updates: number; bytes: number }> {
  const [size] = await tx<{ updates: number; bytes: number }[]>`
    select count(u.id)::integer as updates,
      octet_length(i.title) + octet_length(i.summary) + coalesce(sum(octet_length(u.body)), 0)::float8
        + ${serviceBytes}::int * (select count(*) from incident_monitors im where im.incident_id = i.id)::float8 as bytes
    from incidents i left join incident_updates u on u.incident_id = i.id
    where i.id = ${incidentId} group by i.id`;
  if (size === undefined) throw new Error('The incident that the transaction has locked is gone.');
  return size;
}

/** Counts the open incidents of people and keys, and the bytes of the texts and services of all open ones. */
async function loadOpen(tx: Transaction, pageId: PageId): Promise<{ incidents: number; bytes: number }> {
  const [open] = await tx<{ incidents: number; bytes: number }[]>`
    select
      (count(*) filter (where not exists (select 1 from monitors m where m.incident_id = i.id)
        and not exists (select 1 from alert_rules r where r.page_id = i.page_id and r.incident_id = i.id)))::integer
        as incidents,
      coalesce(sum(octet_length(i.title) + octet_length(i.summary) + (
        select coalesce(sum(octet_length(u.body)), 0) from incident_updates u where u.incident_id = i.id) + (
        select ${serviceBytes}::int * count(*) from incident_monitors im where im.incident_id = i.id)), 0)::float8
        as bytes
    from incidents i where i.page_id = ${pageId} and i.resolved_at is null`;
  return open ?? { incidents: 0, bytes: 0 };
}

function tooMuch(message: string): ServiceError {
  return new ServiceError('incidentLimit', { message });
}
