import {
  type HeartbeatOptions,
  type HttpOptions,
  httpDefaults,
  type MonitorKind,
  type MonitorState,
} from '../../contract/monitors.js';
import { ControlError } from '../../lib/control-error.js';
import { type MonitorId, type PageId, parseId } from '../../lib/ids.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

/** What is checked and what is expected, by the kind of the monitor. */
export type MonitorTarget =
  | { kind: 'http'; url: string; options: HttpOptions }
  | { kind: 'tcp'; url: string }
  | { kind: 'heartbeat'; options: HeartbeatOptions };

/** A monitor as an operator sees it, without the secrets of its requests. */
export type Monitor = MonitorTarget & {
  id: MonitorId;
  pageId: PageId;
  slug: string;
  /** In the default language of the page; `names` has the others, by language. */
  name: string;
  names: Record<string, string>;
  everySeconds: number;
  timeoutMs: number;
  failuresToDown: number;
  /** Whether its requests have headers or a body of their own. */
  hasSecrets: boolean;
  createdAt: Date;
  /** Of itself; a page that is paused is another matter. */
  pausedAt: Date | null;
  /** null while it or its page is paused. */
  nextDueAt: Date | null;
  /** null before the first check. */
  state: MonitorState | null;
  stateSince: Date | null;
  lastCheckedAt: Date | null;
  /** A class, a colon and a sentence; null when the last check passed. */
  lastError: string | null;
  lastPingAt: Date | null;
};

export type MonitorRef = { id: string } | { pageSlug: string; slug: string };

type MonitorRow = Omit<Monitor, keyof MonitorTarget> & {
  kind: MonitorKind;
  url: string | null;
  options: Partial<HttpOptions & HeartbeatOptions>;
};

/** Monitors for which the condition holds, in the order of their page. `m` is the monitor, `p` its page. */
export async function selectMonitors(sql: Sql | Transaction, condition: Fragment): Promise<Monitor[]> {
  const rows = await sql<MonitorRow[]>`
    select m.id, m.page_id as "pageId", m.slug, m.name, m.names, m.kind, m.url, m.options,
      m.every_seconds as "everySeconds", m.timeout_ms as "timeoutMs", m.failures_to_down as "failuresToDown",
      m.secrets is not null as "hasSecrets", m.created_at as "createdAt", m.paused_at as "pausedAt",
      m.next_due_at as "nextDueAt", m.state, m.state_since as "stateSince", m.last_checked_at as "lastCheckedAt",
      m.last_error as "lastError", m.last_ping_at as "lastPingAt"
    from monitors m join pages p on p.id = m.page_id
    where ${condition}
    order by p.slug, m.position, m.slug`;
  return rows.map(toMonitor);
}

function toMonitor({ kind, url, options, ...rest }: MonitorRow): Monitor {
  if (kind === 'http') return { ...rest, kind, url: url ?? '', options: { ...httpDefaults, ...options } };
  if (kind === 'tcp') return { ...rest, kind, url: url ?? '' };
  const { periodSeconds = rest.everySeconds, graceSeconds = 0 } = options;
  return { ...rest, kind, options: { periodSeconds, graceSeconds } };
}

/** The condition under which selectMonitors finds the one that is meant. */
export function whereMonitor(sql: Sql | Transaction, ref: MonitorRef): Fragment {
  if ('slug' in ref) return sql`p.slug = ${ref.pageSlug} and m.slug = ${ref.slug}`;
  const id = parseId<MonitorId>(ref.id);
  return id === undefined ? sql`false` : sql`m.id = ${id}`;
}

/**
 * Locks the page of a monitor and then the monitor, until the transaction ends: pausing a page and changing its
 * monitors follow each other.
 *
 * @throws ControlError when there is no such monitor.
 */
export async function lockMonitor(
  tx: Transaction,
  ref: MonitorRef,
): Promise<{ monitor: Monitor; pagePaused: boolean }> {
  const [page] = await tx<{ paused: boolean }[]>`
    select p.monitoring_paused as paused from pages p
    where p.id = (select m.page_id from monitors m join pages p on p.id = m.page_id where ${whereMonitor(tx, ref)})
    for update`;
  await tx`
    select 1 from monitors where id = (
      select m.id from monitors m join pages p on p.id = m.page_id where ${whereMonitor(tx, ref)}) for update`;
  const [monitor] = await selectMonitors(tx, whereMonitor(tx, ref));
  if (page === undefined || monitor === undefined) throw noSuchMonitor(ref);
  return { monitor, pagePaused: page.paused };
}

export function noSuchMonitor(ref: MonitorRef): ControlError {
  if ('id' in ref) return new ControlError(`There is no monitor with the id "${ref.id}".`);
  return new ControlError(`The page "${ref.pageSlug}" has no monitor with the slug "${ref.slug}".`);
}

const firstCheckWithinMs = 60_000;

/**
 * When the first check of a monitor is due that starts now: at a random time within its interval, and within a
 * minute, so that monitors which are made together are not checked together for ever.
 */
export function firstDueAt(now: number, everySeconds: number): Date {
  return new Date(now + Math.floor(Math.random() * Math.min(everySeconds * 1000, firstCheckWithinMs)));
}
