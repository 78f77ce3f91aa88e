import { type DeploymentId, newId, type PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { removeOldest } from './announce.js';
import type { Deployment } from './deployment.js';

/**
 * Notes the first requests of versions, in the transaction that lets them count. A version that was announced keeps that
 * time, unless its requests came up to an hour before; one that was seen before stays as it is.
 */
export async function noteSeenVersions(
  tx: Transaction,
  pageId: PageId,
  versions: readonly Pick<Deployment, 'service' | 'version' | 'environment'>[],
  now: number,
): Promise<void> {
  const at = new Date(now);
  for (const { service, version, environment } of versions) {
    await tx`
      insert into deployments (id, page_id, service, version, environment, at, first_seen_at)
      values (${newId<DeploymentId>(now)}, ${pageId}, ${service}, ${version}, ${environment}, ${at}, ${at})
      on conflict (page_id, service, version, environment) do update set
        first_seen_at = excluded.first_seen_at,
        at = case when deployments.announced_at - excluded.first_seen_at between interval '0' and interval '1 hour'
          then excluded.first_seen_at else deployments.at end
      where deployments.first_seen_at is null`;
  }
  if (versions.length > 0) await removeOldest(tx, pageId);
}
