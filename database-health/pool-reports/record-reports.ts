import { poolReportLimits } from '../../contract/pool-reports.js';
import type { BlockId, PageId } from '../../lib/ids.js';
import { endWhenIdle, inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { beginSession, decide, type Session, type Verdict } from './decide.js';
import { loadSessions, lockPages, type PageUsage, sessionKey } from './load-held.js';
import { type IncomingReport, packReports } from './stored-reports.js';

/** A block that reports are added to. It is new until its first reports are in PostgreSQL. */
export type OpenBlock = { id: BlockId; isNew: boolean };

export type ReportsToRecord = {
  block: OpenBlock;
  /** In the order in which they are decided. */
  reports: readonly IncomingReport[];
  /** Milliseconds since the epoch. */
  now: number;
};

/** The verdict on a report, and how many its page has sent by then. There is no verdict when these are too many. */
export type Decision = { usage: PageUsage; verdict: Verdict | undefined };

/** The block is on its way to ClickHouse: nothing can be added to it, and nothing was. */
export class BlockSealed extends Error {}

/**
 * Decides about reports in one transaction that holds the locks of their pages, and adds the new ones to the block that
 * brings them to ClickHouse. However many instances do so at a time, the limits hold and each identity has one content.
 * Returns a decision for each report.
 *
 * @throws BlockSealed
 */
export async function recordReports(sql: Sql, recording: ReportsToRecord): Promise<Decision[]> {
  const { block, reports, now } = recording;
  return await inTransaction(sql, async (tx) => {
    // Sent together, run in turn: the later statements see what was committed before the first one had its locks.
    const [, used, sessions] = await Promise.all([
      endWhenIdle(tx),
      lockPages(tx, recording),
      loadSessions(tx, reports),
      block.isNew ? undefined : keepOpen(tx, block.id),
    ]);
    const changed = new Map<string, IncomingReport>();
    const decisions = reports.map((incoming): Decision => {
      const usage = countRequest(used, incoming.pageId);
      if (usage.requests > poolReportLimits.requestsPerPageAndMinute) return { usage, verdict: undefined };
      const key = sessionKey(incoming.pageId, incoming.report.session);
      const session = sessions.get(key) ?? beginSession(incoming.report, now);
      sessions.set(key, session);
      const verdict = decide(session, incoming, now);
      if (isNew(verdict)) changed.set(key, incoming);
      return { usage, verdict };
    });
    const fresh = reports.filter((_, i) => isNew(decisions[i]?.verdict));
    if (fresh.length > 0) await write(tx, recording, fresh, toSessionRows(sessions, changed, now));
    return decisions;
  });
}

/** Keeps the block from being sealed until the transaction ends: sealing waits for this lock. */
async function keepOpen(tx: Transaction, id: BlockId): Promise<void> {
  const found = await tx`select 1 from pool_blocks where id = ${id} and sealed_at is null for share`;
  if (found.count === 0) throw new BlockSealed(`Block ${id} is sealed.`);
}

/** Whether the report is new: neither refused nor a duplicate. */
export function isNew(verdict: Verdict | undefined): boolean {
  return verdict?.is === 'held' && !verdict.duplicate;
}

function countRequest(used: Map<PageId, PageUsage>, pageId: PageId): PageUsage {
  const before = used.get(pageId);
  if (before === undefined) throw new Error('PostgreSQL answered without the row of a page.');
  const usage = { ...before, requests: before.requests + 1 };
  used.set(pageId, usage);
  return usage;
}

function toSessionRows(
  sessions: ReadonlyMap<string, Session>,
  changed: ReadonlyMap<string, IncomingReport>,
  now: number,
) {
  return [...changed].flatMap(([key, { pageId, report }]) => {
    const session = sessions.get(key);
    if (session === undefined) return [];
    const { service, environment, revision, hourReports, hourPools } = session;
    return {
      page_id: pageId,
      session: report.session,
      ...{ service, environment, revision },
      started_at: new Date(session.startedAt),
      hour_from: new Date(session.hourFrom),
      hour_reports: hourReports,
      hour_pools: [...hourPools],
      last_report_at: new Date(now),
    };
  });
}

type SessionRow = ReturnType<typeof toSessionRows>[number];

/** Sends its statements together, because the pages stay locked during each round trip. */
async function write(
  tx: Transaction,
  { block, now }: ReportsToRecord,
  fresh: readonly IncomingReport[],
  sessions: readonly SessionRow[],
): Promise<void> {
  const reports = fresh.map(({ pageId, report, hash }) => ({
    page_id: pageId,
    session: report.session,
    sequence: report.sequence,
    hash,
    from_at: new Date(report.from),
    to_at: new Date(report.to),
  }));
  const begun = block.isNew
    ? tx`insert into pool_blocks (id, created_at) values (${block.id}, ${new Date(now)})`
    : undefined;
  const written = tx`
    with part as (
      insert into pool_block_parts (block_id, body) values (${block.id}, ${packReports(fresh)})
    ), reported as (
      insert into pool_sessions (
        page_id, session, service, environment, revision, started_at, hour_from, hour_reports, hour_pools, last_report_at
      )
      select page_id, session, service, environment, revision, started_at, hour_from, hour_reports, hour_pools, last_report_at
      from jsonb_populate_recordset(null::pool_sessions, ${tx.json(sessions)})
      on conflict (page_id, session) do update set
        hour_from = excluded.hour_from, hour_reports = excluded.hour_reports, hour_pools = excluded.hour_pools,
        last_report_at = excluded.last_report_at
    )
    insert into pool_reports (page_id, session, sequence, body_hash, from_at, to_at)
    select page_id, session, sequence, decode(hash, 'hex'), from_at, to_at
    from jsonb_to_recordset(${tx.json(reports)}) as new
      (page_id uuid, session uuid, sequence bigint, hash text, from_at timestamptz, to_at timestamptz)`;
  await Promise.all([begun, written]);
}
