import { isDeepStrictEqual } from 'node:util';
import type { AnnouncementVerb, ChangedIncident } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { requestTranslations } from '../translations/index.js';
import { announce } from './announcements.js';
import { type Audit, recordIncidentChange } from './audit.js';
import { checkRoomForChange, lockPageOfIncidents } from './limits.js';
import { checkOrder, checkSaid, type IncidentChange, type IncidentFields } from './parse.js';
import {
  type Affected,
  attachMonitors,
  countMonitors,
  type IncidentRow,
  loadAffected,
  lockIncident,
  maintenanceState,
  refuseUnknownMonitors,
  statesOf,
  toIncident,
} from './rows.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

/** What tells two states of an incident, its timeline and its texts apart. */
export type IncidentVersion = Pick<IncidentRow, 'id' | 'revision'>;

export type ChangeInput = {
  pageId: PageId;
  incidentId: IncidentId;
  change: IncidentChange;
  /** Refuses slugs without a monitor, which are ignored otherwise. */
  knownMonitors?: boolean;
  /** Called in the transaction with the incident as it is; may refuse the change. */
  check?: (current: IncidentVersion) => void;
};

/**
 * Changes the fields that are present: an end time resolves, `null` reopens. A request that changes nothing is not
 * announced, so that a repeated request is silent. Returns `undefined` when the page has no such incident.
 *
 * @throws ServiceError `invalidBody` when the incident would end before it starts, and for an unknown monitor;
 *   `incidentLimit` when it would reopen or grow beyond the limits of incidents; what `check` throws.
 */
export async function changeIncident(
  { sql, clock, by }: Deps,
  input: ChangeInput,
): Promise<ChangedIncident | undefined> {
  return inTransaction(sql, (tx) => changeIncidentIn(tx, { ...input, now: clock.now(), by }));
}

/** changeIncident() as part of a transaction. `now` is in milliseconds since the epoch. */
export async function changeIncidentIn(
  tx: Transaction,
  { pageId, incidentId, change, knownMonitors = false, check, now, by }: ChangeInput & Audit,
): Promise<ChangedIncident | undefined> {
  await lockPageOfIncidents(tx, pageId);
  const before = await lockIncident(tx, pageId, incidentId);
  if (before === undefined) return undefined;
  check?.(before);
  if (knownMonitors) await refuseUnknownMonitors(tx, pageId, change.monitorSlugs ?? []);
  const after = applyChange(before, change, now);
  const affectedBefore = await loadAffected(tx, incidentId);
  const wanted = wantedServices(affectedBefore, change, after.type);
  const { monitorSlugs } = wanted;
  await checkRoomForChange(tx, pageId, {
    before: { ...before, services: affectedBefore.length },
    after: { ...after, services: await countMonitors(tx, pageId, monitorSlugs) },
  });
  if (!isDeepStrictEqual(wanted, wantedServices(affectedBefore, { notify: false }, before.type))) {
    await attachMonitors(tx, pageId, incidentId, monitorSlugs, wanted.serviceStates);
  }
  const affected = await loadAffected(tx, incidentId);
  await requestTranslations(tx, { pageId, texts: [after.title, after.summary], now });
  if (isDeepStrictEqual([before, affectedBefore], [after, affected])) {
    return { ...toIncident(after, affected), notify: change.notify };
  }
  await updateIncident(tx, before, after);
  const verb = verbOf(before, after);
  const audited = { before: { ...before, affected: affectedBefore }, after: { ...after, affected } };
  await recordIncidentChange(tx, { by, now }, { pageId, verb: auditVerbs[verb], ...audited });
  if (change.notify) await announce(tx, { pageId, incidentId, kind: `${after.type}.${verb}`, now });
  return { ...toIncident(after, affected), notify: change.notify };
}

/** The services after a change. What is said of one that stays, stays, unless the change says something of any. */
function wantedServices(
  before: readonly Affected[],
  { monitorSlugs = before.map(({ slug }) => slug), impact, serviceStates }: IncidentChange,
  type: IncidentRow['type'],
): Required<Pick<IncidentFields, 'monitorSlugs' | 'serviceStates'>> {
  checkSaid({ type, monitorSlugs, impact: impact ?? null, serviceStates: serviceStates ?? {} });
  const kept = type === 'incident' ? statesOf(before) : {};
  return { monitorSlugs, serviceStates: serviceStates ?? kept ?? {} };
}

type ChangeVerb = Extract<AnnouncementVerb, 'resolved' | 'reopened' | 'updated'>;
const auditVerbs = { resolved: 'resolve', reopened: 'reopen', updated: 'update' } as const;

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
    impact: type === 'maintenance' ? null : change.impact === undefined ? before.impact : change.impact,
  };
  checkOrder({
    startedAt: after.started_at,
    resolvedAt: after.resolved_at,
    scheduledEndAt: after.scheduled_end_at,
  });
  return { ...after, announced_state: announcedState(before, after, now), revision: before.revision };
}

type TimedRow = Omit<IncidentRow, 'announced_state' | 'revision'>;

/**
 * Returns the state that is announced once this change is. New times or another type set it to the current state, which
 * this change announces. Otherwise it stays the last announced state, and the job move-maintenance announces a start or
 * an end that it has not handled yet.
 */
function announcedState(before: IncidentRow, after: TimedRow, now: number): IncidentRow['announced_state'] {
  const times = (row: TimedRow) => [row.type, row.started_at, row.resolved_at, row.scheduled_end_at];
  if (isDeepStrictEqual(times(before), times(after))) return before.announced_state;
  const state = maintenanceState(after, now);
  // The job turns a planned end in the past into the end; but a request that reopens a maintenance wants no end.
  const reopened = before.resolved_at !== null && after.resolved_at === null;
  return state === 'completed' && after.resolved_at === null && !reopened ? 'in_progress' : state;
}

function verbOf(before: IncidentRow, after: IncidentRow): ChangeVerb {
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
  'impact',
  'announced_state',
] as const;

/**
 * Writes only what differs: a summary of 20,000 characters that is written again takes its room again. Counts a revision,
 * also for a change of the monitors alone.
 */
export async function updateIncident(
  tx: Transaction,
  before: IncidentRow,
  after: IncidentRow,
): Promise<void> {
  const changed = changeableColumns.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const revised = { ...after, revision: before.revision + 1 };
  await tx`update incidents set ${tx(revised, 'revision', ...changed)} where id = ${after.id}`;
}
