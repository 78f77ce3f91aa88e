import postgres from 'postgres';
import type { HourlyTable } from '../../contract/exported-tables.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { ExportSettings } from './figure-export.js';

type Written = {
  pageId: PageId;
  wanted: ExportSettings;
  sealed: Uint8Array;
  /** The first hour that is asked for; `null` keeps the one that was asked for before. */
  since: Date | null;
  now: Date;
};

/** @throws ServiceError `conflict` when another page exports to the same place with the same key. */
export async function writeExport(tx: Transaction, written: Written): Promise<void> {
  const { pageId, wanted, sealed, since, now } = written;
  const { endpoint, region, bucket, prefix, accessKeyId, format, enabled } = wanted;
  try {
    await tx`
      insert into figure_exports (page_id, endpoint, region, bucket, prefix, access_key_id, secret, format, enabled,
        since, next_attempt_at, set_at)
      values (${pageId}, ${endpoint}, ${region}, ${bucket}, ${prefix}, ${accessKeyId}, ${sealed}, ${format}, ${enabled},
        ${since}, ${now}, ${now})
      on conflict (page_id) do update set
        endpoint = excluded.endpoint, region = excluded.region, bucket = excluded.bucket, prefix = excluded.prefix,
        access_key_id = excluded.access_key_id, secret = excluded.secret, format = excluded.format,
        enabled = excluded.enabled, since = coalesce(excluded.since, figure_exports.since),
        revision = figure_exports.revision + 1,
        failures = 0, failing_since = null, last_error = null,
        next_attempt_at = excluded.next_attempt_at, set_at = excluded.set_at`;
  } catch (error) {
    const isTaken =
      error instanceof postgres.PostgresError && error.constraint_name === 'figure_exports_place_unique';
    throw isTaken ? placeTaken(error) : error;
  }
}

function placeTaken(cause: unknown): ServiceError {
  return new ServiceError('conflict', {
    field: '/prefix',
    message:
      'Another page exports to this bucket under this prefix with this key, and its objects have the same names; choose another prefix.',
    cause,
  });
}

type WrittenTables = {
  tables: readonly HourlyTable[];
  /** Tables whose first hour begins at `begin`; the others go on where they are. */
  begun: readonly HourlyTable[];
  begin: Date;
  /** Whether the objects go elsewhere from now on: what is in the old place is not put again into the new one. */
  isMoved: boolean;
};

export async function writeTables(
  tx: Transaction,
  pageId: PageId,
  { tables, begun, begin, isMoved }: WrittenTables,
): Promise<void> {
  await tx`delete from figure_export_tables where page_id = ${pageId} and name <> all (${[...tables]}::text[])`;
  if (isMoved) {
    await tx`update figure_export_tables set final_until = exported_until where page_id = ${pageId}`;
  }
  await tx`
    insert into figure_export_tables as t (page_id, name, exported_until, final_until)
    select ${pageId}, name, ${begin}, ${begin} from unnest(${[...begun]}::text[]) begun (name)
    on conflict (page_id, name) do update set
      exported_until = excluded.exported_until,
      -- Hours that are in the bucket, and wait for what comes late, are put once more.
      final_until = case when excluded.exported_until <= t.exported_until
        then least(t.final_until, excluded.final_until) else excluded.final_until end`;
}
