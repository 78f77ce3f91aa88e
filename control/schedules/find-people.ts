import type { PersonOnCall } from '../../contract/manage/schedules.js';
import type { PageId, UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/**
 * Finds the people with these emails who have a role on a page and may sign in, and keeps their accounts until the
 * transaction ends. Case does not matter.
 *
 * @param named emails, with the field of the body that each one is from.
 * @returns ids by email in lower case.
 * @throws ServiceError `invalidBody` that names the first one who has none.
 */
export async function findPeople(
  tx: Transaction,
  pageId: PageId,
  named: readonly { email: string; field: string }[],
): Promise<Map<string, UserId>> {
  const emails = [...new Set(named.map(({ email }) => email.toLowerCase()))];
  if (emails.length === 0) return new Map();
  const rows = await tx<{ id: UserId; email: string }[]>`
    select u.id, u.email from users u join page_roles r on r.user_id = u.id
    where r.page_id = ${pageId} and u.disabled_at is null and u.email = any (${emails}::text[])
    order by u.id for key share of u`;
  const idOf = new Map(rows.map(({ id, email }) => [email, id]));
  const missing = named.find(({ email }) => !idOf.has(email.toLowerCase()));
  if (missing === undefined) return idOf;
  throw new ServiceError('invalidBody', {
    message: `${missing.field} must be the email of somebody who has a role on the page; "${missing.email.slice(0, 254)}" has none.`,
  });
}

/** Lists at most `limit` people of a page who can be put on call, by email, behind the one with the email `after`. */
export async function listPeopleToCall(
  sql: Sql,
  { pageId, limit, after = '' }: { pageId: PageId; limit: number; after?: string | undefined },
): Promise<PersonOnCall[]> {
  return sql<PersonOnCall[]>`
    select u.email, u.name from users u join page_roles r on r.user_id = u.id
    where r.page_id = ${pageId} and u.disabled_at is null and u.email > ${after}
    order by u.email limit ${limit}`;
}
