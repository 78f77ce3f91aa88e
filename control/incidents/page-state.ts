import type { PublicState } from '../../contract/public/service-states.js';
import { type CurrentIncident, type DayIncident, viewLimits } from '../../contract/public/status-page.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import { loadTranslations } from '../translations/index.js';
import { publicServices, type ServicesRow, saidOf } from './affected-services.js';
import { type IncidentRow, maintenanceState } from './incident-row.js';
import type { Deps } from './public-incidents.js';

/** How a page stands, as its readers see it, but by the last known state of monitors however old that is. */
export type PageStanding = {
  state: PublicState;
  /** How many services are in this state. */
  affected: number;
  /** How many services the page shows. */
  services: number;
  openIncidents: number;
};

/** States of services from good to bad; in a page, what is not known counts less than what works. */
const ranks = [
  'operational',
  'unknown',
  'maintenance',
  'degraded',
  'partial_outage',
  'major_outage',
] as const;

type Row = {
  pageId: PageId;
  openIncidents: number;
  runningMaintenance: number;
  /** How many services have each rank. */
  counts: Readonly<Record<string, number>> | null;
};

/** Loads how pages stand, in one query; a page without services and announcements stands as `unknown`. */
export async function loadPageStandings(
  { sql, clock }: { sql: Sql; clock: Clock },
  pageIds: readonly PageId[],
): Promise<ReadonlyMap<PageId, PageStanding>> {
  const ids = [...pageIds];
  const now = new Date(clock.now());
  const rows = await sql<Row[]>`
    with news as (
      select id, page_id, type, impact from incidents
      where page_id = any(${ids}::uuid[]) and resolved_at is null and (type = 'incident'
        or (started_at <= ${now} and (scheduled_end_at is null or scheduled_end_at > ${now})))
    ), said as (
      select im.monitor_id, bool_or(n.type = 'maintenance') as is_maintained,
        max(case when n.type = 'incident' then coalesce(${rankOfState(sql)}, ${rankOfImpact(sql)}) end) as rank
      from news n join incident_monitors im on im.incident_id = n.id group by im.monitor_id
    ), standing as (
      select m.page_id, greatest(${rankOfMonitor(sql)}, coalesce(s.rank, 0)) as rank
      from monitors m join pages p on p.id = m.page_id left join said s on s.monitor_id = m.id
      where m.page_id = any(${ids}::uuid[]) and not m.hidden
    )
    select p.id as "pageId",
      (select count(*)::integer from news n where n.page_id = p.id and n.type = 'incident') as "openIncidents",
      (select count(*)::integer from news n where n.page_id = p.id and n.type <> 'incident') as "runningMaintenance",
      (select json_object_agg(rank, count) from (
        select rank, count(*)::integer from standing where standing.page_id = p.id group by rank) counted) as counts
    from pages p where p.id = any(${ids}::uuid[])`;
  return new Map(rows.map((row) => [row.pageId, toStanding(row)]));
}

const rankOfState = (sql: Sql): Fragment =>
  sql`case im.state when 'operational' then 0 when 'degraded' then 3 when 'partial_outage' then 4 when 'major_outage' then 5 end`;

const rankOfImpact = (sql: Sql): Fragment =>
  sql`case n.impact when 'minor' then 3 when 'major' then 4 when 'critical' then 5 else 0 end`;

const rankOfMonitor = (sql: Sql): Fragment => sql`
  case when s.is_maintained then 2
    when m.paused_at is not null or p.monitoring_paused then 1
    when m.state = 'down' then 5
    when m.state is null and m.kind <> 'manual' then 1
    when m.degraded_since is not null then 3
    else 0 end`;

