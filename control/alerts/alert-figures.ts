import type { AlertFigures } from '../../contract/manage/reports.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

type Period = { pageId: PageId; from: number; to: number };
type Row = Omit<AlertFigures, 'bySeverity'> & AlertFigures['bySeverity'];

/**
 * Counts the alerts of a page that began from `from` until `to`, in milliseconds since the epoch, and how long it took people to
 * acknowledge them, and until they were over.
 */
export async function loadAlertFigures(
  { sql }: { sql: Sql },
  { pageId, from, to }: Period,
): Promise<AlertFigures> {
  const [row] = await sql<Row[]>`
    select count(*)::int as count,
      count(*) filter (where severity = 'page')::int as page, count(*) filter (where severity = 'ticket')::int as ticket,
      count(*) filter (where severity = 'info')::int as info,
      count(acknowledged_at)::int as acknowledged, count(resolved_at)::int as resolved,
      percentile_cont(0.5) within group (order by extract(epoch from acknowledged_at - started_at)::float8)
        as "secondsToAcknowledge",
      percentile_cont(0.5) within group (order by extract(epoch from resolved_at - started_at)::float8)
        filter (where ended_by <> 'change') as "secondsToResolve"
    from alerts
    where page_id = ${pageId} and started_at >= ${new Date(from)} and started_at < ${new Date(to)}`;
  // An aggregate without groups has one row.
  const { page = 0, ticket = 0, info = 0, ...figures } = row ?? noAlerts;
  return { ...figures, bySeverity: { page, ticket, info } };
}

const noAlerts = {
  ...{ count: 0, page: 0, ticket: 0, info: 0, acknowledged: 0, resolved: 0 },
  ...{ secondsToAcknowledge: null, secondsToResolve: null },
};
