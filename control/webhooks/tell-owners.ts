import { countedDeliveriesMax, type WebhookNotice } from '../../contract/webhooks.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { AttemptOutcome, ClaimedDelivery } from './delivery.js';

/**
 * Queues emails to the owners of a page in a transaction, and returns whether the page has any.
 *
 * @param queued.now milliseconds since the epoch
 */
export type QueueNotice = (
  tx: Transaction,
  queued: { pageId: PageId; notice: WebhookNotice; now: number },
) => Promise<boolean>;

/**
 * Takes the lock of the page that queued emails need, and returns whether the page has owners. A transaction that also
 * writes the webhook takes it first, as those do that create and enable webhooks; they would otherwise wait for each
 * other.
 */
export async function lockPageForNotice(tx: Transaction, pageId: PageId): Promise<boolean> {
  const [page] = await tx<{ hasOwners: boolean }[]>`
    select owner_emails <> '{}' as "hasOwners" from pages where id = ${pageId} for key share`;
  return page?.hasOwners ?? false;
}

/**
 * Tells the owners of the page that a delivery was parked or the webhook disabled, in the transaction that records it. A
 * receiver that is gone for long parks many deliveries, so there is one email about a webhook in a day. One more says
 * that the webhook was disabled, because changes are lost from then on. Returns whether emails were queued.
 */
export async function tellOwners(
  tx: Transaction,
  queueNotice: QueueNotice,
  { delivery, outcome, now }: Occasion,
): Promise<boolean> {
  const { webhook_id: webhookId, page_id: pageId } = delivery;
  const what = outcome.gone ? 'disabled' : 'parked';
  const [webhook] = await tx`
    select 1 from webhooks
    where id = ${webhookId} and (owners_told_at is null
      or owners_told_at <= ${new Date(now - dayMs)}
      -- Written before the clock was put back.
      or owners_told_at > ${new Date(now + clocksDifferMsMax)}
      or (${what} = 'disabled' and owners_told_of = 'parked'))
    for no key update`;
  if (webhook === undefined) return false;
  const [parked] = await tx<{ count: number }[]>`
    select count(*)::integer as count from (
      select 1 from webhook_deliveries where webhook_id = ${webhookId} and state = 'parked'
      limit ${countedDeliveriesMax + 1}) counted`;
  const { at, status, error } = outcome;
  const notice: WebhookNotice = {
    ...{ what, webhookId, origin: new URL(delivery.url).origin, parked: parked?.count ?? 1 },
    attempts: delivery.attempts - delivery.attempts_before,
    lastAttempt: { at: new Date(at).toISOString(), status, error: error ?? '' },
  };
  if (!(await queueNotice(tx, { pageId, notice, now }))) return false;
  await tx`
    update webhooks set owners_told_at = ${new Date(now)}, owners_told_of = ${what} where id = ${webhookId}`;
  return true;
}

type Occasion = {
  delivery: ClaimedDelivery;
  outcome: AttemptOutcome;
  /** Milliseconds since the epoch. */
  now: number;
};
