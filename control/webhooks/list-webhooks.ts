import { ControlError } from '../../lib/control-error.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { toWebhook, type Webhook, type WebhookRow } from './webhook.js';

/**
 * The webhooks of the page with this slug, disabled ones included, oldest first.
 *
 * @throws ControlError when there is no such page.
 */
export async function listWebhooks({ sql }: { sql: Sql }, { slug }: { slug: string }): Promise<Webhook[]> {
  const [page] = await sql<{ id: PageId }[]>`select id from pages where slug = ${slug}`;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  const rows = await sql<WebhookRow[]>`
    select id, page_id, url, created_at, previous_secret_until, disabled_at, disabled_reason
    from webhooks where page_id = ${page.id}
    order by created_at, id`;
  return rows.map(toWebhook);
}
