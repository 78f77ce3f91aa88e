import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { jobActor } from '../audit/index.js';
import { loadAffected } from './affected-services.js';
import { announce, type ReminderHours } from './announcements.js';
import { recordIncidentChange } from './audit.js';
import { type IncidentRow, lockIncident, maintenanceState } from './incident-row.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Called after each move. */
  onChange?: (pageId: PageId) => void;
};

const by = jobActor('move-maintenance');

type Maintenance = { id: IncidentId; page_id: PageId };

/** Most that one run moves; the others are still due in the next run. */
const movedMax = 1_000;

/**
 * Moves every maintenance whose start or planned end has come to its next state, and announces that. Each one has its
 * own transaction, which checks again under the lock of the row, so that concurrent runs announce each step once.
 * A maintenance that began and ended while no instance ran is announced as ended only.
 *
 * @throws Error when some were not moved, after all others were.
 */
export async function moveMaintenance({ sql, clock, log, onChange }: Deps): Promise<void> {
  const now = new Date(clock.now());
  const due = await sql<Maintenance[]>`
    select id, page_id from incidents
    where type = 'maintenance' and announced_state <> 'completed'
      and (started_at <= ${now} and announced_state = 'scheduled' or scheduled_end_at <= ${now} or resolved_at <= ${now})
    order by started_at limit ${movedMax}`;
  let failures = 0;
  for (const maintenance of due) {
    try {
      await inTransaction(sql, (tx) => move(tx, maintenance, clock.now()));
      onChange?.(maintenance.page_id);
    } catch (err) {
      failures += 1;
      log.error(
        { pageId: maintenance.page_id, incidentId: maintenance.id, err },
        'A maintenance was not moved.',
      );
    }
  }
  if (failures > 0) throw new Error(`${failures} of ${due.length} due maintenance windows were not moved.`);
}

async function move(
  tx: Transaction,
  { id: incidentId, page_id: pageId }: Maintenance,
  now: number,
): Promise<void> {
  const row = await lockIncident(tx, pageId, incidentId);
  if (row === undefined) return;
  const state = maintenanceState(row, now);
  if (state === 'in_progress' && row.announced_state === 'scheduled') {
    const { revision } = row;
    await moveTo(tx, pageId, { row, after: { ...row, announced_state: 'in_progress', revision }, now });
    await announce(tx, { pageId, incidentId, kind: 'maintenance.updated', now });
  }
  if (state === 'completed' && row.announced_state !== 'completed') {
    const resolvedAt = row.resolved_at ?? row.scheduled_end_at;
    // An end that was set by a request was announced by that request, and is no change.
    const revision = row.resolved_at === null ? row.revision + 1 : row.revision;
    const after = { ...row, announced_state: state, resolved_at: resolvedAt, revision };
    await moveTo(tx, pageId, { row, after, now });
    if (row.resolved_at === null)
      await announce(tx, { pageId, incidentId, kind: 'maintenance.resolved', now });
  }
}

async function moveTo(
  tx: Transaction,
  pageId: PageId,
  { row, after, now }: { row: IncidentRow; after: IncidentRow; now: number },
): Promise<void> {
  await tx`update incidents set ${tx(after, 'announced_state', 'resolved_at', 'revision')} where id = ${row.id}`;
  const affected = await loadAffected(tx, row.id);
  await recordIncidentChange(
    tx,
    { by, now },
    {
      pageId,
      verb: row.resolved_at === null && after.resolved_at !== null ? 'resolve' : 'update',
      before: { ...row, affected },
      after: { ...after, affected },
      extra: {
        before: { maintenanceState: row.announced_state },
        after: { maintenanceState: after.announced_state },
      },
    },
  );
}

/** When readers who want that are reminded of maintenance: so many hours before its start. */
const reminders: readonly ReminderHours[] = [24, 1];

/** A reminder that would follow the announcement of the maintenance so soon is left out. */
const afterAnnouncementMs = 15 * minuteMs;

/**
 * Announces to the subscribers who want reminders that maintenance begins within a day, and within an hour. Each
 * maintenance has its own transaction, which checks again under the lock of the row. Maintenance that is moved to another
 * time is reminded of once more; a reminder that no instance was there to send is sent late, up to the next one.
 *
 * @throws Error when some were not announced, after all others were.
 */
export async function remindOfMaintenance({ sql, clock, log }: Deps): Promise<void> {
  const now = clock.now();
  const due = await sql<Maintenance[]>`
    select i.id, i.page_id from incidents i
    where ${isDueForReminder(sql, now)} order by i.started_at limit ${movedMax}`;
  let failures = 0;
  for (const maintenance of due) {
    try {
      await inTransaction(sql, (tx) => remind(tx, maintenance, clock.now()));
    } catch (err) {
      failures += 1;
      const about = { pageId: maintenance.page_id, incidentId: maintenance.id };
      log.error({ ...about, err }, 'Subscribers were not reminded of maintenance.');
    }
  }
  if (failures > 0) throw new Error(`${failures} of ${due.length} reminders were not announced.`);
}

function isDueForReminder(sql: Sql | Transaction, now: number) {
  const within = (hours: ReminderHours) => sql`i.started_at <= ${new Date(now + hours * hourMs)}`;
  return sql`
    i.type = 'maintenance' and i.announced_state = 'scheduled' and i.resolved_at is null
    and i.started_at > ${new Date(now)} and ${within(24)}
    and (i.reminded_for is distinct from i.started_at or (i.reminded_hours > 1 and ${within(1)}))`;
}

async function remind(
  tx: Transaction,
  { id: incidentId, page_id: pageId }: Maintenance,
  now: number,
): Promise<void> {
  const row = await lockIncident(tx, pageId, incidentId);
  const [due] = await tx<{ startedAt: Date; publishedAt: Date }[]>`
    select i.started_at as "startedAt", i.published_at as "publishedAt" from incidents i
    where i.id = ${incidentId} and ${isDueForReminder(tx, now)}`;
  if (row === undefined || due === undefined) return;
  const left = due.startedAt.getTime() - now;
  const hours = reminders.findLast((one) => left <= one * hourMs) ?? 24;
  await tx`
    update incidents set reminded_for = started_at, reminded_hours = ${hours}
    where id = ${incidentId} and page_id = ${pageId}`;
  if (now - due.publishedAt.getTime() < afterAnnouncementMs) return;
  await announce(tx, { pageId, incidentId, kind: 'maintenance.updated', reminderHours: hours, now });
}
