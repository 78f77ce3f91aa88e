import type { DeliveryState } from '../../contract/webhooks.js';
import type { DeliveryId, IncidentId, PageId, WebhookId } from '../../lib/ids.js';

/** A delivery as lists show it. */
export type WebhookDelivery = {
  id: DeliveryId;
  pageId: PageId;
  webhookId: WebhookId;
  /** null of a test. */
  incidentId: IncidentId | null;
  kind: string;
  state: DeliveryState;
  /** Why it was parked. */
  reason: string | null;
  createdAt: Date;
  /** null unless it is pending. */
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
  /** Of all attempts that were begun, also before a replay. */
  attempts: number;
  lastAttempt: WebhookAttempt | null;
};

export type WebhookAttempt = {
  at: Date;
  durationMs: number;
  /** null when there was no answer. */
  status: number | null;
  /** A class, a colon and a sentence; null when it succeeded. */
  error: string | null;
  /** Start of what the receiver answered. */
  answer: string | null;
};
