import type { PageId, SessionId } from '../../lib/ids.js';
import { addToWindow, windowMs } from '../../sql/count-in-window.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { Session } from './decide.js';
import type { IncomingReport } from './stored-reports.js';

/** The reports that a page has sent in its minute, and the milliseconds that are left of it. */
export type PageUsage = { requests: number; msLeft: number };

/**
 * Locks the pages of the reports, always in the same order, and adds the reports to what each page has sent in its
 * minute, which began with its first report. Returns what each page had sent before.
 *
 * @param now milliseconds since the epoch.
 */
export async function lockPages(
  tx: Transaction,
  { reports, now }: { reports: readonly IncomingReport[]; now: number },
): Promise<Map<PageId, PageUsage>> {
  const sent = new Map<PageId, number>();
  for (const { pageId } of reports) sent.set(pageId, (sent.get(pageId) ?? 0) + 1);
  const pages = [...sent].map(([page_id, requests]) => ({ page_id, requests }));
  const rows = await tx<{ page_id: PageId; requests: number; window_ends_at: Date }[]>`
    insert into pool_report_rates as held (page_id, window_ends_at, requests)
    select page_id, ${new Date(now + windowMs)}, requests
    from jsonb_to_recordset(${tx.json(pages)}) as sent (page_id uuid, requests integer)
    order by page_id
    on conflict (page_id) do update set ${addToWindow(tx, now)}
    returning page_id, requests, window_ends_at`;
  return new Map(
    rows.map((row) => {
      const requests = row.requests - (sent.get(row.page_id) ?? 0);
      return [row.page_id, { requests, msLeft: row.window_ends_at.getTime() - now }];
    }),
  );
}

export function sessionKey(pageId: PageId, session: SessionId): string {
  return `${pageId} ${session}`;
}

type Row = {
  page_id: PageId;
  session: SessionId;
  service: string;
  environment: string;
  revision: string;
  started_at: Date;
  hour_from: Date;
  hour_reports: number;
  hour_pools: string[];
};

type HeldRow = {
  page_id: PageId;
  session: SessionId;
  sequence: bigint;
  hash: string;
  from_at: Date;
  to_at: Date;
};

/** Loads the known sessions of the reports, each with the stored reports that a new one may repeat or overlap. */
export async function loadSessions(
  tx: Transaction,
  reports: readonly IncomingReport[],
): Promise<Map<string, Session>> {
  const sent = reports.map(({ pageId, report: { session, sequence, from, to } }) => {
    return { page_id: pageId, session, sequence, from_at: new Date(from), to_at: new Date(to) };
  });
  // OFFSET 0 makes the planner look them up one by one; otherwise it reads a table of 20,000 reports from end to end, in
  // 20 ms instead of 1.
  const [known, held] = await Promise.all([
    tx<Row[]>`
      select known.*
      from (select distinct page_id, session from jsonb_to_recordset(${tx.json(sent)}) as sent (page_id uuid, session uuid)) sent,
      lateral (
        select page_id, session, service, environment, revision, started_at, hour_from, hour_reports, hour_pools
        from pool_sessions where page_id = sent.page_id and session = sent.session offset 0 for update
      ) known`,
    tx<HeldRow[]>`
      select distinct held.*
      from jsonb_to_recordset(${tx.json(sent)}) as sent
        (page_id uuid, session uuid, sequence bigint, from_at timestamptz, to_at timestamptz),
      lateral (
        select page_id, session, sequence, encode(body_hash, 'hex') as hash, from_at, to_at
        from pool_reports
        where page_id = sent.page_id and session = sent.session
          and (sequence = sent.sequence or (from_at < sent.to_at and to_at > sent.from_at))
        offset 0
      ) held`,
  ]);
  const sessions = new Map(known.map((row) => [sessionKey(row.page_id, row.session), toSession(row)]));
  for (const row of held) {
    sessions.get(sessionKey(row.page_id, row.session))?.held.push({
      sequence: Number(row.sequence),
      hash: row.hash,
      from: row.from_at.getTime(),
      to: row.to_at.getTime(),
    });
  }
  return sessions;
}

function toSession(row: Row): Session {
  const { service, environment, revision } = row;
  return {
    ...{ service, environment, revision },
    startedAt: row.started_at.getTime(),
    hourFrom: row.hour_from.getTime(),
    hourReports: row.hour_reports,
    hourPools: new Set(row.hour_pools),
    held: [],
  };
}
