import type { AnnouncementId, DeliveryId, PageId, WebhookId } from '../../lib/ids.js';

/** A delivery that this instance alone may attempt until its lease ends. */
export type ClaimedDelivery = {
  id: DeliveryId;
  page_id: PageId;
  webhook_id: WebhookId;
  kind: string;
  /** What the delivery announces; `null` for a test. */
  announcement_id: AnnouncementId | null;
  /** The body of a test; `null` for all others. */
  body: string | null;
  /** Number of this attempt, from 1. Unique among the attempts of the delivery. */
  attempts: number;
  /** Attempts before the last replay. */
  attempts_before: number;
  url: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
};

/** The outcome of an attempt. `error` is `null` when the receiver accepted the delivery. */
export type AttemptOutcome = {
  /** Milliseconds since the epoch. */
  at: number;
  durationMs: number;
  status: number | null;
  /** A class, a colon and a sentence. */
  error: string | null;
  /** Start of the answer's body. */
  answer: string | null;
  /** The receiver answered 410 Gone: it no longer exists, and wants nothing sent again. */
  gone: boolean;
  /** When the receiver asks to be called again, in milliseconds since the epoch; `undefined` when it does not. */
  askedAt: number | undefined;
};
