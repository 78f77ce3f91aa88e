import type { ChannelKind } from '../../contract/channels.js';
import type { AttemptSchedule } from '../../lib/back-off.js';
import type { ChannelId, ChannelMessageId, PageId, SubscriberId } from '../../lib/ids.js';
import { secondMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import type { Claim, Queue } from '../delivery/index.js';
import type { StoredMessage } from './formats/message.js';

/** Limit of a whole attempt: resolving, connecting, sending and reading the answer. */
export const attemptTimeoutMs = 10 * secondMs;

/**
 * Eleven attempts in about four hours. An outage of a provider is seldom longer, and trouble that began before that is
 * no news any more.
 */
export const messageSchedule: AttemptSchedule = {
  pausesSeconds: [5, 30, 120, 300, 600, 1_200, 1_800, 3_600, 3_600, 3_600],
  jitter: 0.1,
};

/** The owners of a channel: the people who run a page, or a reader who signed up for it. */
export type Audience = 'team' | 'readers';

export const messageTable = { table: 'channel_messages' };

/** The messages to the channels of an audience. Messages of one channel follow each other. */
export function messageQueue(audience: Audience): Queue {
  return {
    ...{ ...messageTable, schedule: messageSchedule, selectClaimed },
    /** An attempt ends at most so long after its claim, whatever the clock of another instance says. */
    leaseMs: 2 * attemptTimeoutMs + clocksDifferMsMax,
    selectHeads: (claim) => selectHeads(claim, audience),
  };
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
  /** Name of the channel. */
  name: string;
  host: string;
  /** The sealed settings of the channel. */
  settings: Buffer;
  message: StoredMessage;
  /** Number of this attempt, from 1. */
  attempts: number;
  seq: bigint;
};

/** Only the first message of a channel that waits may be attempted; messages that quiet hours hold let others pass. */
function selectHeads({ sql, now, isDue }: Claim, audience: Audience): Fragment {
  return sql`
    head as (
      select m.id, m.page_id, c.host as key, m.next_attempt_at, m.seq,
        row_number() over (partition by m.page_id, c.host order by m.next_attempt_at, m.seq) as turn
      from channel_messages m join channels c on c.id = m.channel_id and c.disabled_at is null
      where ${isDue('m')} and (c.subscriber_id is null) = ${audience === 'team'} and not exists (
        select 1 from channel_messages earlier
        where earlier.channel_id = m.channel_id and earlier.state = 'pending' and earlier.seq < m.seq
          and (earlier.held_until is null or earlier.held_until <= ${new Date(now)}))
    )`;
}

function selectClaimed(sql: Sql): Fragment {
  return sql`
    select m.id, m.page_id as "pageId", p.slug as "pageSlug", p.name as "pageName", p.hostname,
      m.channel_id as "channelId", c.subscriber_id as "subscriberId", c.kind, c.name, c.host, c.settings, m.message,
      m.attempts, m.seq
    from claimed m join channels c on c.id = m.channel_id join pages p on p.id = m.page_id`;
}
