import { deploymentLimits } from '../../contract/manage/deployments.js';
import type { Clock } from '../../lib/clock.js';
import { normalizeEnvironment, normalizeService, normalizeVersion } from '../../lib/event-fields.js';
import { type DeploymentId, newId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { parseTimestamp } from '../../lib/timestamp.js';
import { problemOfOutboundUrl } from '../../lib/web-address.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { columns, type Deployment } from './deployment.js';

/** The content of an announcement, as it was sent. */
export type Announcement = {
  service: string;
  version: string;
  environment?: string | null | undefined;
  at?: string | null | undefined;
  url?: string | null | undefined;
};

type Deps = { sql: Sql; clock: Clock; by: Actor };
type Key = Pick<Deployment, 'service' | 'version' | 'environment'>;

/** A job announces a deployment when it is done, and the first request of the version comes before that. */
const seenBeforeMs = hourMs;

/**
 * Announces a deployment, or changes the time and the address of the one that the service has of this version and
 * environment.
 *
 * @throws ServiceError `invalidBody`
 */
export async function announceDeployment(
  { sql, clock, by }: Deps,
  { pageId, ...sent }: Announcement & { pageId: PageId },
): Promise<Deployment & { isNew: boolean }> {
  const now = clock.now();
  const { key, announcedAt, url } = parseAnnouncement(sent, now);
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, pageId);
    const before = await lockDeployment(tx, pageId, key);
    const firstSeenAt = before?.firstSeenAt ?? null;
    const after: Deployment = {
      ...{ id: before?.id ?? newId<DeploymentId>(now), ...key, announcedAt, firstSeenAt, url },
      at: startOf(announcedAt, firstSeenAt),
    };
    await tx`
      insert into deployments (id, page_id, service, version, environment, at, announced_at, url)
      values (${after.id}, ${pageId}, ${key.service}, ${key.version}, ${key.environment}, ${after.at}, ${announcedAt}, ${url})
      on conflict (page_id, service, version, environment)
      do update set at = ${after.at}, announced_at = ${announcedAt}, url = ${url}`;
    if (before === undefined) await removeOldest(tx, pageId);
    await record(tx, { by, now }, { pageId, before: before ?? null, after });
    return { ...after, isNew: before === undefined };
  });
}

/** Deletes a deployment. @throws ServiceError `notFound`; what `check` throws. */
export async function removeDeployment(
  { sql, clock, by }: Deps,
  { pageId, id }: { pageId: PageId; id: string },
  check: (current: Deployment) => void,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const [before] = await tx<Deployment[]>`
      select ${columns(tx)} from deployments
      where page_id = ${pageId} and id = ${parseId<DeploymentId>(id) ?? null} for update`;
    if (before === undefined) throw new ServiceError('notFound');
    check(before);
    await tx`delete from deployments where id = ${before.id}`;
    await record(tx, { by, now: clock.now() }, { pageId, before, after: null });
  });
}

/** Keeps the newest deployments of a page, as many as there may be. */
export async function removeOldest(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`
    delete from deployments where id in (
      select id from deployments where page_id = ${pageId}
      order by at desc, id desc offset ${deploymentLimits.perPage})`;
}

/** The announced time, or that of the first request when it came up to an hour before. */
export function startOf(announcedAt: Date, firstSeenAt: Date | null): Date {
  if (firstSeenAt === null) return announcedAt;
  const beforeMs = announcedAt.getTime() - firstSeenAt.getTime();
  return beforeMs > 0 && beforeMs <= seenBeforeMs ? firstSeenAt : announcedAt;
}

function parseAnnouncement(
  sent: Announcement,
  now: number,
): { key: Key; announcedAt: Date; url: string | null } {
  const service = normalizeService(sent.service);
  const version = normalizeVersion(sent.version);
  if (service === undefined) throw invalid('/service', 'must not be blank or hold control characters');
  if (version === undefined) throw invalid('/version', 'must not be blank or hold control characters');
  const environment = normalizeEnvironment(sent.environment);
  if (environment === '' && (sent.environment ?? '').trim() !== '')
    throw invalid('/environment', 'must not hold control characters');
  return {
    key: { service, version, environment },
    announcedAt: parseTime(sent.at, now),
    url: parseUrl(sent.url),
  };
}

function parseTime(sent: string | null | undefined, now: number): Date {
  if (sent == null) return new Date(now);
  const at = parseTimestamp(sent);
  if (!(at >= now - deploymentLimits.days * dayMs && at <= now + hourMs)) {
    throw invalid(
      '/at',
      `must be a time such as 2027-01-31T23:00:00Z, at most ${deploymentLimits.days} days ago and an hour ahead`,
    );
  }
  return new Date(at);
}

function parseUrl(sent: string | null | undefined): string | null {
  if (sent == null || sent === '') return null;
  const problem = problemOfOutboundUrl(sent);
  if (problem !== undefined) throw new ServiceError('invalidBody', { field: '/url', message: problem });
  return new URL(sent).href;
}

function invalid(field: string, rule: string): ServiceError {
  return new ServiceError('invalidBody', { field, message: `${field} ${rule}.` });
}

/** The deployments of a page are counted under its lock. */
async function lockPage(tx: Transaction, pageId: PageId): Promise<void> {
  const locked = await tx`select from pages where id = ${pageId} for no key update`;
  if (locked.length === 0) throw new ServiceError('notFound');
}

async function lockDeployment(
  tx: Transaction,
  pageId: PageId,
  { service, version, environment }: Key,
): Promise<Deployment | undefined> {
  const [found] = await tx<Deployment[]>`
    select ${columns(tx)} from deployments
    where page_id = ${pageId} and service = ${service} and version = ${version} and environment = ${environment}
    for update`;
  return found;
}

function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { pageId, before, after }: { pageId: PageId; before: Deployment | null; after: Deployment | null },
): Promise<void> {
  const target = after ?? before;
  if (target === null) throw new Error('A change has a deployment.');
  const verb = before === null ? 'announce' : after === null ? 'delete' : 'update';
  const fieldsOf = ({ service, version, environment, at, announcedAt, url }: Deployment) => ({
    ...{ service, version, environment, at, announcedAt, url },
  });
  return recordChange(tx, audit, {
    pageId,
    action: `deployment.${verb}`,
    target: { type: 'deployment', id: target.id, name: `${target.service} ${target.version}` },
    before: before && fieldsOf(before),
    after: after && fieldsOf(after),
  });
}
