import {
  type ChannelKind,
  type ChannelScreen,
  type ChannelTopic,
  channelLimits,
} from '../../contract/channels.js';
import type { AttemptSchedule } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import {
  type AlarmId,
  type ChannelId,
  type ChannelMessageId,
  newId,
  type PageId,
  type SubscriberId,
} from '../../lib/ids.js';
import type { Room } from '../../lib/outbound/attempt-pool.js';
import { secondMs } from '../../lib/times.js';
import { clocksDifferMsMax, isUnclaimed, runningAttempts } from '../../sql/claim.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { QuietHours } from './channel.js';
import type { ChannelMessage } from './formats/message.js';
import { quietUntil } from './quiet-hours.js';

/** A message as it is stored: addresses may change before it is sent, and tokens of links are not stored. */
export type StoredMessage = Omit<ChannelMessage, 'links' | 'page'> & {
  /** For a team: the screen of the dashboard that shows what it is about. */
  screen?: ChannelScreen;
  /** The query of that screen. */
  query?: Readonly<Record<string, string>>;
  /** For a reader: paths on the host of the page; `confirm` and `manage` stand for those with a token of the reader. */
  readerLinks?: readonly StoredLink[];
};
export type StoredLink = { text: string } & ({ path: string } | { purpose: 'confirm' | 'manage' });

/** Limit of a whole attempt: resolving, connecting, sending and reading the answer. */
export const attemptTimeoutMs = 10 * secondMs;
/** An attempt ends at most so long after its claim, whatever the clock of another instance says. */
const leaseMs = 2 * attemptTimeoutMs + clocksDifferMsMax;

/**
 * Eleven attempts in about four hours. An outage of a provider is seldom longer, and trouble that began before that is
 * no news any more.
 */
export const messageSchedule: AttemptSchedule = {
  pausesSeconds: [5, 30, 120, 300, 600, 1_200, 1_800, 3_600, 3_600, 3_600],
  jitter: 0.1,
};

/** The pages that have a channel for a topic. */
export async function listToldPages(sql: Sql, topic: ChannelTopic): Promise<PageId[]> {
  const rows = await sql<{ id: PageId }[]>`
    select distinct c.page_id as id from channels c join pages p on p.id = c.page_id
    where c.subscriber_id is null and c.disabled_at is null and p.deleted_at is null
      and (c.topics is null or ${topic} = any (c.topics))`;
  return rows.map(({ id }) => id);
}

/** A channel that reports a topic; see lockTold(). */
export type ToldChannel = { id: ChannelId; createdAt: Date; quietHours: QuietHours | null; timeZone: string };

/**
 * Locks the channels of a page that report a topic until the transaction ends. Messages of a channel are queued one
 * transaction after the other, so that their numbers are in the order of the commits.
 */
export async function lockTold(tx: Transaction, pageId: PageId, topic: ChannelTopic): Promise<ToldChannel[]> {
  const rows = await tx<
    { id: ChannelId; createdAt: Date; from: number | null; to: number | null; timeZone: string }[]
  >`
    select c.id, c.created_at as "createdAt", c.quiet_from_minute as from, c.quiet_to_minute as to,
      p.time_zone as "timeZone"
    from channels c join pages p on p.id = c.page_id
    where c.page_id = ${pageId} and c.subscriber_id is null and c.disabled_at is null and p.deleted_at is null
      and (c.topics is null or ${topic} = any (c.topics))
    order by c.id for no key update of c`;
  return rows.map(({ from, to, ...row }) => ({
    ...row,
    quietHours: from === null || to === null ? null : { fromMinute: from, toMinute: to },
  }));
}

type NewMessage = { pageId: PageId; alarmId: AlarmId | null; message: StoredMessage; now: number };

/**
 * Queues a message for channels whose rows are locked. In quiet hours it waits until they end. A channel that has too
 * many waiting messages gives up the oldest.
 */
export async function queueMessage(
  tx: Transaction,
  channels: readonly ToldChannel[],
  { pageId, alarmId, message, now }: NewMessage,
): Promise<void> {
  if (channels.length === 0) return;
  const at = new Date(now);
  const rows = channels.map(({ id: channelId, quietHours, timeZone }) => {
    const quietEnd = quietHours === null ? undefined : quietUntil(quietHours, { timeZone, now });
    const heldUntil = quietEnd === undefined ? null : new Date(quietEnd);
    return {
      ...{ id: newId<ChannelMessageId>(now), page_id: pageId, channel_id: channelId, alarm_id: alarmId },
      ...{ event: message.event, message: tx.json(message), created_at: at },
      ...{ next_attempt_at: heldUntil ?? at, held_until: heldUntil },
    };
  });
  await tx`insert into channel_messages ${tx(rows)}`;
  await deferBehind(
    tx,
    channels.map(({ id }) => id),
  );
  await tx`
    update channel_messages set state = 'parked', finished_at = ${at},
      reason = ${`full: More than ${channelLimits.waitingPerChannel} messages waited for this channel.`}
    where id in (
      select id from (
        select id, row_number() over (partition by channel_id order by seq desc) as place
        from channel_messages where channel_id = any (${channels.map(({ id }) => id)}::uuid[]) and state = 'pending'
      ) waiting where place > ${channelLimits.waitingPerChannel})`;
}

/**
 * Makes messages due no earlier than those in front of them, which may wait for their next attempt: a channel that is down
 * costs a claim no more than its first message, however many wait.
 */
