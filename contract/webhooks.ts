import type { WebhookId } from '../lib/ids.js';

export const webhookLimits = {
  /** Enabled webhooks of a page. */
  webhooksPerPage: 50,
  attempts: 8,
  /** Length to which the answer of a receiver is stored, in UTF-16 code units. */
  answerChars: 1_024,
  /** Time after a rotation in which the previous secret also signs. */
  overlapHours: 24,
} as const;

export const deliveryStates = ['pending', 'delivered', 'parked'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** `type` of a delivery that tests a webhook. */
export const testKind = 'webhook.test';

/** What the signing secrets of a webhook are sealed for; see secret-box.ts. */
export function secretContext(id: WebhookId): string {
  return `webhook ${id}`;
}

/** The body of a delivery, byte for byte: `data` is an incident as the ledger shows it. */
export function deliveryBody(kind: string, at: Date, data: object): string {
  return JSON.stringify({ type: kind, timestamp: at.toISOString(), data });
}
