import { type DeploymentId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

/** A version that came to a service. An empty environment is none. */
export type Deployment = {
  id: DeploymentId;
  service: string;
  version: string;
  environment: string;
  /** When it came. */
  at: Date;
  announcedAt: Date | null;
  firstSeenAt: Date | null;
  url: string | null;
};

/** Which deployments to list; times in milliseconds since the epoch, `from` inclusive, `to` exclusive. */
export type DeploymentFilter = {
  pageId: PageId;
  from?: number | undefined;
  to?: number | undefined;
  service?: string | undefined;
  environment?: string | undefined;
};

/** Lists at most `limit` deployments, newest first, behind the one with the time and the id of `after`. */
export async function listDeployments(
  { sql }: { sql: Sql },
  { pageId, from, to, service, environment }: DeploymentFilter,
  { limit, after }: { limit: number; after?: readonly string[] | undefined },
): Promise<Deployment[]> {
  const [at, id] = after ?? [];
  const rows = await sql<Deployment[]>`
    select ${columns(sql)} from deployments
    where page_id = ${pageId}
      ${from === undefined ? sql`` : sql`and at >= ${new Date(from)}`}
      ${to === undefined ? sql`` : sql`and at < ${new Date(to)}`}
      ${service === undefined ? sql`` : sql`and service = ${service}`}
      ${environment === undefined ? sql`` : sql`and environment = ${environment}`}
      ${at === undefined || id === undefined ? sql`` : sql`and (at, id) < (${at}::timestamptz, ${id}::uuid)`}
    order by at desc, id desc limit ${limit}`;
  return [...rows];
}

/**
 * The deployment with this id.
 *
 * @throws ServiceError `notFound` when the page has none
 */
export async function findDeployment(
  { sql }: { sql: Sql },
  { pageId, id }: { pageId: PageId; id: string },
): Promise<Deployment> {
  const [found] = await sql<Deployment[]>`
    select ${columns(sql)} from deployments
    where page_id = ${pageId} and id = ${parseId<DeploymentId>(id) ?? null}`;
  if (found === undefined) throw new ServiceError('notFound');
  return found;
}

/** Finds the newest deployment of any of the services between two times, in milliseconds since the epoch. */
export async function findLastDeployment(
  sql: Sql | Transaction,
  { pageId, services, from, to }: { pageId: PageId; services: readonly string[]; from: number; to: number },
): Promise<Deployment | undefined> {
  const [last] = await sql<Deployment[]>`
    select ${columns(sql)} from deployments
    where page_id = ${pageId} and service = any (${[...services]}::text[])
      and at >= ${new Date(from)} and at <= ${new Date(to)}
    order by at desc, id desc limit 1`;
  return last;
}

/** Deletes the deployments before a time. Returns their number. */
export async function pruneDeployments(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (limit) => {
    const { count } = await sql`
      delete from deployments where id = any (array(select id from deployments where at < ${before} limit ${limit}))`;
    return count;
  });
}

/** The columns of a deployment by the names of its fields. */
export function columns(sql: Sql | Transaction): Fragment {
  return sql`
    id, service, version, environment, at, announced_at as "announcedAt", first_seen_at as "firstSeenAt", url`;
}
