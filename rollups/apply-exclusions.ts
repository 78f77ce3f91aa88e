import type { MonitorId, PageId } from '../lib/ids.js';
import { hourMs } from '../lib/times.js';
import type { Fragment, Transaction } from '../sql/open-postgres.js';
import type { HourRange } from './hour-ranges.js';
import { differenceOf, type Span } from './spans.js';

type Row = { page_id: PageId; monitor_id: MonitorId; from_ms: number; to_ms: number };
type Change = { pageId: PageId; before: Span[]; after: Span[] };

/**
 * Applies the current maintenance and pauses to points, and returns the hours that change because of it, up to now. An
 * exclusion without an end is stored as endless, so that it changes nothing while it lasts.
 */
export async function applyExclusions(tx: Transaction, now: number): Promise<HourRange[]> {
  const removed = await tx<Row[]>`
    delete from applied_exclusions a
    where not exists (
      select 1 from (${exclusionsOf(tx)}) c
      where c.monitor_id = a.monitor_id and c.from_at = a.from_at and c.to_at = a.to_at)
    returning ${spanColumns(tx)}`;
  const added = await tx<Row[]>`
    insert into applied_exclusions (page_id, monitor_id, from_at, to_at)
    ${exclusionsOf(tx)}
    on conflict do nothing
    returning ${spanColumns(tx)}`;
  const changes = new Map<MonitorId, Change>();
  for (const row of removed) changeOf(changes, row).before.push({ from: row.from_ms, to: row.to_ms });
  for (const row of added) changeOf(changes, row).after.push({ from: row.from_ms, to: row.to_ms });
  return [...changes].flatMap(([monitorId, { pageId, before, after }]) =>
    differenceOf(before, after)
      .filter(({ from }) => from <= now)
      .map(({ from, to }) => ({
        ...{ pageId, monitorId },
        from: Math.floor(from / hourMs),
        to: Math.min(Math.ceil(to / hourMs), Math.floor(now / hourMs) + 1),
      })),
  );
}

/** Pauses of a page exclude the time of every monitor that the page has now. */
function exclusionsOf(tx: Transaction): Fragment {
  return tx`
    select page_id, monitor_id, from_at, to_at from (
      select i.page_id, n.monitor_id, i.started_at as from_at,
        coalesce(i.resolved_at, i.scheduled_end_at, 'infinity') as to_at
      from incidents i join incident_monitors n on n.incident_id = i.id
      where i.type = 'maintenance'
      union
      select m.page_id, m.id, p.from_at, coalesce(p.to_at, 'infinity')
      from pauses p join monitors m on m.page_id = p.page_id and (p.monitor_id is null or p.monitor_id = m.id)
    ) as exclusions
    where to_at > from_at`;
}

/** Milliseconds since the epoch as floats, because they may be Infinity, which a Date cannot hold. */
function spanColumns(tx: Transaction): Fragment {
  return tx`
    page_id, monitor_id, floor(extract(epoch from from_at) * 1000)::float8 as from_ms,
    floor(extract(epoch from to_at) * 1000)::float8 as to_ms`;
}

function changeOf(changes: Map<MonitorId, Change>, row: Row): Change {
  const change = changes.get(row.monitor_id) ?? { pageId: row.page_id, before: [], after: [] };
  changes.set(row.monitor_id, change);
  return change;
}
