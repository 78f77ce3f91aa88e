import { type AlarmId, newId, type PageId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { listTold, type ToldMessage } from '../contact-ways/index.js';

/** Alerts that were told together, and the step of their policy; 0 for the channels of the page. */
export type ToldStep = { batchId: AlarmId; pageId: PageId; step: number; round: number };

/** Who was told. */
export type Recipient = { type: 'person' | 'channel' | 'schedule'; id: string; name: string };

/** Notes that somebody is told, or why nobody is reached. `now` is in milliseconds since the epoch. */
export async function noteTold(
  tx: Transaction,
  { batchId, pageId, step, round }: ToldStep,
  { who, reason, now }: { who?: Recipient; reason: string | null; now: number },
): Promise<void> {
  await tx`insert into alert_notices ${tx({
    ...{ id: newId<AlarmId>(now), batch_id: batchId, page_id: pageId, at: new Date(now), step, round },
    ...{ recipient_type: who?.type ?? 'nobody', recipient_id: who?.id ?? null },
    ...{ recipient_name: who?.name ?? '', reason },
  })}`;
}

/** The outcome of a message: it waits, was taken, or was given up. */
type Outcome = 'pending' | 'delivered' | 'parked';

/** Who was told of an alert, when, and with what outcome. */
export type Notice = {
  at: Date;
  step: number;
  round: number;
  type: Recipient['type'] | 'nobody';
  name: string;
  /** Why nobody was reached, or why the message was given up; null when it was taken or waits. */
  reason: string | null;
  /** null when nobody was reached, and once the message is gone, after 30 days. */
  state: Outcome | null;
  /** How a person was told. */
  ways: { kind: string; state: Outcome; reason: string | null }[];
};

type Row = Omit<Notice, 'ways'> & { recipientId: string | null };

/** Lists who was told of the alerts that were told together, the earliest first. */
export async function listNotices(
  { sql }: { sql: Sql },
  { pageId, batchId }: Pick<ToldStep, 'pageId' | 'batchId'>,
): Promise<Notice[]> {
  const rows = await sql<Row[]>`
    select n.at, n.step, n.round, n.recipient_type as type, n.recipient_id as "recipientId", n.recipient_name as name,
      coalesce(n.reason, case when m.state = 'parked' then m.reason end) as reason,
      case when n.reason is null then m.state end as state
    from alert_notices n left join lateral (
      select c.state, c.reason from channel_messages c
      where n.recipient_type = 'channel' and c.channel_id = n.recipient_id and c.alarm_id = n.batch_id
        and c.created_at = n.at
      order by c.seq limit 1) m on true
    where n.page_id = ${pageId} and n.batch_id = ${batchId} order by n.at, n.id`;
  const told = await listTold(sql, { pageId, alertKeys: [batchId] });
  return rows.map(({ recipientId, ...notice }) => {
    if (notice.type !== 'person') return { ...notice, ways: [] };
    const ways = waysOf(told, recipientId, notice.at);
    return { ...notice, ways, state: notice.reason === null ? stateOf(ways) : null };
  });
}

function waysOf(told: readonly ToldMessage[], userId: string | null, at: Date): Notice['ways'] {
  return told
    .filter((one) => one.userId === userId && one.createdAt.getTime() === at.getTime())
    .map(({ kind, state, reason }) => ({ kind, state, reason: state === 'parked' ? reason : null }));
}

/** A person is told once one of the ways has taken the message. Messages are kept for 30 days, and unknown afterwards. */
function stateOf(ways: Notice['ways']): Outcome | null {
  if (ways.length === 0) return null;
  const states = ways.map(({ state }) => state);
  if (states.includes('delivered')) return 'delivered';
  return states.includes('pending') ? 'pending' : 'parked';
}
