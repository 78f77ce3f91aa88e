import { ControlError } from '../../lib/control-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { checkEmailAddress, requirePage } from './subscriber.js';

/**
 * Forgets a subscriber and the emails to it. That the address bounced or unsubscribed stays known.
 *
 * @throws ControlError for an unknown page or address.
 */
export async function removeSubscriber(
  { sql }: { sql: Sql },
  { slug, email }: { slug: string; email: string },
): Promise<{ email: string }> {
  const page = await requirePage(sql, slug);
  const address = checkEmailAddress(email);
  const removed = await sql`delete from subscribers where page_id = ${page.id} and email = ${address}`;
  if (removed.count === 0) throw new ControlError(`${address} is not a subscriber of ${slug}.`);
  return { email: address };
}
