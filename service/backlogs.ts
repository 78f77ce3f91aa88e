import { loadWaitingCopies, type WaitingCopies } from '../control/copies/index.js';
import type { Clock } from '../lib/clock.js';
import type { Sql } from '../sql/open-postgres.js';

type OutboxKind = 'email' | 'webhook' | 'channel' | 'person' | 'translation';

/** Numbers of waiting rows in PostgreSQL, for all pages together, and the age of the oldest of each kind. */
export type Backlogs = {
  /**
   * Buffered batches for the event store of the installation and for the own stores of pages, and blocks whose instance
   * has ended before it brought them to their store; blocks of pool reports.
   */
  batches: {
    store: 'default' | 'pages' | 'pool-reports';
    waiting: number;
    exhausted: number;
    removed: number;
    /** Age of the oldest that waits. */
    oldestSeconds: number;
  }[];
  /** `oldestSeconds` is the age of the oldest; of webhook deliveries and messages to channels and people, how long one has been due without an attempt. */
  outbox: { kind: OutboxKind; waiting: number; oldestSeconds: number }[];
  /** Rows that wait to be copied to ClickHouse, for the SQL of pages, by why. */
  copies: { reason: WaitingCopies['reason']; waiting: number; oldestSeconds: number }[];
  /** Every job. One that has never succeeded counts from the start of this process. */
  jobs: { name: string; successAgeSeconds: number }[];
};

type Waiting<Kind> = { kind: Kind; waiting: number; oldest: Date | null };
type Batches = { store: 'default' | 'pages'; waiting: number; exhausted: number; oldest: Date | null };

type Deps = {
  sql: Sql;
  clock: Clock;
  /** Without a translator, texts stay in one language, and none waits. */
  translates: boolean;
  jobNames: readonly string[];
  /** When this process started, in milliseconds since the epoch. */
  startedAt: number;
};

/** Loads the backlogs for the metrics of the operator, which do not tell one page from another. */
export async function loadBacklogs({ sql, clock, translates, jobNames, startedAt }: Deps): Promise<Backlogs> {
  const now = clock.now();
  const [batches, removed, blocks, outbox, copies, jobs] = await Promise.all([
    sql<Batches[]>`
      select case store when 'default' then 'default' else 'pages' end as store,
        count(*) filter (where exhausted_at is null)::integer as waiting,
        count(exhausted_at)::integer as exhausted,
        min(created_at) filter (where exhausted_at is null) as oldest
      from (
        select store, created_at, exhausted_at from delivery_batches
        -- The instance that held these has ended, and they go to the delivery buffer in a moment, if it takes them.
        union all select h.store, p.created_at, null from held_blocks h join held_parts p using (token)
          where h.held_until <= ${new Date(now)} and p.part = 0) waiting
      group by 1`,
    sql<
      { removed: bigint | null }[]
    >`select sum(removed_batches)::bigint as removed from delivery_queues where store <> 'default'`,
    sql<
      { waiting: number; oldest: Date | null }[]
    >`select count(*)::integer as waiting, min(created_at) as oldest from pool_blocks`,
    sql<Waiting<OutboxKind>[]>`
      select 'email' as kind, count(*)::integer as waiting, min(created_at) as oldest
        from (select created_at from emails where state = 'pending'
          union all select created_at from report_emails where state = 'pending') mails
      -- A delivery that waits for its next attempt, or for the one before it, waits for a receiver. The owners of its page hear
      -- of that, and the operator cannot mend it.
      union all select 'webhook', count(*)::integer, min(next_attempt_at) filter (where is_due)
        from (
          select d.next_attempt_at,
            d.next_attempt_at <= ${new Date(now)} and w.disabled_at is null and not exists (
              select 1 from webhook_deliveries earlier
              where earlier.state = 'pending' and earlier.webhook_id = d.webhook_id
                and earlier.queue = d.queue and earlier.seq < d.seq) as is_due
          from webhook_deliveries d join webhooks w on w.id = d.webhook_id
          where d.state = 'pending') pending
      -- A message is not attempted before the one in front of it.
      union all select 'channel', count(*)::integer,
          min(m.next_attempt_at) filter (where m.next_attempt_at <= ${new Date(now)})
        from channel_messages m join channels c on c.id = m.channel_id and c.disabled_at is null
        where m.state = 'pending'
      union all select 'person', count(*)::integer,
          min(next_attempt_at) filter (where next_attempt_at <= ${new Date(now)})
        from person_messages where state = 'pending'
      union all select 'translation', count(*)::integer, min(t.created_at)
        from translations t join pages p on p.id = t.page_id
        where ${translates} and t.text is null
          -- Others wait until the page publishes their languages again.
          and t.source_language = p.default_language and t.language = any (p.languages)`,
    loadWaitingCopies(sql),
    sql<{ job: string; finished_at: Date }[]>`
      select job, finished_at from job_leases where finished_at is not null`,
  ]);
  const secondsSince = (time: Date | null | undefined) =>
    time ? Math.max(0, (now - time.getTime()) / 1000) : 0;
  return {
    batches: [
      ...(['default', 'pages'] as const).map((store) => {
        const found = batches.find((row) => row.store === store);
        return {
          ...{ store, waiting: found?.waiting ?? 0, exhausted: found?.exhausted ?? 0 },
          removed: store === 'pages' ? Number(removed[0]?.removed ?? 0) : 0,
          oldestSeconds: secondsSince(found?.oldest),
        };
      }),
      ...blocks.map(({ waiting, oldest }) => ({
        ...{ store: 'pool-reports' as const, waiting, exhausted: 0, removed: 0 },
        oldestSeconds: secondsSince(oldest),
      })),
    ],
    outbox: outbox.map(({ kind, waiting, oldest }) => ({
      kind,
      waiting,
      oldestSeconds: secondsSince(oldest),
    })),
    copies: copies.map(({ reason, waiting, oldest }) => ({
      reason,
      waiting,
      oldestSeconds: secondsSince(oldest),
    })),
    jobs: jobNames.map((name) => {
      const finishedAt = jobs.find(({ job }) => job === name)?.finished_at ?? new Date(startedAt);
      return { name, successAgeSeconds: secondsSince(finishedAt) };
    }),
  };
}
