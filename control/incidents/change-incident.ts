import { isDeepStrictEqual } from 'node:util';
import type { AnnouncementVerb, ChangedIncident } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { requestTranslations } from '../translations/index.js';
import {
  type Affected,
  attachMonitors,
  countMonitors,
  loadAffected,
  refuseUnknownMonitors,
  statesOf,
} from './affected-services.js';
import { announce } from './announcements.js';
import { toIncident } from './api-incidents.js';
import { type Audit, recordIncidentChange } from './audit.js';
import { correctUpdateIn, type StoredUpdate } from './correct-update.js';
import { type IncidentRow, type IncidentVersion, lockIncident, maintenanceState } from './incident-row.js';
import { checkRoomForChange, lockPageOfIncidents } from './limits.js';
import { checkOrder, checkSaid, type IncidentChange, type IncidentFields } from './parse-incident.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

type ChangeInput = {
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

/** Returns the services after a change. A service that stays keeps its state, unless the change sets states. */
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
async function updateIncident(tx: Transaction, before: IncidentRow, after: IncidentRow): Promise<void> {
  const changed = changeableColumns.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const revised = { ...after, revision: before.revision + 1 };
  await tx`update incidents set ${tx(revised, 'revision', ...changed)} where id = ${after.id}`;
}

/** Writes the title and the summary of a locked incident, and announces nothing. Returns the incident as it is then. */
export async function rewriteHead(
  tx: Transaction,
  {
    pageId,
    before,
    title,
    summary,
    ...audit
  }: Audit & { pageId: PageId; before: IncidentRow; title: string; summary: string },
): Promise<IncidentRow> {
  if (title === before.title && summary === before.summary) return before;
  const after = { ...before, title, summary };
  const affected = await loadAffected(tx, before.id);
  await updateIncident(tx, before, after);
  await requestTranslations(tx, { pageId, texts: [title, summary], now: audit.now });
  const sides = { before: { ...before, affected }, after: { ...after, affected } };
  await recordIncidentChange(tx, audit, { pageId, verb: 'update', ...sides });
  return after;
}

/**
 * Rewords an incident and the updates that jobs have posted to it, and announces nothing. `reword` returns a text that
 * stays as it is. The page is locked. `now` is in milliseconds since the epoch.
 *
 * @throws ServiceError `incidentLimit` when the page has no room for a longer text.
 */
export async function rewordIncidentIn(
  tx: Transaction,
  {
    pageId,
    incidentId,
    reword,
    ...audit
  }: Audit & { pageId: PageId; incidentId: IncidentId; reword: (text: string) => string },
): Promise<void> {
  const before = await lockIncident(tx, pageId, incidentId);
  if (before === undefined) return;
  const texts = { title: reword(before.title), summary: reword(before.summary) };
  const after = await rewriteHead(tx, { pageId, before, ...texts, ...audit });
  // An update of a version that did not keep authors has none.
  const updates = await tx<StoredUpdate[]>`
    select id, status, body from incident_updates
    where incident_id = ${incidentId} and (author_type = 'job' or author_type is null) order by place`;
  for (const update of updates) {
    const fields = { body: reword(update.body) };
    await correctUpdateIn(tx, { pageId, incident: after, update, fields, ...audit });
  }
}
