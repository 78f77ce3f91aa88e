import { limits } from '../../contract/limits.js';
import type { PageId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { lockCounts } from './register-names.js';

/** A version of a service in an environment, which is empty for none. */
export type ServiceVersion = { service: string; version: string; environment: string };

/**
 * Notes versions that a page did not have: called in the transaction that lets their requests count apart. `now` is in
 * milliseconds since the epoch.
 */
export type NoteVersions = (
  tx: Transaction,
  pageId: PageId,
  versions: readonly ServiceVersion[],
  now: number,
) => Promise<void>;

/** A version that is silent for this long makes room. Every instance asks again after less; see `usableMs`. */
const silentMs = 15 * minuteMs;

/**
 * Lets the requests of versions count apart, as far as their services have room: 20 versions at a time each. Those that
 * have been silent for a quarter of an hour make room, the longest silent first. Returns the versions that count apart.
 */
export async function registerVersions(
  { sql, noteVersions }: { sql: Sql; noteVersions: NoteVersions },
  pageId: PageId,
  wanted: readonly ServiceVersion[],
  now: number,
): Promise<ServiceVersion[]> {
  const known = await touch(sql, pageId, wanted, now);
  if (known.length === wanted.length) return known;
  return inTransaction(sql, async (tx) => {
    await lockCounts(tx, pageId);
    // Another instance may have added some of them before this one got the lock.
    const raced = await touch(tx, pageId, wanted, now);
    const missing = wanted.filter((one) => !raced.some((other) => isSame(one, other)));
    const added: ServiceVersion[] = [];
    for (const service of new Set(missing.map((one) => one.service))) {
      const ofService = missing.filter((one) => one.service === service);
      const room = await makeRoom(tx, { pageId, service, wanted: ofService.length, now });
      added.push(...ofService.slice(0, room));
    }
    const at = new Date(now);
    await tx`
      insert into service_versions (page_id, service, version, environment, first_seen_at, seen_at)
      select ${pageId}, service, version, environment, ${at}, ${at} from ${rowsOf(tx, added)}`;
    await noteVersions(tx, pageId, added, now);
    return [...raced, ...added];
  });
}

/** Notes that versions are heard. Returns those that count apart. Locks rows in their order, so that nobody deadlocks. */
async function touch(
  sql: Sql | Transaction,
  pageId: PageId,
  versions: readonly ServiceVersion[],
  now: number,
): Promise<ServiceVersion[]> {
  const rows = await sql<ServiceVersion[]>`
    update service_versions s set seen_at = greatest(s.seen_at, ${new Date(now)})
    from (
      select s.service, s.version, s.environment
      from service_versions s join ${rowsOf(sql, versions)}
        on (s.service, s.version, s.environment) = (v.service, v.version, v.environment)
      where s.page_id = ${pageId}
      order by s.service, s.version, s.environment for no key update of s) as heard
    where s.page_id = ${pageId}
      and (s.service, s.version, s.environment) = (heard.service, heard.version, heard.environment)
    returning s.service, s.version, s.environment`;
  return [...rows];
}

/** Returns how many more versions a service may have, once silent ones made room for as many as are wanted. */
async function makeRoom(
  tx: Transaction,
  { pageId, service, wanted, now }: { pageId: PageId; service: string; wanted: number; now: number },
): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from service_versions where page_id = ${pageId} and service = ${service}`;
  const room = limits.versionsPerService - (row?.count ?? 0);
  if (room >= wanted) return wanted;
  const removed = await tx`
    delete from service_versions where ctid = any (array(
      select ctid from service_versions
      where page_id = ${pageId} and service = ${service} and seen_at < ${new Date(now - silentMs)}
      order by seen_at limit ${wanted - room}))`;
  return Math.max(0, room + removed.count);
}

/** Versions as rows of a table `v`. */
function rowsOf(sql: Sql | Transaction, versions: readonly ServiceVersion[]): Fragment {
  const rows = versions.map(({ service, version, environment }) => ({ service, version, environment }));
  return sql`jsonb_to_recordset(${sql.json(rows)}) as v (service text, version text, environment text)`;
}

export function isSame(a: ServiceVersion, b: ServiceVersion): boolean {
  return a.service === b.service && a.version === b.version && a.environment === b.environment;
}
