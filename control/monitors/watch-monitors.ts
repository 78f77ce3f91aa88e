import type { Clock } from '../../lib/clock.js';
import type { IncidentId, MonitorId, PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { appendUpdateIn, createIncidentIn, lockIncident } from '../incidents/index.js';
import { watcher as by } from './end-outages.js';
import { outageTexts } from './outage-texts.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Called after each change of an incident. */
  onChange?: (pageId: PageId) => void;
};

type WatchedMonitor = {
  id: MonitorId;
  page_id: PageId;
  slug: string;
  name: string;
  state: 'up' | 'down';
  state_since: Date;
  incident_id: IncidentId | null;
  default_language: string;
};

/**
 * On pages that ask for it, opens one incident for a monitor that is down, unless the monitor is hidden or in maintenance,
 * and resolves the incident when the monitor is up again. Skips pages whose account may not write incidents.
 *
 * @throws Error when some monitors failed, after all others are done.
 */
export async function watchMonitors({ sql, clock, log, onChange }: Deps): Promise<void> {
  const monitors = await sql<{ id: MonitorId }[]>`${selectWatched(sql, clock.now())} order by m.id`;
  let failures = 0;
  for (const { id } of monitors) {
    try {
      const changed = await inTransaction(sql, (tx) => watchMonitor(tx, id, clock.now()));
      if (changed !== undefined) onChange?.(changed);
    } catch (err) {
      failures += 1;
      log.error({ monitorId: id, err }, 'The incident of a monitor was not opened or resolved.');
    }
  }
  if (failures > 0)
    throw new Error(`${failures} of ${monitors.length} monitors were not checked for incidents.`);
}

/**
 * Checks again under the lock of the monitor, because another instance may have been faster. Returns the page when an
 * incident was opened or resolved.
 */
async function watchMonitor(tx: Transaction, id: MonitorId, now: number): Promise<PageId | undefined> {
  // The page before its monitors, as the transactions that pause a page and that change an incident: each of them would
  // otherwise wait for this monitor while this waits for the page or the incident.
  await tx`select 1 from pages p join monitors m on m.page_id = p.id where m.id = ${id} for no key update of p`;
  const [monitor] = await tx<WatchedMonitor[]>`${selectWatched(tx, now)} and m.id = ${id} for update of m`;
  if (monitor === undefined) return undefined;
  if (monitor.state === 'down') await open(tx, monitor, now);
  else await resolve(tx, monitor, now);
  return monitor.page_id;
}

/** Monitors whose incident must be opened or resolved. */
function selectWatched(sql: Sql | Transaction, now: number) {
  return sql`
    select m.id, m.page_id, m.slug, m.name, m.state, m.incident_id,
      greatest(m.state_since, m.resumed_at) as state_since, p.default_language
    from monitors m join pages p on p.id = m.page_id join accounts a on a.id = p.account_id
    where a.incident_writes and (
      (m.state = 'up' and m.incident_id is not null)
      or (m.state = 'down' and m.incident_id is null and p.incidents_from_monitors
        and m.paused_at is null and not m.hidden and not p.monitoring_paused
        -- The state from before a pause says nothing until there is a check after it.
        and (m.resumed_at is null or m.last_checked_at >= m.resumed_at)
        and not exists (
          select 1 from incidents i join incident_monitors im on im.incident_id = i.id
          where im.monitor_id = m.id and i.type = 'maintenance' and i.started_at <= ${new Date(now)}
            and coalesce(i.resolved_at, i.scheduled_end_at, 'infinity') > ${new Date(now)})))`;
}

async function open(tx: Transaction, monitor: WatchedMonitor, now: number): Promise<void> {
  const { page_id: pageId, name, slug, state_since: since } = monitor;
  const texts = outageTexts(monitor.default_language);
  const input = {
    type: 'incident' as const,
    title: texts.title(name),
    summary: texts.summary(name),
    monitorSlugs: [slug],
    startedAt: since,
    resolvedAt: null,
    scheduledEndAt: null,
  };
  const { id } = await createIncidentIn(tx, { pageId, input, now, by });
  await tx`update monitors set incident_id = ${id} where id = ${monitor.id}`;
}

/** Somebody may have resolved the incident already, but the outage ends only now. */
async function resolve(tx: Transaction, monitor: WatchedMonitor, now: number): Promise<void> {
  const { page_id: pageId, incident_id: incidentId, name, default_language: language } = monitor;
  if (incidentId === null) return;
  const incident = await lockIncident(tx, pageId, incidentId);
  if (incident?.resolved_at === null) {
    const body = outageTexts(language).resolved(name);
    const input = { body, status: 'resolved' as const, notify: true };
    await appendUpdateIn(tx, { pageId, incidentId, input, now, by });
  }
  await tx`update monitors set incident_id = null where id = ${monitor.id}`;
}
