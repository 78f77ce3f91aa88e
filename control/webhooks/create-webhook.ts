import { secretContext } from '../../contract/webhooks.js';
import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import { newId, type PageId, type WebhookId } from '../../lib/ids.js';
import { problemOfOutboundUrl } from '../../lib/outbound/outbound-url.js';
import { sealSecret } from '../../lib/secret-box.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { checkRoomForWebhook, newWebhookSecret } from './webhook.js';

/** `secret` is `whsec_…`; it is in this answer and, sealed, in the database. */
export type CreatedWebhook = { id: WebhookId; secret: string };

/**
 * Makes a webhook of the page with this slug; it is told of what changes from now on.
 *
 * @throws ControlError when there is no such page, it has too many, or the URL cannot be one.
 */
export async function createWebhook(
  { sql, clock, secretKey }: { sql: Sql; clock: Clock; secretKey: string },
  { slug, url }: { slug: string; url: string },
): Promise<CreatedWebhook> {
  const problem = problemOfOutboundUrl(url);
  if (problem !== undefined) throw new ControlError(problem);
  return inTransaction(sql, async (tx) => {
    const [page] = await tx<{ id: PageId }[]>`select id from pages where slug = ${slug}`;
    if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
    await checkRoomForWebhook(tx, page.id);
    const now = clock.now();
    const id = newId<WebhookId>(now);
    const secret = newWebhookSecret();
    await tx`
      insert into webhooks (id, page_id, url, secret, created_at)
      values (${id}, ${page.id}, ${new URL(url).href}, ${sealSecret(secretKey, secretContext(id), secret)},
        ${new Date(now)})`;
    return { id, secret };
  });
}
