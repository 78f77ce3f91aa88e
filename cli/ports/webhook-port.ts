import type { Static } from 'typebox';
import type { ManagedDelivery, ManagedWebhook } from '../../contract/manage/webhooks.js';
import type { DeliveryState } from '../../contract/webhooks.js';
import type { Ref } from './ref.js';

/** `events` null: every event. */
export type WebhookSettings = { url?: string; events?: readonly string[] | null };

/** The webhooks of an installation, on its stores or over HTTP. */
export type Webhooks = {
  create(page: string, settings: WebhookSettings & { url: string }): Promise<{ id: string; secret: string }>;
  /** Oldest first. */
  list(page: string): Promise<Static<typeof ManagedWebhook>[]>;
  change(ref: Ref, settings: WebhookSettings): Promise<Static<typeof ManagedWebhook>>;
  enable(ref: Ref): Promise<Static<typeof ManagedWebhook>>;
  disable(ref: Ref): Promise<Static<typeof ManagedWebhook>>;
  remove(ref: Ref): Promise<Static<typeof ManagedWebhook>>;
  rotate(ref: Ref): Promise<{ id: string; secret: string; previousSecretUntil: string | null }>;
  /** Queues a test delivery. */
  test(ref: Ref): Promise<{ deliveryId: string }>;
  /** Newest first. */
  deliveries(
    ref: Ref,
    filter: { state?: DeliveryState | undefined; limit: number },
  ): Promise<Static<typeof ManagedDelivery>[]>;
  /** `webhook` is the id of the webhook of the delivery, which an installation elsewhere needs. */
  replay(ref: Ref & { webhook?: string | undefined }): Promise<{ id: string }>;
};
