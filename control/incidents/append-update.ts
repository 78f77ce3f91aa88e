import type { IncidentUpdate } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import { type IncidentId, newId, type PageId, type UpdateId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { requestTranslations } from '../translations/index.js';
import { announce } from './announcements.js';
import { type Audit, recordIncidentChange, recordUpdateChange } from './audit.js';
import { type IncidentRow, lockIncident } from './incident-row.js';
import { checkRoomForUpdate, lockPageOfIncidents } from './limits.js';
import type { UpdateFields } from './parse-incident.js';
import { type ProvidedTexts, provideTexts } from './provide-texts.js';
import { type PublishKey, publishOnce } from './publish-once.js';

type UpdateInput = {
  pageId: PageId;
  incidentId: IncidentId;
  input: UpdateFields;
  /** Translations of the body; none by default. */
  texts?: ProvidedTexts;
};

/**
 * Adds an update to the timeline of an incident. The status `resolved` also resolves an open incident as of now, and
 * never moves an existing end. Returns `undefined` when the page has no such incident. All requests with the same
 * `publishKey` add one update.
 *
 * @throws ServiceError `incidentLimit` when the incident or the page has no room for the update; `invalidBody` for texts
 *   in a language that the page does not translate into; as publishOnce().
 */
export async function appendUpdate(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { publishKey, ...input }: UpdateInput & { publishKey?: PublishKey | undefined },
): Promise<IncidentUpdate | undefined> {
  const { pageId, incidentId, input: fields } = input;
  return inTransaction(sql, async (tx) => {
    await lockPageOfIncidents(tx, pageId);
    const now = clock.now();
    const made = await publishOnce(tx, { pageId, publishKey, now }, async () => {
      const incident = await lockIncident(tx, pageId, incidentId);
      if (incident === undefined) return undefined;
      await checkRoomForUpdate(tx, pageId, incident, fields);
      const update = await appendUpdateIn(tx, { ...input, now, by });
      return update && { id: update.id, resolvedIncident: update.resolvedIncident };
    });
    return made && { ...fields, ...made, incidentId };
  });
}

/** appendUpdate() as part of a transaction, and without its limits. `now` is in milliseconds since the epoch. */
export async function appendUpdateIn(
  tx: Transaction,
  { pageId, incidentId, input, texts = {}, ...audit }: UpdateInput & Audit,
): Promise<IncidentUpdate | undefined> {
  const before = await lockIncident(tx, pageId, incidentId);
  if (before === undefined) return undefined;
  const { id, resolvedAt } = await insertUpdate(tx, { pageId, incident: before, input, ...audit });
  await recordUpdateChange(tx, audit, {
    ...{ pageId, verb: 'create', incident: before, updateId: id },
    ...{ before: null, after: input },
  });
  await provideTexts(tx, {
    ...{ pageId, incident: before, provided: texts, update: { id, body: input.body } },
    ...audit,
  });
  if (resolvedAt !== undefined) {
    const sides = {
      before: { ...before, affected: [] },
      after: { ...before, resolved_at: resolvedAt, affected: [] },
    };
    await recordIncidentChange(tx, audit, { pageId, verb: 'resolve', ...sides });
  }
  const { body, status, notify } = input;
  return { id, incidentId, status, body, notify, resolvedIncident: resolvedAt !== undefined };
}

type InsertedUpdate = {
  id: UpdateId;
  /** The end that the update gave the incident. */
  resolvedAt?: Date;
};

/** Adds an update without a row in the audit log. The incident is locked. */
export async function insertUpdate(
  tx: Transaction,
  {
    pageId,
    incident,
    input,
    now,
    by,
  }: Audit & { pageId: PageId; incident: IncidentRow; input: UpdateFields },
): Promise<InsertedUpdate> {
  const { body, status, notify } = input;
  const { id: incidentId, type } = incident;
  const id = newId<UpdateId>(now);
  await tx`
    insert into incident_updates (id, incident_id, page_id, status, body, created_at, author_type, author_id, author_name)
    values (${id}, ${incidentId}, ${pageId}, ${status}, ${body}, ${new Date(now)}, ${by.type}, ${by.id}, ${by.name})`;
  // A maintenance that is called off before its start ends at its start.
  const resolvedAt =
    status === 'resolved' && incident.resolved_at === null
      ? new Date(Math.max(now, incident.started_at.getTime()))
      : undefined;
  const ended = {
    revision: incident.revision + 1,
    ...(resolvedAt !== undefined && {
      resolved_at: resolvedAt,
      announced_state: type === 'maintenance' ? 'completed' : null,
    }),
  };
  await tx`update incidents set ${tx(ended)} where id = ${incidentId}`;
  await requestTranslations(tx, { pageId, texts: [body], now });
  const verb = resolvedAt === undefined ? 'update_posted' : 'resolved';
  if (notify) await announce(tx, { pageId, incidentId, kind: `${type}.${verb}`, updateId: id, now });
  return { id, ...(resolvedAt !== undefined && { resolvedAt }) };
}
