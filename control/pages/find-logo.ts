import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';

/** The logo with this hash, if it is that of the page on this host name now; `hostname` is in lower case. */
export async function findLogo(
  { sql }: { sql: Sql },
  { hostname, hash }: { hostname: string; hash: string },
): Promise<{ bytes: Buffer; mediaType: string } | undefined> {
  if (!/^[0-9a-f]{32}$/.test(hash)) return undefined;
  const [logo] = await withQueryTimeout(
    sql<{ bytes: Buffer; mediaType: string }[]>`
      select l.bytes, l.media_type as "mediaType"
      from page_logos l join pages p on p.id = l.page_id
      where p.hostname = ${hostname} and l.hash = ${hash}`,
  );
  return logo;
}
