import type { HeartbeatOptions, HttpOptions, MonitorKind, MonitorState } from '../../../contract/monitors.js';
import type { Clock } from '../../../lib/clock.js';
import type { MonitorId, PageId } from '../../../lib/ids.js';
import type { Fragment, Sql } from '../../../sql/open-postgres.js';

/** A monitor with all that one check of it needs. */
export type Check = {
  monitorId: MonitorId;
  pageId: PageId;
  kind: MonitorKind;
  url: string | null;
  options: Partial<HttpOptions & HeartbeatOptions>;
  /** Sealed. */
  secrets: Buffer | null;
  everySeconds: number;
  timeoutMs: number;
  failuresToDown: number;
  state: MonitorState | null;
  failures: number;
  /** Of a heartbeat: its last ping, or when it was made or resumed where that was later. */
  heardAt: Date;
  /** When all this was read. */
  readAt: Date;
};

/** The columns of a Check; `m` is the monitor. */
export function checkColumns(sql: Sql, now: number): Fragment {
  return sql`
    m.id as "monitorId", m.page_id as "pageId", m.kind, m.url, m.options, m.secrets,
    m.every_seconds as "everySeconds", m.timeout_ms as "timeoutMs", m.failures_to_down as "failuresToDown",
    m.state, m.failures, greatest(m.last_ping_at, m.resumed_at, m.created_at) as "heardAt",
    ${new Date(now)}::timestamptz as "readAt"`;
}

/** The check of a monitor that is asked for now, outside of its schedule; undefined when there is none. */
export async function findCheck(
  { sql, clock }: { sql: Sql; clock: Clock },
  id: MonitorId,
): Promise<Check | undefined> {
  const [check] = await sql<
    Check[]
  >`select ${checkColumns(sql, clock.now())} from monitors m where m.id = ${id}`;
  return check;
}
