import type { EmailKind, EmailState } from '../../contract/subscribers.js';
import type { EmailId, PageId } from '../../lib/ids.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

export type SubscriberEmail = {
  id: EmailId;
  pageId: PageId;
  kind: EmailKind;
  email: string;
  state: EmailState;
  attempts: number;
  createdAt: Date;
  /** `null` unless the email is pending. */
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
  /** Reason of the last failure. */
  reason: string | null;
};

type ListInput = {
  pageId: PageId;
  state?: EmailState | undefined;
  kind?: EmailKind | undefined;
  limit: number;
  /** Lists only emails behind the one with this id. */
  after?: string | undefined;
};

/** Lists the emails of a page, newest first. */
export async function listSubscriberEmails(
  { sql }: { sql: Sql },
  { pageId, state, kind, limit, after }: ListInput,
): Promise<SubscriberEmail[]> {
  return sql<SubscriberEmail[]>`
    ${selectEmails(sql)}
    where e.page_id = ${pageId}
      ${state === undefined ? sql`` : ofState(sql, state)}
      ${kind === undefined ? sql`` : sql`and e.kind = ${kind}`}
      ${after === undefined ? sql`` : sql`and e.id < ${after}`}
    order by e.id desc limit ${limit}`;
}

/** The state of parked emails as a constant, so that every plan uses their index. */
function ofState(sql: Sql, state: EmailState): Fragment {
  return state === 'parked' ? sql`and e.state = 'parked'` : sql`and e.state = ${state}`;
}

export const selectEmails = (sql: Sql | Transaction): Fragment => sql`
  select e.id, e.page_id as "pageId", e.kind, coalesce(e.recipient, s.email) as email, e.state, e.attempts,
    e.created_at as "createdAt", case when e.state = 'pending' then e.next_attempt_at end as "nextAttemptAt",
    e.finished_at as "finishedAt", e.reason
  from emails e left join subscribers s on s.id = e.subscriber_id`;