export async function deferBehind(tx: Transaction, channelIds: readonly ChannelId[]): Promise<void> {
  await tx`
    update channel_messages m set next_attempt_at = ahead.at
    from (
      select channel_id, max(next_attempt_at) as at from channel_messages
      where channel_id = any (${[...channelIds]}::uuid[]) and state = 'pending' and held_until is null
      group by channel_id) ahead
    where m.channel_id = ahead.channel_id and m.state = 'pending' and m.attempts = 0 and m.held_until is null
      and m.next_attempt_at < ahead.at`;
}

/**
 * Deletes what quiet hours hold of alarms that are over. Returns the channels that sent no message about them: they
 * need not report that it is over.
 */
export async function dropHeld(tx: Transaction, alarmId: AlarmId, now: number): Promise<Set<ChannelId>> {
  const rows = await tx<{ id: ChannelId }[]>`
    delete from channel_messages
    where alarm_id = ${alarmId} and state = 'pending' and attempts = 0 and held_until > ${new Date(now)}
    returning channel_id as id`;
  return new Set(rows.map(({ id }) => id));
}

/** A message that this instance alone may send until its lease ends. */
export type ClaimedMessage = {
  id: ChannelMessageId;
  pageId: PageId;
  pageSlug: string;
  pageName: string;
  hostname: string;
  channelId: ChannelId;
  /** The reader whose channel it is; null for a channel of the team. */
  subscriberId: SubscriberId | null;
  kind: ChannelKind;
  host: string;
  /** The sealed settings of the channel. */
  settings: Buffer;
  message: StoredMessage;
  /** Number of this attempt, from 1. */
  attempts: number;
  seq: bigint;
};

/** Whom a channel belongs to: the people who run a page, or a reader who signed up for it. */
export type Audience = 'team' | 'readers';

type Deps = { sql: Sql; clock: Clock };

/**
 * Claims due messages to a team or to readers: up to `free` in all, `perKey` for each host and `perPage` for each page.
 * Pages take turns, and the hosts of a page: what one of them has waiting delays the others by an attempt at most. Of a
 * channel, only the first message that waits is claimed; those that quiet hours hold let others pass.
 */
export async function claimMessages(
  { sql, clock }: Deps,
  { free, perKey, busy, perPage, busyPages }: Room<string>,
  audience: Audience,
): Promise<ClaimedMessage[]> {
  const now = clock.now();
  const due = sql`
    m.state = 'pending' and m.next_attempt_at <= ${new Date(now)}
    and ${isUnclaimed(sql, 'm.claimed_until', { now, leaseMs })}`;
  return sql<ClaimedMessage[]>`
    with due as (
      select m.id, m.page_id, c.host, m.next_attempt_at, m.seq,
        row_number() over (partition by m.page_id, c.host order by m.next_attempt_at, m.seq) as turn
      from channel_messages m join channels c on c.id = m.channel_id and c.disabled_at is null
      where ${due} and (c.subscriber_id is null) = ${audience === 'team'} and not exists (
        select 1 from channel_messages earlier
        where earlier.channel_id = m.channel_id and earlier.state = 'pending' and earlier.seq < m.seq
          and (earlier.held_until is null or earlier.held_until <= ${new Date(now)}))
    ), of_host as (
      select due.*, coalesce(running.attempts, 0) + row_number() over (
        partition by due.host order by due.turn, due.next_attempt_at, due.seq) as place
      from due left join ${runningAttempts(sql, busy)} as running(host, attempts) on running.host = due.host
    ), of_page as (
      select of_host.id, of_host.next_attempt_at, of_host.seq, coalesce(running.attempts, 0) + row_number() over (
        partition by of_host.page_id order by of_host.turn, of_host.next_attempt_at, of_host.seq) as place
      from of_host left join ${runningAttempts(sql, busyPages)} as running(page_id, attempts)
        on running.page_id::uuid = of_host.page_id
      where of_host.place <= ${perKey}
    ), picked as (
      select m.id from channel_messages m
      where m.id in (
        select id from of_page where place <= ${perPage} order by place, next_attempt_at, seq limit ${free})
        -- Repeated, because the server checks this condition again on rows that another instance has just claimed.
        and ${due}
      for update skip locked
    )
    update channel_messages m set claimed_until = ${new Date(now + leaseMs)}, attempts = m.attempts + 1
    from picked, channels c, pages p
    where m.id = picked.id and c.id = m.channel_id and p.id = m.page_id
    returning m.id, m.page_id as "pageId", p.slug as "pageSlug", p.name as "pageName", p.hostname,
      m.channel_id as "channelId", c.subscriber_id as "subscriberId", c.kind, c.host, c.settings, m.message, m.attempts, m.seq`;
}

/** The outcome of an attempt. */
export type AttemptOutcome = {
  /** HTTP status; null without an answer. */
  status: number | null;
  /** A class, a colon and a sentence without a secret; null when the provider took the message. */
  error: string | null;
  /** The provider's own words beside its status, which the error quotes. */
  said?: string | undefined;
  /** Whether another attempt may succeed. */
  mayRepeat: boolean;
  /** When the provider asks to be called again, in milliseconds since the epoch. */
  askedAt?: number | undefined;
  /** The chat that takes the message in place of the one it was sent to. */
  movedTo?: string | undefined;
};
