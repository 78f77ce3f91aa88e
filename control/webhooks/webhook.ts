import { randomBytes } from 'node:crypto';
import { webhookLimits } from '../../contract/webhooks.js';
import { ControlError } from '../../lib/control-error.js';
import { type PageId, parseId, type WebhookId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';

/** A webhook as lists show it; its secret is shown when it is made, and never again. */
export type Webhook = {
  id: WebhookId;
  pageId: PageId;
  url: string;
  createdAt: Date;
  /** Until then the secret from before the last rotation signs along; null when there is none. */
  previousSecretUntil: Date | null;
  disabledAt: Date | null;
  disabledReason: string | null;
};

export type WebhookRow = {
  id: WebhookId;
  page_id: PageId;
  url: string;
  created_at: Date;
  previous_secret_until: Date | null;
  disabled_at: Date | null;
  disabled_reason: string | null;
};

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    pageId: row.page_id,
    url: row.url,
    createdAt: row.created_at,
    previousSecretUntil: row.previous_secret_until,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
  };
}

/** A signing secret as the Standard Webhooks specification writes it: 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** @throws ControlError for a text that is no id, and so is the id of no webhook. */
export function parseWebhookId(text: string): WebhookId {
  const id = parseId<WebhookId>(text);
  if (id === undefined) throw noSuchWebhook(text);
  return id;
}

export function noSuchWebhook(id: string): ControlError {
  return new ControlError(`There is no webhook with the id "${id}".`);
}

/**
 * Locks the page until the transaction ends, so that of webhooks made at once none is one too many.
 *
 * @throws ControlError when the page has as many as it may have.
 */
export async function checkRoomForWebhook(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`select 1 from pages where id = ${pageId} for update`;
  const [active] = await tx<{ count: number }[]>`
    select count(*)::integer as count from webhooks where page_id = ${pageId} and disabled_at is null`;
  if ((active?.count ?? 0) < webhookLimits.webhooksPerPage) return;
  throw new ControlError(
    `The page has ${webhookLimits.webhooksPerPage} active webhooks, which is the most; disable one first.`,
  );
}
