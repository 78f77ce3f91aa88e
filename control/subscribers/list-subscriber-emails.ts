import type { EmailKind, EmailState } from '../../contract/subscribers.js';
import type { EmailId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { requirePage } from './subscriber.js';

export type SubscriberEmail = {
  id: EmailId;
  kind: EmailKind;
  email: string;
  state: EmailState;
  attempts: number;
  createdAt: Date;
  /** While it is pending. */
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
  /** Of the last failure. */
  reason: string | null;
};

/**
 * Emails of a page, newest first.
 *
 * @throws ControlError when there is no such page.
 */
export async function listSubscriberEmails(
  { sql }: { sql: Sql },
  { slug, state, limit }: { slug: string; state?: EmailState; limit: number },
): Promise<SubscriberEmail[]> {
  const page = await requirePage(sql, slug);
  return sql<SubscriberEmail[]>`
    select e.id, e.kind, s.email, e.state, e.attempts, e.created_at as "createdAt",
      case when e.state = 'pending' then e.next_attempt_at end as "nextAttemptAt",
      e.finished_at as "finishedAt", e.reason
    from emails e join subscribers s on s.id = e.subscriber_id
    where e.page_id = ${page.id} ${state === undefined ? sql`` : sql`and e.state = ${state}`}
    order by e.id desc limit ${limit}`;
}
