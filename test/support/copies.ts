import { randomUUID } from 'node:crypto';
import { copyRows } from '../../control/copies/index.js';
import { type IncidentId, newId, type PageId, type UpdateId } from '../../lib/ids.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { storeAlert } from './alerts.js';
import { insertMonitor } from './monitors.js';
import { select } from './rollups.js';
import { silentLog } from './silent-log.js';

type Stores = { sql: Sql; clickhouse: ClickHouseClient };

/** Copies until nothing waits. */
export async function copyAll(stores: Stores): Promise<void> {
  for (;;) {
    const more = await copyRows({ ...stores, log: silentLog });
    if (!more && (await countDue(stores.sql)) === 0) return;
  }
}

/** Counts the rows whose copies are out of date. */
export async function countDue(sql: Sql): Promise<number> {
  const rows = await sql`select from copies_due`;
  return rows.length;
}

export type CopiedRows = {
  monitorId: string;
  incidentId: string;
  maintenanceId: string;
  updateId: string;
  deploymentId: string;
  alertId: string;
};

/** When everything of `insertCopied` happened, as ClickHouse writes it. */
export const copiedAt = '2026-12-01 12:00:00.123';

/** Gives a page a row of each kind that is copied. */
export async function insertCopied(sql: Sql, pageId: PageId): Promise<CopiedRows> {
  const at = new Date(`${copiedAt.replace(' ', 'T')}Z`);
  const now = at.getTime();
  const monitorId = await insertMonitor(sql, { pageId, slug: 'api', createdAt: at, degradedOverMs: 900 });
  await sql`
    update monitors set state = 'up', state_since = ${at}, description = 'The API', depends_on = '{db}',
      certificate_ends_at = ${at}
    where page_id = ${pageId} and id = ${monitorId}`;
  const [incidentId, maintenanceId] = [newId<IncidentId>(now), newId<IncidentId>(now)];
  const shared = { page_id: pageId, started_at: at, published_at: at, author_type: 'user' };
  await sql`insert into incidents ${sql({
    ...{ ...shared, id: incidentId, type: 'incident', title: 'Outage', summary: 'Of "all".' },
    ...{ impact: 'major', resolved_at: at },
  })}`;
  await sql`insert into incidents ${sql({
    ...{ ...shared, id: maintenanceId, type: 'maintenance', title: 'Updates', summary: 'Read-only.' },
    announced_state: 'scheduled',
  })}`;
  await sql`
    insert into incident_monitors (incident_id, monitor_id, place, state) values
      (${incidentId}, ${monitorId}, 0, 'degraded'), (${maintenanceId}, ${monitorId}, 0, null)`;
  const updateId = newId<UpdateId>(now);
  await sql`insert into incident_updates ${sql({
    ...{ id: updateId, incident_id: incidentId, page_id: pageId, status: 'monitoring', body: 'We watch.' },
    ...{ created_at: at, author_type: 'key' },
  })}`;
  const deploymentId = randomUUID();
  await sql`insert into deployments ${sql({
    ...{ id: deploymentId, page_id: pageId, service: 'cart', version: '9', environment: '', at },
    ...{ announced_at: at, url: 'https://ci.example.com/?token=secret' },
  })}`;
  const alertId = await storeAlert(sql, {
    ...{ pageId, startedAt: at, resolvedAt: at, group: 'cart', groupName: 'Cart', service: 'cart' },
    ...{ value: 12.5, threshold: 5 },
  });
  await sql`
    insert into sources (page_id, kind, source, name, region, service, expected_every_seconds, first_seen_at)
    values (${pageId}, 'reporter', 'eu:1', 'Frankfurt', 'eu', 'cart', 60, ${at}),
      (${pageId}, 'service', 'cart', null, null, null, null, ${at})`;
  return { monitorId, incidentId, maintenanceId, updateId, deploymentId, alertId };
}

/** Loads what both stores have of the rows that are copied, as one line each, in order. */
export async function readBoth({ sql, clickhouse }: Stores): Promise<{ rows: string[]; copies: string[] }> {
  const [rows, copies] = await Promise.all([
    sql<{ line: string }[]>`
      select line from (
        select page_id, concat_ws(' ', 'monitor', id, slug, name, coalesce(state, '-')) as line from monitors
        union all
        select page_id, concat_ws(' ', type, i.id, title, array_to_string(array(
          select m.slug from incident_monitors im join monitors m on m.id = im.monitor_id
          where im.incident_id = i.id order by im.place), ',')) from incidents i
        union all select page_id, concat_ws(' ', 'update', id, incident_id, status, body) from incident_updates
        union all select page_id, concat_ws(' ', 'deployment', id, service, version) from deployments
        union all select page_id, concat_ws(' ', 'alert', id, title, severity) from alerts
        union all select page_id, concat_ws(' ', kind, source, coalesce(name, '-')) from sources
      ) shown join pages p on p.id = shown.page_id where p.deleted_at is null`,
    select<{ line: string }>(
      clickhouse,
      `SELECT concat('monitor ', toString(monitor_id), ' ', slug, ' ', name, ' ', if(state = '', '-', state)) AS line
       FROM sql_monitors
       UNION ALL SELECT concat('incident ', toString(incident_id), ' ', title, ' ', arrayStringConcat(monitors, ','))
       FROM sql_incidents
       UNION ALL SELECT concat('maintenance ', toString(maintenance_id), ' ', title, ' ', arrayStringConcat(monitors, ','))
       FROM sql_maintenance
       UNION ALL SELECT concat('update ', toString(update_id), ' ', toString(incident_id), ' ', status, ' ', body)
       FROM sql_incident_updates
       UNION ALL SELECT concat('deployment ', toString(deployment_id), ' ', service, ' ', version) FROM sql_deployments
       UNION ALL SELECT concat('alert ', toString(alert_id), ' ', title, ' ', severity) FROM sql_alerts
       UNION ALL SELECT concat(toString(kind), ' ', service, ' ', if(name = '', '-', name)) FROM sql_reporters`,
    ),
  ]);
  const sorted = (lines: readonly { line: string }[]) => lines.map(({ line }) => line).sort();
  return { rows: sorted(rows), copies: sorted(copies) };
}
