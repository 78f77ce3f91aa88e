import type { PublicState } from '../../contract/public/service-states.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';

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

/** The order is that of the sentence at the top of the page. */
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
