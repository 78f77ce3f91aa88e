import type {
  ChannelKind,
  ChannelMessageState,
  ChannelSettings,
  ChannelTopic,
} from '../../contract/channels.js';
import { type ChannelId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { openSettings } from './channel-secrets.js';

/** A channel as its page shows it, without the secrets that let others post there. */
export type Channel = {
  id: ChannelId;
  pageId: PageId;
  kind: ChannelKind;
  name: string;
  /** The host that messages go to, with its port. */
  host: string;
  /** The settings that are no secret. */
  settings: ChannelSettings;
  /** null for every topic. */
  topics: ChannelTopic[] | null;
  /** Minutes of the day in the time zone of the page; `to` may be on the next day. */
  quietHours: QuietHours | null;
  createdAt: Date;
  disabledAt: Date | null;
};

/** Minutes of the day, 0 to 1439. */
export type QuietHours = { fromMinute: number; toMinute: number };

/** A channel with the state of its messages. */
export type ListedChannel = Channel & {
  /** Messages that wait. */
  waiting: number;
  /** The last message that was delivered or given up. */
  last: { state: Exclude<ChannelMessageState, 'pending'>; at: Date; reason: string | null } | null;
};

export type ChannelRef = { id: string; pageId?: PageId | undefined };

/** A channel as PostgreSQL has it; `sealed` is its settings with the secrets. */
type Row = Omit<Channel, 'quietHours'> & { quietFrom: number | null; quietTo: number | null };

type SealedRow = Row & { sealed: Buffer };

const channelColumns = (sql: Sql | Transaction): Fragment => sql`
  c.id, c.page_id as "pageId", c.kind, c.name, c.host, c.open_settings as settings, c.topics,
  c.quiet_from_minute as "quietFrom", c.quiet_to_minute as "quietTo", c.created_at as "createdAt",
  c.disabled_at as "disabledAt"`;

function toChannel({ quietFrom, quietTo, ...row }: Row): Channel {
  const isQuiet = quietFrom !== null && quietTo !== null;
  return { ...row, quietHours: isQuiet ? { fromMinute: quietFrom, toMinute: quietTo } : null };
}

/** At most `limit` channels of a page, newest first, behind the one with the id `after`. */
export async function listChannels(
  { sql }: { sql: Sql },
  { pageId, limit, after }: { pageId: PageId; limit: number; after?: string | undefined },
): Promise<ListedChannel[]> {
  const behind = after === undefined ? sql`` : sql`and c.id < ${after}`;
  return selectListed(
    sql,
    sql`c.page_id = ${pageId} and c.subscriber_id is null ${behind} order by c.id desc limit ${limit}`,
  );
}

/** Whether a page has a channel of its team that is on. */
export async function hasChannel({ sql }: { sql: Sql }, pageId: PageId): Promise<boolean> {
  const rows = await sql`
    select 1 from channels
    where page_id = ${pageId} and subscriber_id is null and disabled_at is null limit 1`;
  return rows.length > 0;
}

/** @throws ServiceError `notFound` when there is no such channel. */
export async function loadChannel(
  { sql }: { sql: Sql | Transaction },
  ref: ChannelRef,
): Promise<ListedChannel> {
  const [channel] = await selectListed(sql, isChannel(sql, ref));
  if (channel === undefined) throw noSuchChannel(ref.id);
  return channel;
}

async function selectListed(sql: Sql | Transaction, condition: Fragment): Promise<ListedChannel[]> {
  type Last = {
    waiting: number;
    state: 'delivered' | 'parked' | null;
    at: Date | null;
    reason: string | null;
  };
  const rows = await sql<(Row & Last)[]>`
    select ${channelColumns(sql)}, last.state, last.finished_at as at, last.reason,
      (select count(*)::integer from channel_messages m where m.channel_id = c.id and m.state = 'pending') as waiting
    from channels c left join lateral (
      select m.state, m.finished_at, case when m.state = 'parked' then m.reason end as reason
      from channel_messages m where m.channel_id = c.id and m.state <> 'pending' order by m.seq desc limit 1
    ) last on true
    where ${condition}`;
  return rows.map(({ waiting, state, at, reason, ...row }) => ({
    ...toChannel(row),
    waiting,
    last: state === null || at === null ? null : { state, at, reason },
  }));
}

/**
 * Locks a channel until the transaction ends. Returns it with all its settings; `settings` of the result are
 * `undefined` when they were sealed with another secret key.
 *
 * @throws ServiceError `notFound` when there is no such channel.
 */
export async function lockChannel(
  tx: Transaction,
  ref: ChannelRef,
  secretKey: string,
): Promise<{ channel: Channel; settings: ChannelSettings | undefined }> {
  const [row] = await tx<SealedRow[]>`
    select ${channelColumns(tx)}, c.settings as sealed from channels c
    where ${isChannel(tx, ref)} for no key update of c`;
  if (row === undefined) throw noSuchChannel(ref.id);
  const { sealed, ...rest } = row;
  return { channel: toChannel(rest), settings: openSettings(secretKey, row.id, sealed) };
}

/** The condition on `c`, a channel, that a reference stands for. @throws ServiceError `notFound` */
function isChannel(sql: Sql | Transaction, { id, pageId }: ChannelRef): Fragment {
  const channelId = parseId<ChannelId>(id);
  if (channelId === undefined) throw noSuchChannel(id);
  return sql`c.id = ${channelId} and c.subscriber_id is null ${pageId === undefined ? sql`` : sql`and c.page_id = ${pageId}`}`;
}

function noSuchChannel(id: string): ServiceError {
  return new ServiceError('notFound', { message: `There is no channel with the id "${id.slice(0, 60)}".` });
}
