import { type ChannelTopic, channelLimits } from '../../contract/channels.js';
import { type AlarmId, type ChannelId, type ChannelMessageId, newId, type PageId } from '../../lib/ids.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { park } from '../delivery/index.js';
import type { QuietHours } from './find-channels.js';
import type { StoredMessage } from './formats/message.js';
import { messageTable } from './queue.js';
import { quietUntil } from './quiet-hours.js';

/** The pages that have a channel for a topic. */
export async function listToldPages(sql: Sql, topic: ChannelTopic): Promise<PageId[]> {
  const rows = await sql<{ id: PageId }[]>`
    select distinct c.page_id as id from channels c join pages p on p.id = c.page_id
    where c.subscriber_id is null and c.disabled_at is null and p.deleted_at is null
      and (c.topics is null or ${topic} = any (c.topics))`;
  return rows.map(({ id }) => id);
}

/** A channel that reports a topic; see lockTold(). */
export type ToldChannel = {
  id: ChannelId;
  name: string;
  createdAt: Date;
  quietHours: QuietHours | null;
  timeZone: string;
};

/**
 * Locks the channels of a page that report a topic until the transaction ends. Messages of a channel are queued one
 * transaction after the other, so that their numbers are in the order of the commits.
 */
export async function lockTold(tx: Transaction, pageId: PageId, topic: ChannelTopic): Promise<ToldChannel[]> {
  return lockWhere(tx, pageId, tx`(c.topics is null or ${topic} = any (c.topics))`);
}

/** As lockTold(), for channels that somebody has chosen: those of them that are on, whatever they report. */
export async function lockChannels(
  tx: Transaction,
  pageId: PageId,
  ids: readonly ChannelId[],
): Promise<ToldChannel[]> {
  return lockWhere(tx, pageId, tx`c.id = any (${[...ids]}::uuid[])`);
}

async function lockWhere(tx: Transaction, pageId: PageId, isChosen: Fragment): Promise<ToldChannel[]> {
  const rows = await tx<
    {
      id: ChannelId;
      name: string;
      createdAt: Date;
      from: number | null;
      to: number | null;
      timeZone: string;
    }[]
  >`
    select c.id, c.name, c.created_at as "createdAt", c.quiet_from_minute as from, c.quiet_to_minute as to,
      p.time_zone as "timeZone"
    from channels c join pages p on p.id = c.page_id
    where c.page_id = ${pageId} and c.subscriber_id is null and c.disabled_at is null and p.deleted_at is null
      and ${isChosen}
    order by c.id for no key update of c`;
  return rows.map(({ from, to, ...row }) => ({
    ...row,
    quietHours: from === null || to === null ? null : { fromMinute: from, toMinute: to },
  }));
}

type NewMessage = { pageId: PageId; alarmId: AlarmId | null; message: StoredMessage; now: number };

/**
 * Queues a message for channels whose rows are locked. In quiet hours it waits until they end. A channel that has too
 * many waiting messages parks the oldest.
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
  const ids = channels.map(({ id }) => id);
  await deferBehind(tx, ids);
  await park(tx, messageTable, {
    which: tx`q.id in (
      select id from (
        select id, row_number() over (partition by channel_id order by seq desc) as place
        from channel_messages where channel_id = any (${ids}::uuid[]) and state = 'pending'
      ) waiting where place > ${channelLimits.waitingPerChannel})`,
    reason: `full: More than ${channelLimits.waitingPerChannel} messages waited for this channel.`,
    now,
  });
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
 * Deletes the messages about an alarm that quiet hours hold. Returns the channels that sent no message about them: they
 * need not report that it is over.
 */
export async function dropHeld(tx: Transaction, alarmId: AlarmId, now: number): Promise<Set<ChannelId>> {
  const rows = await tx<{ id: ChannelId }[]>`
    delete from channel_messages
    where alarm_id = ${alarmId} and state = 'pending' and attempts = 0 and held_until > ${new Date(now)}
    returning channel_id as id`;
  return new Set(rows.map(({ id }) => id));
}
