import type { ContactWayKind, PersonPhase } from '../../contract/manage/contact-ways.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { ContactWayId, PageId, UserId } from '../../lib/ids.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** A message about an alert to a way of a person, with its outcome. */
export type ToldMessage = {
  alertKey: string;
  userId: UserId;
  /** How the person is called, and the email of the account. */
  personName: string;
  email: string;
  /** The id of the person for the email of the account; the way may have been deleted since. */
  wayId: ContactWayId | UserId;
  kind: ContactWayKind;
  phase: PersonPhase;
  step: number;
  severity: AlertSeverity;
  state: 'pending' | 'delivered' | 'parked';
  createdAt: Date;
  /** When quiet hours let it go; null when they do not hold it. */
  heldUntil: Date | null;
  finishedAt: Date | null;
  attempts: number;
  /** Why the last attempt failed, or why it was given up; null when it did not fail. */
  reason: string | null;
};

/** One person has ten ways, and an alert starts once, ends once, and reminds of itself now and then. */
const listedMax = 2_000;

/** Who was told of alerts of a page, when, and with what outcome: the first 2,000 messages, oldest first. */
export async function listTold(
  sql: Sql | Transaction,
  { pageId, alertKeys }: { pageId: PageId; alertKeys: readonly string[] },
): Promise<ToldMessage[]> {
  return sql<ToldMessage[]>`
    select m.alert_key as "alertKey", m.user_id as "userId", u.name as "personName", u.email, m.way_id as "wayId",
      m.kind, m.phase, m.step, m.severity, m.state, m.created_at as "createdAt",
      case when m.state = 'pending' then m.held_until end as "heldUntil", m.finished_at as "finishedAt", m.attempts,
      m.reason
    from person_messages m join users u on u.id = m.user_id
    where m.page_id = ${pageId} and m.alert_key = any (${[...alertKeys]}::text[])
    order by m.seq limit ${listedMax}`;
}

/** Deletes the messages that ended before `before`. Returns how many. */
export async function prunePersonMessages(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from person_messages where id in (
        select id from person_messages where created_at < ${before} and finished_at < ${before} limit ${chunkRows})
        and finished_at < ${before}`;
    return count;
  });
}
