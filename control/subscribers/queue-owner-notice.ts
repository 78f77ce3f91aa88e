import type { ChannelNotice } from '../../contract/channels.js';
import type { WebhookNotice } from '../../contract/webhooks.js';
import { type EmailId, newId, type PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';

/** The content of an email to the owners of a page. */
export type OwnerNotice = WebhookNotice | ChannelNotice;

/**
 * Queues an email to each owner of a page, in the transaction of the change that it is about. Returns whether the page
 * has owners.
 *
 * @param queued.now milliseconds since the epoch
 */
export async function queueOwnerNotice(
  tx: Transaction,
  { pageId, notice, now }: { pageId: PageId; notice: OwnerNotice; now: number },
): Promise<boolean> {
  const [page] = await tx<{ owners: string[] }[]>`
    select owner_emails as owners from pages where id = ${pageId}`;
  const owners = page?.owners ?? [];
  if (owners.length === 0) return false;
  const ids = owners.map(() => newId<EmailId>(now));
  await tx`
    insert into emails (id, page_id, kind, recipient, notice, next_attempt_at, created_at)
    select made.id, ${pageId}, 'notice', made.recipient, ${tx.json(notice)}, ${new Date(now)}, ${new Date(now)}
    from unnest(${ids}::uuid[], ${owners}::text[]) as made (id, recipient)`;
  return true;
}
