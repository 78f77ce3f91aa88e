import type { SuppressionReason } from '../../contract/subscribers.js';
import type { SubscriberId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { requirePage, type Subscriber } from './subscriber.js';

type Input = {
  slug: string;
  /** Only the one with this address. */
  email?: string;
  /** Only those that come behind the one with this id. */
  after?: SubscriberId;
  limit: number;
};

/**
 * Subscribers of a page in the order in which they were added.
 *
 * @throws ControlError when there is no such page.
 */
export async function listSubscribers(
  { sql }: { sql: Sql },
  { slug, email, after, limit }: Input,
): Promise<Subscriber[]> {
  const page = await requirePage(sql, slug);
  const rows = await sql<
    {
      id: SubscriberId;
      email: string;
      language: string;
      created_at: Date;
      confirmed_at: Date | null;
      reason: SuppressionReason | null;
    }[]
  >`
    select s.id, s.email, s.language, s.created_at, s.confirmed_at, u.reason
    from subscribers s left join suppressions u on u.page_id = s.page_id and u.email = s.email
    where s.page_id = ${page.id}
      ${email === undefined ? sql`` : sql`and s.email = ${email}`}
      ${after === undefined ? sql`` : sql`and s.id > ${after}`}
    order by s.id limit ${limit}`;
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    language: row.language,
    createdAt: row.created_at,
    confirmedAt: row.confirmed_at,
    suppressed: row.reason,
  }));
}
