export const webhookLimits = {
  /** Enabled webhooks of a page. */
  webhooksPerPage: 50,
  /** Webhooks of a page, disabled ones included. */
  allWebhooksPerPage: 200,
  /** Length to which the answer of a receiver is stored, in UTF-16 code units. */
  answerChars: 1_024,
  /** Time after a rotation in which the previous secret also signs. */
  overlapHours: 24,
} as const;

export const deliveryStates = ['pending', 'delivered', 'parked'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** `type` of a delivery that tests a webhook. */
export const testKind = 'webhook.test';

/** Stands for every event in the filter of a webhook. */
export const allEvents = 'all';

/** The highest number of parked deliveries that a notice gives; above it, the notice says “more than 1,000”. */
export const countedDeliveriesMax = 1_000;

/** An email to the owners of a page about a webhook. */
export type WebhookNotice = {
  /** A delivery was parked, or the receiver answered 410 Gone, which disabled the webhook. */
  what: 'parked' | 'disabled';
  webhookId: string;
  /** Origin of the URL, such as `https://hooks.example.com`. The rest of a URL may be a secret. */
  origin: string;
  /** Attempts of the delivery that was parked. */
  attempts: number;
  lastAttempt: {
    /** ISO 8601. */
    at: string;
    /** `null` when the receiver did not answer. */
    status: number | null;
    /** A class, a colon and a sentence. */
    error: string;
  };
  /** Parked deliveries of the webhook, this one included, up to one more than `countedDeliveriesMax`. */
  parked: number;
};
