import type { SuppressionReason } from '../../contract/subscribers.js';
import { ControlError } from '../../lib/control-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { checkEmailAddress, requirePage } from './subscriber.js';

/**
 * Lets an address get email again; it does only when it is also a confirmed subscriber.
 *
 * @throws ControlError for an unknown page, or an address that is not suppressed.
 */
export async function liftSuppression(
  { sql }: { sql: Sql },
  { slug, email }: { slug: string; email: string },
): Promise<{ email: string; reason: SuppressionReason }> {
  const page = await requirePage(sql, slug);
  const address = checkEmailAddress(email);
  const [lifted] = await sql<{ reason: SuppressionReason }[]>`
    delete from suppressions where page_id = ${page.id} and email = ${address} returning reason`;
  if (lifted === undefined) throw new ControlError(`${address} is not suppressed on ${slug}.`);
  return { email: address, reason: lifted.reason };
}
