import type { AnnouncementId, PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { createBodyComposer } from './compose-body.js';
import { loadWebhookDelivery, type WebhookAttempt, type WebhookDelivery } from './deliveries.js';
import { unsignedHeaders } from './sign-a-body.js';
import { loadWebhook } from './webhook.js';

/** A delivery with the request that an attempt sends, without its signature, and the attempts that ended, newest first. */
export type DeliveryDetail = WebhookDelivery & {
  request: {
    method: 'POST';
    url: string;
    headers: { name: string; value: string }[];
    /** `null` when what it announces was deleted. */
    body: string | null;
  };
  pastAttempts: WebhookAttempt[];
};

/** Loads one delivery of a webhook, with its last `attemptsMax` attempts. @throws ServiceError `notFound` */
export async function loadDeliveryDetail(
  { sql }: { sql: Sql },
  { attemptsMax, ...ref }: { id: string; pageId: PageId; webhookId: string; attemptsMax: number },
): Promise<DeliveryDetail> {
  const webhook = await loadWebhook({ sql }, { id: ref.webhookId, pageId: ref.pageId });
  const delivery = await loadWebhookDelivery({ sql }, ref);
  const { id, lastAttempt } = delivery;
  const [source] = await sql<{ announcementId: AnnouncementId | null; body: string | null }[]>`
    select announcement_id as "announcementId", body from webhook_deliveries where page_id = ${ref.pageId} and id = ${id}`;
  const body = source && (await createBodyComposer({ sql })(source));
  const pastAttempts = await sql<WebhookAttempt[]>`
    select at, duration_ms as "durationMs", status, error, answer from webhook_attempts
    where delivery_id = ${id} order by attempt desc limit ${attemptsMax}`;
  const headers = unsignedHeaders({ id, at: lastAttempt?.at.getTime() });
  return {
    ...delivery,
    request: {
      ...{ method: 'POST', url: webhook.url, body: body ?? null },
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    },
    pastAttempts,
  };
}
