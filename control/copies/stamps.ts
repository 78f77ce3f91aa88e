import { localTable } from '../../contract/sql-tables.js';
import { withTimeout } from '../../lib/timeout.js';
import type { ClusterAddress } from '../../sql/cluster-servers.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/** The page of the stamps, which no deletion of a page removes. */
const noPage = '00000000-0000-0000-0000-000000000000';
const stampKind = 'version';
/** So many that each shard of a cluster has some: a shard that was restored alone shows. */
const stampCount = 16;
const readMsMax = 3_000;

/** A row of `copies` that shows nothing, and tells the version of the last insert. */
type Stamp = { page_id: string; kind: string; id: string; version: string; deleted: 1; data: '' };

/** Makes the rows that each insert of copies ends with. */
export function makeStamps(version: string): Stamp[] {
  return Array.from({ length: stampCount }, (_, at) => ({
    ...{ page_id: noPage, kind: stampKind, id: `${at}`, version },
    ...{ deleted: 1 as const, data: '' as const },
  }));
}

/** The lowest and the highest version of the stamps; `lowest` is 0 when one is missing. */
export type StampedVersions = { lowest: bigint; highest: bigint };

/**
 * Loads the versions of the stamps. A cluster's servers of one shard get an insert one after the other, so all of them are asked,
 * and the newest row counts.
 *
 * @throws Error when ClickHouse does not answer in time; the errors of the driver.
 */
export async function loadStamps(
  clickhouse: ClickHouseClient,
  cluster: ClusterAddress | undefined,
): Promise<StampedVersions> {
  const from =
    cluster === undefined
      ? 'copies'
      : `clusterAllReplicas('${cluster.name}', currentDatabase(), '${localTable('copies')}')`;
  const read = async (signal: AbortSignal) => {
    const answer = await clickhouse.query({
      query: `
        SELECT toString(if(count() = ${stampCount}, min(newest), 0)) AS lowest, toString(max(newest)) AS highest
        FROM (SELECT id, max(version) AS newest FROM ${from}
          WHERE page_id = {noPage:UUID} AND kind = {stampKind:String} GROUP BY id)`,
      query_params: { noPage, stampKind },
      clickhouse_settings: { skip_unavailable_shards: 1 },
      format: 'JSONEachRow',
      abort_signal: signal,
    });
    return answer.json<{ lowest: string; highest: string }>();
  };
  const [row] = await withTimeout(read, readMsMax, {
    error: () =>
      new Error(`ClickHouse did not tell the version of its copies within ${readMsMax / 1_000} s.`),
  });
  return { lowest: BigInt(row?.lowest ?? 0), highest: BigInt(row?.highest ?? 0) };
}
