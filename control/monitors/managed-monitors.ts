import type { ManagedMonitor } from '../../contract/manage/monitors.js';
import { isProbed } from '../../contract/monitors.js';
import type { PageId } from '../../lib/ids.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import { type Monitor, selectMonitors } from './monitor.js';

/** Returns a monitor as answers and commands show it: whether its requests have secret headers or a body, not which. */
export function toManagedMonitor(monitor: Monitor): ManagedMonitor {
  const iso = (time: Date | null) => time?.toISOString() ?? null;
  const { id, slug, name, names, group, everySeconds, failuresToDown, state, lastError } = monitor;
  const { hidden, description, descriptions, link, timeoutMs, degradedOverMs } = monitor;
  return {
    ...{ id, slug, name, names, group, type: monitor.kind, url: 'url' in monitor ? monitor.url : null },
    ...{ hidden, description, descriptions, link, dependsOn: [...monitor.dependsOn] },
    ...(monitor.kind !== 'manual' && { everySeconds, failuresToDown }),
    ...(isProbed(monitor.kind) && { timeoutMs, degradedOverMs }),
    ...('options' in monitor && monitor.options),
    ...(monitor.kind === 'http' && { hasSecrets: monitor.hasSecrets }),
    ...(monitor.kind === 'heartbeat' && { lastPingAt: iso(monitor.lastPingAt) }),
    createdAt: monitor.createdAt.toISOString(),
    pausedAt: iso(monitor.pausedAt),
    state,
    stateSince: iso(monitor.stateSince),
    degradedSince: iso(monitor.degradedSince),
    lastCheckedAt: iso(monitor.lastCheckedAt),
    lastError,
    unobservedSince: iso(monitor.unobservedSince),
    nextDueAt: iso(monitor.nextDueAt),
  };
}

/** States in a list of monitors: `unknown` before the first check. */
export const listedStates = ['up', 'down', 'paused', 'unknown'] as const;

export type ListedState = (typeof listedStates)[number];

type MonitorPart = {
  pageId: PageId;
  limit: number;
  /** Position and slug of the monitor that the part begins behind. */
  after?: readonly [position: number, slug: string] | undefined;
  state?: ListedState | undefined;
  /** In the slug, a name or the URL, in upper or lower case. */
  text?: string | undefined;
};

/** Lists at most `limit` monitors of a page that match, in the order of the page. */
export function listManagedMonitors({ sql }: { sql: Sql }, part: MonitorPart): Promise<Monitor[]> {
  const { pageId, limit, after, state, text } = part;
  const behind = after === undefined ? sql`` : sql`and (m.position, m.slug) > (${after[0]}, ${after[1]})`;
  const inState = state === undefined ? sql`` : sql`and ${stateCondition(sql, state)}`;
  const matching = text === undefined ? sql`` : sql`and ${textCondition(sql, text)}`;
  return selectMonitors(sql, sql`m.page_id = ${pageId} ${behind} ${inState} ${matching}`, limit);
}

/** How a monitor stands. */
export type MonitorStanding = Pick<
  Monitor,
  'id' | 'slug' | 'name' | 'kind' | 'state' | 'stateSince' | 'degradedSince' | 'lastPingAt'
> & {
  /** The monitor or its page is paused. */
  isPaused: boolean;
};

/** Lists the states of the monitors of a page, in its order. */
export function listMonitorStandings({ sql }: { sql: Sql }, pageId: PageId): Promise<MonitorStanding[]> {
  return sql<MonitorStanding[]>`
    select m.id, m.slug, m.name, m.kind, m.state, m.state_since as "stateSince",
      case when m.state = 'up' then m.degraded_since end as "degradedSince",
      m.last_ping_at as "lastPingAt", m.paused_at is not null or p.monitoring_paused as "isPaused"
    from monitors m join pages p on p.id = m.page_id
    where m.page_id = ${pageId} order by m.position, m.slug`;
}

function stateCondition(sql: Sql, state: ListedState): Fragment {
  if (state === 'paused') return sql`m.paused_at is not null`;
  if (state === 'unknown') return sql`m.paused_at is null and m.state is null and m.kind <> 'manual'`;
  return sql`m.paused_at is null and m.state = ${state}`;
}

function textCondition(sql: Sql, text: string): Fragment {
  const form = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`(m.slug ilike ${form} or m.name ilike ${form} or m.url ilike ${form} or exists (
    select 1 from jsonb_each_text(m.names) as n where n.value ilike ${form}))`;
}
