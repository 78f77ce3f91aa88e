import type { IncidentType, UpdateStatus } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type ActorType, personNameOf } from '../audit/index.js';
import { maintenanceState } from './incident-row.js';

type Deps = { sql: Sql; clock: Clock };

/** An incident that is open, or maintenance that runs or begins soon. Texts are in the default language of the page. */
export type StandingIncident = {
  id: IncidentId;
  type: IncidentType;
  title: string;
  startedAt: Date;
  /** The planned end of maintenance. */
  scheduledEndAt: Date | null;
  /** Status of the newest update; `investigating` without any. */
  status: UpdateStatus;
};

/** More than a page may have open, not counting the incidents of monitors. */
const standingMax = 500;

/** Loads what is open now, and the maintenance that runs or begins within a day, latest start first. */
export async function loadStandingIncidents(
  { sql, clock }: Deps,
  pageId: PageId,
): Promise<StandingIncident[]> {
  const now = clock.now();
  const rows = await sql<StandingIncident[]>`
    select i.id, i.type, i.title, i.started_at as "startedAt", i.scheduled_end_at as "scheduledEndAt",
      coalesce((select u.status from incident_updates u where u.incident_id = i.id order by u.place desc limit 1),
        'investigating') as status
    from incidents i
    where i.page_id = ${pageId} and i.resolved_at is null and i.started_at < ${new Date(now + dayMs)}
    order by i.started_at desc, i.id desc limit ${standingMax}`;
  return rows.filter((row) => {
    const { type, startedAt: started_at, scheduledEndAt: scheduled_end_at } = row;
    return maintenanceState({ type, started_at, scheduled_end_at, resolved_at: null }, now) !== 'completed';
  });
}

/** An incident or an update that somebody has published, in the words of the audit log. */
export type IncidentNews = {
  at: Date;
  actor: string;
  /** null for what was written before this was kept. */
  actorType: ActorType | null;
  /** Name of a person; null for others. */
  actorPersonName: string | null;
  action: string;
  subject: string;
};

/**
 * Loads the incidents that were published since `since`, and the updates that were posted since then to those and to
 * incidents that are open or were resolved since then; newest first, at most `limit`.
 */
export async function loadIncidentNews(
  { sql }: { sql: Sql },
  pageId: PageId,
  { since, limit }: { since: Date; limit: number },
): Promise<IncidentNews[]> {
  return sql<IncidentNews[]>`
    with recent as (
      select id from incidents where page_id = ${pageId} and published_at >= ${since}
      union select id from incidents where page_id = ${pageId} and resolved_at is null
      union select id from incidents where page_id = ${pageId} and resolved_at >= ${since}
    )
    select published_at as at, coalesce(author_name, '') as actor, author_type as "actorType",
      ${personNameOf(sql, sql`author_type = 'user'`, sql`author_id`)} as "actorPersonName",
      'incident.create' as action, title as subject
    from incidents where page_id = ${pageId} and published_at >= ${since}
    union all
    select u.created_at, coalesce(u.author_name, ''), u.author_type,
      ${personNameOf(sql, sql`u.author_type = 'user'`, sql`u.author_id`)}, 'incident-update.create', i.title
    from recent join incidents i on i.id = recent.id join incident_updates u on u.incident_id = i.id
    where u.created_at >= ${since}
    order by at desc limit ${limit}`;
}
