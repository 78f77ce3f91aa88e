import type { MonitorId, PageId } from '../lib/ids.js';
import { importedVersion } from '../sql/measured-day.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';

/** Uptime of a UTC day `YYYY-MM-DD`: the milliseconds observed, and those of them that were up. */
export type ImportedDay = {
  pageId: PageId;
  monitorId: MonitorId;
  day: string;
  observedMs: number;
  upMs: number;
};

/** Writes days that another tool has observed. Importing the same days again changes nothing. */
export async function importDays(clickhouse: ClickHouseClient, days: readonly ImportedDay[]): Promise<void> {
  const values = days.map(({ pageId, monitorId, day, observedMs, upMs }) => ({
    ...{ page_id: pageId, monitor_id: monitorId, version: importedVersion },
    ...{ day, observed_ms: observedMs, up_ms: upMs },
  }));
  await clickhouse.insert({ table: 'monitor_days', values, format: 'JSONEachRow' });
}
