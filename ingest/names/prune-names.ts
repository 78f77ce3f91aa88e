import { limits } from '../../contract/limits.js';
import type { PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { JobDeps } from '../../sql/job.js';

/** Below this share of a limit a page's unused names do no harm, and are left alone. */
const crowdedShare = 0.5;
/** A name registered lately may have its first rows still under way. */
const graceMs = 24 * 3_600_000;

/**
 * Makes room on pages that near their limit of endpoints or services: forgets the names of which no row is
 * left, which is the case when nothing was counted under them for the retention. Reporters never expire. A page
 * whose own store does not answer has its turn an hour later.
 *
 * An instance that still holds a forgotten name takes events under it until it asks again, at most ten minutes.
 */
export async function pruneNames(deps: JobDeps): Promise<void> {
  const crowded = await deps.sql<{ page_id: PageId }[]>`
    SELECT page_id FROM page_name_counts
    WHERE endpoints > ${Math.floor(limits.endpointsPerPage * crowdedShare)}
       OR sources > ${Math.floor(limits.sourcesPerPage * crowdedShare)}`;
  for (const { page_id: pageId } of crowded) {
    try {
      const [endpoints, services] = await Promise.all([
        readNamesInUse(deps, pageId, 'endpoint', ''),
        readNamesInUse(deps, pageId, 'service', "AND kind = 'service'"),
      ]);
      const removed = await forgetOthers(deps, pageId, endpoints, services);
      deps.log.info({ pageId, ...removed }, 'Unused names were forgotten.');
    } catch (err) {
      deps.log.error({ pageId, err }, 'The unused names of a page were not forgotten.');
    }
  }
}

async function readNamesInUse(
  { clickhouseOf }: JobDeps,
  pageId: PageId,
  column: 'endpoint' | 'service',
  filter: string,
): Promise<string[]> {
  const result = await clickhouseOf(pageId).query({
    query: `SELECT DISTINCT ${column} AS name FROM requests_hour WHERE page_id = {page:UUID} ${filter}`,
    query_params: { page: pageId },
    format: 'JSONEachRow',
  });
  return (await result.json<{ name: string }>()).map(({ name }) => name);
}

async function forgetOthers(
  { sql, clock }: JobDeps,
  pageId: PageId,
  endpoints: readonly string[],
  services: readonly string[],
): Promise<{ endpoints: number; services: number }> {
  const before = new Date(clock.now() - graceMs);
  return await inTransaction(sql, async (tx) => {
    await tx`SELECT 1 FROM page_name_counts WHERE page_id = ${pageId} FOR UPDATE`;
    const lostEndpoints = await tx`
      DELETE FROM endpoints
      WHERE page_id = ${pageId} AND first_seen_at < ${before} AND endpoint <> ALL(${[...endpoints]}::text[])`;
    const lostServices = await tx`
      DELETE FROM sources
      WHERE page_id = ${pageId} AND kind = 'service' AND first_seen_at < ${before}
        AND source <> ALL(${[...services]}::text[])`;
    await tx`
      UPDATE page_name_counts SET
        endpoints = (SELECT count(*) FROM endpoints WHERE page_id = ${pageId}),
        sources = (SELECT count(*) FROM sources WHERE page_id = ${pageId})
      WHERE page_id = ${pageId}`;
    return { endpoints: lostEndpoints.count, services: lostServices.count };
  });
}
