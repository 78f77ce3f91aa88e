import {
  type HeartbeatOptions,
  type HttpOptions,
  httpDefaults,
  type MonitorKind,
  type MonitorState,
} from '../../contract/monitors.js';
import { type MonitorId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { minuteMs } from '../../lib/times.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { lockMonitorsOf } from './groups/place-monitor.js';

/** The target and the expectations of a monitor, by its kind. */
export type MonitorTarget =
  | { kind: 'http'; url: string; options: HttpOptions }
  | { kind: 'tcp'; url: string }
  | { kind: 'heartbeat'; options: HeartbeatOptions }
  /** A service without checks: its state comes from incidents alone. */
  | { kind: 'manual' };

/** A monitor as operators see it, without the secrets of its requests. */
export type Monitor = MonitorTarget & {
  id: MonitorId;
  pageId: PageId;
  slug: string;
  /** In the default language of the page; `names` has its other names, by language. */
  name: string;
  names: Record<string, string>;
  /** Slug of its group; null for one in front of the groups. */
  group: string | null;
  everySeconds: number;
  timeoutMs: number;
  failuresToDown: number;
  /** A check that takes longer is slow; null when none is. */
  degradedOverMs: number | null;
  /** Whether visitors do not see it. */
  hidden: boolean;
  /** For visitors, in the default language of the page; `descriptions` has it in others. Empty for none. */
  description: string;
  descriptions: Record<string, string>;
  /** Where visitors find the service. */
  link: string | null;
  /** Slugs of monitors: while one of them is down, alerts about this one are held back. */
  dependsOn: readonly string[];
  /** Whether its requests send configured headers or a configured body. */
  hasSecrets: boolean;
  /** Place among the monitors of the page; those with the same one are in the order of their slugs. */
  position: number;
  createdAt: Date;
  /** When the monitor itself was paused; a paused page does not set it. */
  pausedAt: Date | null;
  /** null while the monitor or its page is paused. */
  nextDueAt: Date | null;
  /** null until a check has passed, or enough have failed. */
  state: MonitorState | null;
  stateSince: Date | null;
  /** Since when it answers too slowly; null while it does not. */
  degradedSince: Date | null;
  lastCheckedAt: Date | null;
  /** The class of the failure, or why the check could not be made, a colon and a sentence; null when it passed. */
  lastError: string | null;
  /** Since when the checks could not be made; null when the last one was. */
  unobservedSince: Date | null;
  lastPingAt: Date | null;
};

/** Names one monitor: by its id, or by its page and its slug. */
export type MonitorRef = { id: string } | { pageId: PageId; slug: string };

type MonitorRow = Omit<Monitor, keyof MonitorTarget> & {
  kind: MonitorKind;
  url: string | null;
  options: Partial<HttpOptions & HeartbeatOptions>;
};

/**
 * Loads the monitor that `ref` names.
 *
 * @throws ServiceError `notFound` when there is no such monitor.
 */
export async function loadMonitor({ sql }: { sql: Sql | Transaction }, ref: MonitorRef): Promise<Monitor> {
  const [monitor] = await selectMonitors(sql, whereMonitor(sql, ref));
  if (monitor === undefined) throw await noSuchMonitor(sql, ref);
  return monitor;
}

/** Lists the monitors of a page, in its order. */
export async function listMonitors({ sql }: { sql: Sql }, pageId: PageId): Promise<Monitor[]> {
  return selectMonitors(sql, sql`m.page_id = ${pageId}`);
}

/** Loads the names of a page's monitors by slug, in the given language where they have one, else in the default language. */
export async function loadServiceNames(
  { sql }: { sql: Sql },
  pageId: PageId,
  language: string,
): Promise<Record<string, string>> {
  const rows = await sql<{ slug: string; name: string }[]>`
    select slug, coalesce(names ->> ${language}, name) as name from monitors where page_id = ${pageId}`;
  return Object.fromEntries(rows.map(({ slug, name }) => [slug, name]));
}

/** Selects the monitors of one page that match the condition, in its order. `m` is the monitor. */
export async function selectMonitors(
  sql: Sql | Transaction,
  condition: Fragment,
  limit?: number,
): Promise<Monitor[]> {
  const rows = await sql<MonitorRow[]>`
    select m.id, m.page_id as "pageId", m.slug, m.name, m.names, g.slug as group, m.kind, m.url, m.options,
      m.every_seconds as "everySeconds", m.timeout_ms as "timeoutMs", m.failures_to_down as "failuresToDown",
      m.degraded_over_ms as "degradedOverMs", m.hidden, m.description, m.descriptions, m.link,
      m.depends_on as "dependsOn",
      case when m.state = 'up' then m.degraded_since end as "degradedSince",
      m.secrets is not null as "hasSecrets", m.position, m.created_at as "createdAt", m.paused_at as "pausedAt",
      m.next_due_at as "nextDueAt", m.state, m.state_since as "stateSince", m.last_checked_at as "lastCheckedAt",
      m.last_error as "lastError", m.unobserved_since as "unobservedSince", m.last_ping_at as "lastPingAt"
    from monitors m left join monitor_groups g on g.id = m.group_id
    where ${condition}
    order by m.position, m.slug limit ${limit ?? null}`;
  return rows.map(toMonitor);
}

function toMonitor({ kind, url, options, ...rest }: MonitorRow): Monitor {
  if (kind === 'manual') return { ...rest, kind };
  if (kind === 'http') return { ...rest, kind, url: url ?? '', options: { ...httpDefaults, ...options } };
  if (kind === 'tcp') return { ...rest, kind, url: url ?? '' };
  const { periodSeconds = rest.everySeconds, graceSeconds = 0 } = options;
  return { ...rest, kind, options: { periodSeconds, graceSeconds } };
}

/** Returns the condition for selectMonitors that matches the named monitor. */
function whereMonitor(sql: Sql | Transaction, ref: MonitorRef): Fragment {
  if ('slug' in ref) return sql`m.page_id = ${ref.pageId} and m.slug = ${ref.slug}`;
  const id = parseId<MonitorId>(ref.id);
  return id === undefined ? sql`false` : sql`m.id = ${id}`;
}

/**
 * Locks the page of a monitor, and then all its monitors, until the transaction ends. So pausing a page and changing its
 * monitors happen one after the other.
 *
 * @throws ServiceError `notFound` when there is no such monitor.
 */
export async function lockMonitor(
  tx: Transaction,
  ref: MonitorRef,
): Promise<{ monitor: Monitor; pagePaused: boolean }> {
  const [page] = await tx<{ id: PageId; paused: boolean }[]>`
    select p.id, p.monitoring_paused as paused from pages p
    where p.id = (select m.page_id from monitors m join pages p on p.id = m.page_id where ${whereMonitor(tx, ref)})
    for no key update`;
  if (page !== undefined) await lockMonitorsOf(tx, page.id);
  const [monitor] = await selectMonitors(tx, whereMonitor(tx, ref));
  if (page === undefined || monitor === undefined) throw await noSuchMonitor(tx, ref);
  return { monitor, pagePaused: page.paused };
}

async function noSuchMonitor(sql: Sql | Transaction, ref: MonitorRef): Promise<ServiceError> {
  if ('id' in ref) {
    return new ServiceError('notFound', { message: `There is no monitor with the id "${ref.id}".` });
  }
  const [page] = await sql<{ slug: string }[]>`select slug from pages where id = ${ref.pageId}`;
  return new ServiceError('notFound', {
    message: `The page "${page?.slug}" has no monitor with the slug "${ref.slug}".`,
  });
}

/**
 * Returns when the first check of a monitor that starts now is due: at a random time within its interval and within a minute,
 * so that the checks of monitors that were created together do not stay together.
 */
export function firstDueAt(now: number, everySeconds: number): Date {
  return new Date(now + Math.floor(Math.random() * Math.min(everySeconds * 1000, minuteMs)));
}
