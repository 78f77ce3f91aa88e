import type { PageId } from '../../lib/ids.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { type Period, sixHoursMs, within } from './periods.js';

const stepRow = rowType(Row({ startMs: columns.timeMs }));
const existsRow = rowType(Row({ result: columns.count }));

/**
 * Loads the starts of the steps of six hours that `endpoint_requests_6h` does not have in full, oldest first, in
 * milliseconds since the epoch. The period consists of whole steps. Rows from before the table was there are in the
 * others only, and so may be those that a server of a cluster took before it had the table. Both tables count the same
 * requests, so the sums tell. null when a page's own store has no such table yet: the first block after an upgrade brings
 * it.
 *
 * @throws as loadEventRows() does.
 */
export async function loadMissingSteps(
  clickhouse: EventReader,
  pageId: PageId,
  period: Period,
): Promise<number[] | null> {
  if ('loadRows' in clickhouse && !(await hasTable(clickhouse))) return null;
  const rows = await loadEventRows(clickhouse, stepRow, {
    query: `SELECT 1000 * toInt64(toUnixTimestamp(step)) AS startMs
     FROM
     (
       SELECT toStartOfInterval(hour, INTERVAL 6 HOUR) AS step, toInt64(sum(requests)) AS counted
       FROM service_requests_hour WHERE page_id = {page:UUID} AND ${within('hour', [period])}
       GROUP BY step
       UNION ALL
       SELECT start AS step, -toInt64(sum(requests)) AS counted
       FROM endpoint_requests_6h WHERE page_id = {page:UUID} AND ${within('start', [period])}
       GROUP BY step
     )
     GROUP BY step HAVING sum(counted) != 0 ORDER BY step`,
    parameters: { page: pageId },
    rowsMax: (period.to - period.from) / sixHoursMs,
  });
  return rows.map(({ startMs }) => startMs);
}

async function hasTable(clickhouse: EventReader): Promise<boolean> {
  const query = { query: 'EXISTS TABLE endpoint_requests_6h', rowsMax: 1, parameters: {} };
  const [found] = await loadEventRows(clickhouse, existsRow, query);
  return found?.result === 1;
}
