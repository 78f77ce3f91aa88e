import { groupBy } from '../../lib/group-by.js';
import type { PageId } from '../../lib/ids.js';
import type { Fragment, Transaction } from '../../sql/open-postgres.js';

/** Kinds of rows that are copied. */
type CopiedKind =
  | 'monitor'
  | 'incident'
  | 'maintenance'
  | 'incident_update'
  | 'deployment'
  | 'alert'
  | 'reporter';

/** Names a row of a page. */
export type RowRef = { pageId: PageId; kind: CopiedKind; id: string };

/** A row with the columns that its copy shows. */
type ShownRow = { pageId: PageId; copiedId: string } & Record<string, unknown>;

/** Returns a text that is the same for the same row alone. */
export function rowKey({ pageId, kind, id }: RowRef): string {
  return `${pageId} ${kind} ${id}`;
}

/**
 * Loads the columns of rows that their copies show, as JSON by `rowKey()`. A row that is gone is absent. Nothing secret is
 * loaded, and no name of a person: no address of a monitor, no note and no author.
 */
export async function loadShown(tx: Transaction, rows: readonly RowRef[]): Promise<Map<string, string>> {
  const shown = new Map<string, string>();
  for (const [kind, refs] of groupBy(rows, (row) => row.kind)) {
    for (const { pageId, copiedId: id, ...columns } of await loadOfKind(tx, kind, refs)) {
      shown.set(rowKey({ pageId, kind, id }), toJson(columns));
    }
  }
  return shown;
}

/** ClickHouse reads times as milliseconds since the epoch. */
function toJson(columns: Record<string, unknown>): string {
  const values = Object.entries(columns).map(([name, value]) => [
    name,
    value instanceof Date ? value.getTime() : value,
  ]);
  return JSON.stringify(Object.fromEntries(values));
}

function loadOfKind(
  tx: Transaction,
  kind: CopiedKind,
  refs: readonly RowRef[],
): PromiseLike<readonly ShownRow[]> {
  const pageIds = refs.map(({ pageId }) => pageId);
  const ids = refs.map(({ id }) => id);
  const due = tx`unnest(${pageIds}::uuid[], ${ids}::text[]) as due (page_id, id)`;
  switch (kind) {
    case 'monitor':
      return loadMonitors(tx, due);
    case 'incident':
    case 'maintenance':
      return loadIncidents(tx, due, kind);
    case 'incident_update':
      return loadUpdates(tx, due);
    case 'deployment':
      return loadDeployments(tx, due);
    case 'alert':
      return loadAlerts(tx, due);
    case 'reporter':
      return loadReporters(tx, due);
  }
}

function loadMonitors(tx: Transaction, due: Fragment): PromiseLike<readonly ShownRow[]> {
  return tx<ShownRow[]>`
    select m.page_id as "pageId", due.id as "copiedId", m.slug, m.name, m.description, m.kind, m.state, m.state_since,
      m.degraded_since, m.paused_at, m.every_seconds, m.timeout_ms, m.failures_to_down, m.degraded_over_ms, m.depends_on,
      m.hidden, m.certificate_ends_at, m.created_at
    from ${due} join monitors m on m.page_id = due.page_id and m.id = due.id::uuid`;
}

function loadIncidents(
  tx: Transaction,
  due: Fragment,
  type: 'incident' | 'maintenance',
): PromiseLike<readonly ShownRow[]> {
  const affected = tx`
    from incident_monitors im join monitors m on m.id = im.monitor_id
    where im.incident_id = i.id and m.page_id = i.page_id`;
  return tx<ShownRow[]>`
    select i.page_id as "pageId", due.id as "copiedId", i.title, i.summary, i.impact, i.announced_state, i.started_at,
      i.resolved_at, i.scheduled_end_at, i.published_at, i.author_type,
      array(select m.slug ${affected} order by im.place) as monitors,
      array(select m.id::text ${affected} order by im.place) as monitor_ids,
      (select json_object_agg(m.slug, im.state) ${affected} and im.state is not null) as monitor_states
    from ${due} join incidents i on i.page_id = due.page_id and i.id = due.id::uuid and i.type = ${type}`;
}

function loadUpdates(tx: Transaction, due: Fragment): PromiseLike<readonly ShownRow[]> {
  return tx<ShownRow[]>`
    select u.page_id as "pageId", due.id as "copiedId", u.incident_id, u.status, u.body, u.created_at, u.corrected_at,
      u.author_type
    from ${due} join incident_updates u on u.page_id = due.page_id and u.id = due.id::uuid`;
}

function loadDeployments(tx: Transaction, due: Fragment): PromiseLike<readonly ShownRow[]> {
  return tx<ShownRow[]>`
    select d.page_id as "pageId", due.id as "copiedId", d.service, d.version, d.environment, d.at, d.announced_at,
      d.first_seen_at
    from ${due} join deployments d on d.page_id = due.page_id and d.id = due.id::uuid`;
}

function loadAlerts(tx: Transaction, due: Fragment): PromiseLike<readonly ShownRow[]> {
  return tx<ShownRow[]>`
    select a.page_id as "pageId", due.id as "copiedId", a.rule_slug, a.rule_name, a.kind, a.group_key, a.group_name,
      a.service, a.endpoint, a.severity, a.title, a.value, a.threshold, a.started_at, a.resolved_at, a.ended_by,
      a.acknowledged_at, a.held_by, a.incident_id
    from ${due} join alerts a on a.page_id = due.page_id and a.id = due.id::uuid`;
}

/** The id of a service or reporter is its kind, a colon and its name, which may hold colons. */
function loadReporters(tx: Transaction, due: Fragment): PromiseLike<readonly ShownRow[]> {
  return tx<ShownRow[]>`
    select s.page_id as "pageId", due.id as "copiedId", s.kind, s.source, s.name, s.region, s.team, s.service,
      s.expected_every_seconds, s.first_seen_at, s.stopped_at, s.forgotten_at
    from ${due} join sources s on s.page_id = due.page_id and s.kind = split_part(due.id, ':', 1)
      and s.source = substr(due.id, position(':' in due.id) + 1)`;
}