/** Decides in the same order as the sentence at the top of the page. */
function toStanding({ openIncidents, runningMaintenance, counts }: Row): PageStanding {
  const countOf = (state: PublicState) => counts?.[ranks.indexOf(state)] ?? 0;
  const services = ranks.reduce((sum, state) => sum + countOf(state), 0);
  const decide = (): PublicState => {
    if (countOf('major_outage') > 0) return 'major_outage';
    if (countOf('partial_outage') > 0) return 'partial_outage';
    if (openIncidents > 0 || countOf('degraded') > 0) return 'degraded';
    if (runningMaintenance > 0) return 'maintenance';
    return countOf('operational') > 0 ? 'operational' : 'unknown';
  };
  const state = decide();
  return { state, affected: countOf(state), services, openIncidents };
}

/** Most incidents that the state of a page is computed from: the newest of the open ones and of those that end last. */
const currentMax = 500;

/** Loads the open incidents, and the maintenance that is not over; newest first. */
export async function loadCurrentIncidents({ sql, clock }: Deps, pageId: PageId): Promise<CurrentIncident[]> {
  const now = clock.now();
  const rows = await sql<
    (Omit<IncidentRow, 'summary' | 'announced_state' | 'revision'> &
      ServicesRow & { default_language: string })[]
  >`
    select i.id, i.type, i.title, i.started_at, i.resolved_at, i.scheduled_end_at, p.default_language,
      ${publicServices(sql)}
    from incidents i join pages p on p.id = i.page_id
    where i.page_id = ${pageId} and i.id in (
      select id from incidents where page_id = ${pageId} and resolved_at is null
      union all
      (select id from incidents where page_id = ${pageId} and resolved_at > ${new Date(now)}
        order by resolved_at desc, id desc limit ${currentMax}))
    order by i.started_at desc, i.id desc limit ${currentMax}`;
  const translations = await loadTranslations(
    sql,
    pageId,
    rows.map(({ title }) => title),
  );
  return rows.map((row) => ({
    ...{ id: row.id, type: row.type, services: row.services, ...saidOf(row) },
    startedAt: row.started_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    maintenanceState: maintenanceState(row, now),
    title: { [row.default_language]: row.title, ...translations.get(row.title) },
  }));
}

type DayIncidentRow = Pick<IncidentRow, 'id' | 'title' | 'started_at'> & {
  default_language: string;
  services: string[];
  ended_at: Date | null;
};

/** The number of last ended incidents among which the incidents of the days are looked for. */
const endedMax = 2_000;

/**
 * Loads the incidents and maintenance with services that took some of the last `days` days of UTC, today included; the
 * newest ones when there are too many.
 */
export async function loadDayIncidents(
  { sql, clock }: Deps,
  pageId: PageId,
  days: number,
): Promise<DayIncident[]> {
  const now = clock.now();
  const since = new Date((Math.floor(now / dayMs) - days + 1) * dayMs);
  const rows = await sql<DayIncidentRow[]>`
    with found as (
      select * from incidents where page_id = ${pageId} and resolved_at is null
      union all
      (select * from incidents where page_id = ${pageId} and resolved_at >= ${since}
        order by resolved_at desc, id desc limit ${endedMax})
    )
    select i.id, i.title, i.started_at, coalesce(i.resolved_at, i.scheduled_end_at) as ended_at, p.default_language,
      array(select m.slug from incident_monitors im join monitors m on m.id = im.monitor_id
        where im.incident_id = i.id and not m.hidden order by im.place) as services
    from found i join pages p on p.id = i.page_id
    where i.started_at <= ${new Date(now)} and coalesce(i.resolved_at, i.scheduled_end_at, ${new Date(now)}) >= ${since}
      and exists (select 1 from incident_monitors im where im.incident_id = i.id)
      -- Maintenance that was called off took no time.
      and (i.type = 'incident' or i.resolved_at is distinct from i.started_at)
    order by i.started_at desc, i.id desc limit ${viewLimits.incidentsOfDays}`;
  const translations = await loadTranslations(
    sql,
    pageId,
    rows.map(({ title }) => title),
  );
  return rows.map(({ id, title, started_at, ended_at, default_language, services }) => ({
    ...{ id, services, title: { [default_language]: title, ...translations.get(title) } },
    startedAt: started_at.toISOString(),
    endedAt: ended_at?.toISOString() ?? null,
  }));
}
