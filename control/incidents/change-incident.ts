import { isDeepStrictEqual } from 'node:util';
import type { AnnouncementVerb, ChangedIncident } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { requestTranslations } from '../translations/index.js';
import { announce } from './announce.js';
import {
  attachMonitors,
  type IncidentRow,
  loadMonitorSlugs,
  lockIncident,
  toIncident,
} from './incident-rows.js';
import { maintenanceState } from './maintenance-state.js';
import { checkOrder, type IncidentChange } from './parse-incident.js';

type Input = { pageId: PageId; incidentId: IncidentId; change: IncidentChange };

/**
 * Changes the fields that are named: an end time resolves, null reopens. What changed nothing is not announced, so
 * that a repeated request is silent. Undefined when the page has no such incident.
 *
 * @throws ServiceError 400 when the incident would end before it starts.
 */
export async function changeIncident(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, incidentId, change }: Input,
): Promise<ChangedIncident | undefined> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const before = await lockIncident(tx, pageId, incidentId);
    if (before === undefined) return undefined;
    const after = applyChange(before, change, now);
    const slugsBefore = await loadMonitorSlugs(tx, incidentId);
    await writeChange(tx, after);
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
 * New times or another type make the state what it is now, and this change tells of it. Else it stays what was last
 * told, and the job tells of a start or an end that it has not come round to yet.
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
  // A planned end in the past is left to the job, which makes it the end; but whoever reopens means that there is none.
  const reopened = before.resolved_at !== null && after.resolved_at === null;
  return state === 'completed' && after.resolved_at === null && !reopened ? 'in_progress' : state;
}

function verbOf(before: IncidentRow, after: IncidentRow): AnnouncementVerb {
  if (before.resolved_at === null && after.resolved_at !== null) return 'resolved';
  if (before.resolved_at !== null && after.resolved_at === null) return 'reopened';
  return 'updated';
}

async function writeChange(tx: Transaction, { id, ...columns }: IncidentRow): Promise<void> {
  await tx`update incidents set ${tx(columns)} where id = ${id}`;
}
