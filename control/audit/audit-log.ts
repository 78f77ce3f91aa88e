import type { Clock } from '../../lib/clock.js';
import type { AuditEntryId, PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { dayMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import { type ActorType, personNameOf, type ShownActor, toShownActor } from './actor.js';

/** A change as the audit log has it. */
export type AuditEntry = {
  id: AuditEntryId;
  at: Date;
  actor: ShownActor;
  pageId: PageId | null;
  /** Slug of the page; null for what belongs to the installation, and once the page was deleted. */
  page: string | null;
  /** `noun.verb` */
  action: string;
  /** `personName` is what a person is called whose account or role it is. */
  target: { type: string; id: string; name: string; personName?: string };
  /** The changed fields as they were; null when the change created the target. */
  before: object | null;
  after: object | null;
  /** Address of the client; null for jobs and the command line. */
  address: string | null;
};

/** Which entries to choose; those that are absent choose all. */
export type AuditFilter = {
  /** The entries of a page; the entries of every page and of the installation when absent. */
  pageId?: PageId | undefined;
  /** Id or name of who made the change; of a person, the email or what the person is called. */
  actor?: string | undefined;
  action?: string | undefined;
  /** Id or name of what was changed. */
  target?: string | undefined;
  /** In milliseconds since the epoch; inclusive. */
  from?: number | undefined;
  /** In milliseconds since the epoch; exclusive. */
  to?: number | undefined;
};

type Row = Omit<AuditEntry, 'actor' | 'target'> & {
  actorType: ActorType;
  actorId: string;
  actorName: string;
  actorPersonName: string | null;
  targetType: string;
  targetId: string;
  targetName: string;
  targetPersonName: string | null;
};

/** Lists at most `limit` entries, newest first, behind the one with the id `after`. */
export async function listAuditEntries(
  { sql }: { sql: Sql },
  filter: AuditFilter,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<AuditEntry[]> {
  const { pageId, actor, action, target, from, to } = filter;
  const all = sql`true`;
  const rows = await sql<Row[]>`
    select a.id, a.at, a.page_id as "pageId", case when p.deleted_at is null then p.slug end as page,
      a.actor_type as "actorType", a.actor_id as "actorId", a.actor_name as "actorName", a.action,
      a.target_type as "targetType", a.target_id as "targetId", a.target_name as "targetName",
      a.before, a.after, a.address,
      ${personNameOf(sql, sql`a.actor_type = 'user'`, sql`a.actor_id`)} as "actorPersonName",
      ${personNameOf(sql, sql`a.target_type = 'user'`, sql`a.target_id`)} as "targetPersonName"
    from audit_log a left join pages p on p.id = a.page_id
    where ${pageId === undefined ? all : sql`a.page_id = ${pageId}`}
      and ${actor === undefined ? all : sql`(a.actor_id = ${actor} or a.actor_name = ${actor} or a.actor_id in (${peopleCalled(sql, actor)}))`}
      and ${action === undefined ? all : sql`a.action = ${action}`}
      and ${target === undefined ? all : sql`(a.target_id = ${target} or a.target_name = ${target} or a.target_id in (${peopleCalled(sql, target)}))`}
      -- Ids begin with their time, by which the index is sorted.
      and ${from === undefined ? all : sql`a.id >= ${firstIdAt(from)} and a.at >= ${new Date(from)}`}
      and ${to === undefined ? all : sql`a.id < ${firstIdAt(to)} and a.at < ${new Date(to)}`}
      and ${after === undefined ? all : sql`a.id < ${after}`}
    order by a.id desc limit ${limit}`;
  return rows.map(toEntry);
}

/** Returns the ids of people with this name, deleted ones included. */
function peopleCalled(sql: Sql, name: string): Fragment {
  return sql`
    select id::text from users where name = ${name}
    union all
    select target_id from audit_log where page_id is null and action = 'user.delete' and before ->> 'name' = ${name}`;
}

/** Returns the least UUIDv7 that is made at a time. */
function firstIdAt(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

function toEntry({
  actorType,
  actorId,
  actorName,
  actorPersonName,
  targetType,
  targetId,
  targetName,
  targetPersonName,
  ...entry
}: Row): AuditEntry {
  return {
    ...entry,
    actor: toShownActor({ type: actorType, id: actorId, name: actorName, personName: actorPersonName }),
    target: {
      ...{ type: targetType, id: targetId, name: targetName },
      ...(targetPersonName !== null && { personName: targetPersonName }),
    },
  };
}

const keptMs = 400 * dayMs;

type PruneDeps = { sql: Sql; clock: Clock; log: Log };

/** Deletes the rows of the audit log that are 400 days old. The table refuses to lose younger ones. */
export async function pruneAuditLog({ sql, clock, log }: PruneDeps): Promise<void> {
  const before = new Date(clock.now() - keptMs);
  const rows = await deleteInChunks(async (limit) => {
    const { count } = await sql`
      delete from audit_log where id in (select id from audit_log where at < ${before} order by at limit ${limit})`;
    return count;
  });
  if (rows > 0) log.info({ rows }, 'Old rows of the audit log were deleted.');
}
