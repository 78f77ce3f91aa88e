import type { AnnouncementKind, LedgerEntry } from '../../contract/incidents.js';
import { deliveryBody } from '../../contract/webhooks.js';
import type { Clock } from '../../lib/clock.js';
import {
  type AnnouncementId,
  type DeliveryId,
  type IncidentId,
  newId,
  type PageId,
  type WebhookId,
} from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** Each becomes up to a page's number of webhooks of rows, with a body of perhaps a megabyte. */
const announcementsPerRun = 20;

type AnnouncementRow = {
  id: AnnouncementId;
  page_id: PageId;
  incident_id: IncidentId;
  seq: bigint;
  kind: AnnouncementKind;
  entry: LedgerEntry;
  created_at: Date;
};

/**
 * Turns announcements into deliveries, one for each webhook that its page had when the change was made, and notes
 * on the announcement that this is done. Answers whether there were any.
 *
 * Instances do this at the same time: one skips what another has locked, as the email worker's rows, and so may be
 * done with a later announcement of an incident before the other one commits an earlier. That does no harm:
 * deliveries have the seq of their announcement, not of their insertion, and none is claimed while an earlier
 * announcement of its incident is not done (claim-webhooks.ts). Whoever sees a later announcement sees the earlier
 * ones, too: their transactions followed each other under the lock of the incident.
 */
export async function queueDeliveries({ sql, clock }: { sql: Sql; clock: Clock }): Promise<boolean> {
  return inTransaction(sql, async (tx) => {
    const announcements = await tx<AnnouncementRow[]>`
      select id, page_id, incident_id, seq, kind, entry, created_at from announcements
      where webhooks_queued_at is null
      order by seq limit ${announcementsPerRun}
      for update skip locked`;
    if (announcements.length === 0) return false;
    const now = clock.now();
    for (const announcement of announcements) await insertDeliveries(tx, announcement, now);
    await tx`
      update announcements set webhooks_queued_at = ${new Date(now)}
      where id = any(${announcements.map(({ id }) => id)}::uuid[])`;
    return true;
  });
}

async function insertDeliveries(tx: Transaction, announcement: AnnouncementRow, now: number): Promise<void> {
  const { id, page_id, incident_id, seq, kind, entry, created_at } = announcement;
  const webhooks = await tx<{ id: WebhookId }[]>`
    select id from webhooks
    where page_id = ${page_id} and disabled_at is null and created_at <= ${created_at}`;
  if (webhooks.length === 0) return;
  const ids = webhooks.map(() => newId<DeliveryId>(now));
  // The body goes to the server once, however many webhooks there are.
  await tx`
    insert into webhook_deliveries
      (id, page_id, webhook_id, announcement_id, queue, seq, kind, body, next_attempt_at, created_at)
    select delivery.id, ${page_id}, delivery.webhook_id, ${id}, ${incident_id}, ${seq}, ${kind},
      ${deliveryBody(kind, created_at, entry)}, ${new Date(now)}, ${new Date(now)}
    from unnest(${ids}::uuid[], ${webhooks.map((webhook) => webhook.id)}::uuid[]) as delivery(id, webhook_id)
    on conflict on constraint webhook_deliveries_once do nothing`;
}
