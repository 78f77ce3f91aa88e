import { isDeepStrictEqual } from 'node:util';
import type { AnnouncementVerb, ChangedIncident, IncidentUpdate } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import { type IncidentId, newId, type PageId, type UpdateId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { requestTranslations } from '../translations/index.js';
import { announce } from './announcements.js';
import { checkRoomForChange, checkRoomForUpdate, lockPageOfIncidents } from './limits.js';
import { checkOrder, type IncidentChange, type UpdateFields } from './parse.js';
import {
  attachMonitors,
  countMonitors,
  type IncidentRow,
  loadMonitorSlugs,
  lockIncident,
  maintenanceState,
  toIncident,
} from './rows.js';

type Deps = { sql: Sql; clock: Clock };
type ChangeInput = { pageId: PageId; incidentId: IncidentId; change: IncidentChange };
type UpdateInput = { pageId: PageId; incidentId: IncidentId; input: UpdateFields };

/**
 * Changes the fields that are present: an end time resolves, `null` reopens. A request that changes nothing is not
 * announced, so that a repeated request is silent. Returns `undefined` when the page has no such incident.
 *
 * @throws ServiceError `invalidBody` when the incident would end before it starts, `incidentLimit` when it would reopen or
 *   grow beyond the limits of incidents.
 */
export async function changeIncident(
  { sql, clock }: Deps,
  { pageId, incidentId, change }: ChangeInput,
): Promise<ChangedIncident | undefined> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    await lockPageOfIncidents(tx, pageId);
    const before = await lockIncident(tx, pageId, incidentId);
    if (before === undefined) return undefined;
    const after = applyChange(before, change, now);
    const slugsBefore = await loadMonitorSlugs(tx, incidentId);
    const { monitorSlugs = slugsBefore } = change;
    await checkRoomForChange(tx, pageId, {
      before: { ...before, services: slugsBefore.length },
      after: { ...after, services: await countMonitors(tx, pageId, monitorSlugs) },
    });
    await updateRow(tx, before, after);
    if (change.monitorSlugs !== undefined) await attachMonitors(tx, pageId, incidentId, change.monitorSlugs);
    await requestTranslations(tx, { pageId, texts: [after.title, after.summary], now });
    const slugs = await loadMonitorSlugs(tx, incidentId);
    const changed = !isDeepStrictEqual([before, slugsBefore], [after, slugs]);
    if (changed && change.notify) {
      await announce(tx, { pageId, incidentId, kind: `${after.type}.${verbOf(before, after)}`, now });
    }
    return { ...toIncident(after, slugs), notify: change.notify };
  });
}

/**
 * Adds an update to the timeline of an incident. The status `resolved` also resolves an open incident as of now, and
 * never moves an existing end. Returns `undefined` when the page has no such incident.
 *
 * @throws ServiceError `incidentLimit` when the incident or the page has no room for the update.
 */
export async function appendUpdate(
  { sql, clock }: Deps,
  input: UpdateInput,
): Promise<IncidentUpdate | undefined> {
  const { pageId, incidentId } = input;
  return inTransaction(sql, async (tx) => {
    await lockPageOfIncidents(tx, pageId);
    const incident = await lockIncident(tx, pageId, incidentId);
    if (incident === undefined) return undefined;
    await checkRoomForUpdate(tx, pageId, incident, input.input);
    return appendUpdateIn(tx, { ...input, now: clock.now() });
  });
}

/** appendUpdate() as part of a transaction, and without its limits. `now` is in milliseconds since the epoch. */
export async function appendUpdateIn(
  tx: Transaction,
  { pageId, incidentId, input, now }: UpdateInput & { now: number },
): Promise<IncidentUpdate | undefined> {
  const incident = await lockIncident(tx, pageId, incidentId);
  if (incident === undefined) return undefined;
  const { body, status, notify } = input;
  const id = newId<UpdateId>(now);
  await tx`
    insert into incident_updates (id, incident_id, page_id, status, body, created_at)
    values (${id}, ${incidentId}, ${pageId}, ${status}, ${body}, ${new Date(now)})`;
  const resolvedIncident = status === 'resolved' && incident.resolved_at === null;
  // A maintenance that is called off before its start ends at its start.
  if (resolvedIncident) {
    await tx`
      update incidents set resolved_at = greatest(${new Date(now)}, started_at),
        announced_state = case when type = 'maintenance' then 'completed' end
      where id = ${incidentId}`;
  }
  await requestTranslations(tx, { pageId, texts: [body], now });
  const verb = resolvedIncident ? 'resolved' : 'update_posted';
  if (notify) await announce(tx, { pageId, incidentId, kind: `${incident.type}.${verb}`, updateId: id, now });
  return { id, incidentId, status, body, notify, resolvedIncident };
}

function applyChange(before: IncidentRow, change: IncidentChange, now: number): IncidentRow {
  const type = change.type ?? before.type;
  const scheduledEndAt =
    change.scheduledEndAt === undefined ? before.scheduled_end_at : change.scheduledEndAt;
  const after = {
    id: before.id,
    type,
    title: change.title ?? before.title,
    summary: change.summary ?? before.summary,
    started_at: change.startedAt ?? before.started_at,
    resolved_at: change.resolvedAt === undefined ? before.resolved_at : change.resolvedAt,
    scheduled_end_at: type === 'maintenance' ? scheduledEndAt : null,
  };
  checkOrder({
    startedAt: after.started_at,
    resolvedAt: after.resolved_at,
    scheduledEndAt: after.scheduled_end_at,
  });
  return { ...after, announced_state: announcedState(before, after, now) };
}

/**
 * Returns the state that is announced once this change is. New times or another type set it to the current state, which
 * this change announces. Otherwise it stays the last announced state, and the job move-maintenance announces a start or
 * an end that it has not handled yet.
 */
function announcedState(
  before: IncidentRow,
  after: Omit<IncidentRow, 'announced_state'>,
  now: number,
): IncidentRow['announced_state'] {
  const times = (row: Omit<IncidentRow, 'announced_state'>) => [
    row.type,
    row.started_at,
    row.resolved_at,
    row.scheduled_end_at,
  ];
  if (isDeepStrictEqual(times(before), times(after))) return before.announced_state;
  const state = maintenanceState(after, now);
  // The job turns a planned end in the past into the end; but a request that reopens a maintenance wants no end.
  const reopened = before.resolved_at !== null && after.resolved_at === null;
  return state === 'completed' && after.resolved_at === null && !reopened ? 'in_progress' : state;
}

function verbOf(before: IncidentRow, after: IncidentRow): AnnouncementVerb {
  if (before.resolved_at === null && after.resolved_at !== null) return 'resolved';
  if (before.resolved_at !== null && after.resolved_at === null) return 'reopened';
  return 'updated';
}

const changeableColumns = [
  'type',
  'title',
  'summary',
  'started_at',
  'resolved_at',
  'scheduled_end_at',
  'announced_state',
] as const;

/** Writes only what differs: a summary of 20,000 characters that is written again takes its room again. */
async function updateRow(tx: Transaction, before: IncidentRow, after: IncidentRow): Promise<void> {
  const changed = changeableColumns.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length > 0) await tx`update incidents set ${tx(after, ...changed)} where id = ${after.id}`;
}
