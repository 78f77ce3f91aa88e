import type { SuppressionReason } from '../../contract/subscribers.js';
import { ControlError } from '../../lib/control-error.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import type { PageId, SubscriberId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

export type Subscriber = {
  id: SubscriberId;
  email: string;
  /** BCP 47 tag. */
  language: string;
  createdAt: Date;
  confirmedAt: Date | null;
  /** Why the address gets nothing; null when it may get email. */
  suppressed: SuppressionReason | null;
};

/** @throws ControlError when there is no page with this slug. */
export async function requirePage(
  sql: Sql | Transaction,
  slug: string,
): Promise<{ id: PageId; languages: string[]; defaultLanguage: string }> {
  const [page] = await sql<{ id: PageId; languages: string[]; default_language: string }[]>`
    select id, languages, default_language from pages where slug = ${slug}`;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  return { id: page.id, languages: page.languages, defaultLanguage: page.default_language };
}

/** @throws ControlError for what is no address that email can be sent to. */
export function checkEmailAddress(text: string): string {
  const email = parseEmailAddress(text);
  if (email === undefined) throw new ControlError(`"${text}" is not an email address.`);
  return email;
}

/** Why the address gets no email of the page; undefined when it may. */
export async function loadSuppression(
  sql: Sql | Transaction,
  pageId: PageId,
  email: string,
): Promise<SuppressionReason | undefined> {
  const [row] = await sql<{ reason: SuppressionReason }[]>`
    select reason from suppressions where page_id = ${pageId} and email = ${email}`;
  return row?.reason;
}
