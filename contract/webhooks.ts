import type { WebhookId } from '../lib/ids.js';

export const webhookLimits = {
  /** Of one page, disabled ones aside. */
  webhooksPerPage: 50,
  attempts: 8,
  /** A receiver's answer is kept up to here, in UTF-16 code units. */
  answerChars: 1_024,
  /** How long the previous secret signs along after a rotation. */
  overlapHours: 24,
} as const;

export const deliveryStates = ['pending', 'delivered', 'parked'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** `type` of the delivery that a person asks for to try a webhook out. */
export const testKind = 'webhook.test';

/** What the signing secrets of a webhook are sealed for; see secret-box.ts. */
export function secretContext(id: WebhookId): string {
  return `webhook ${id}`;
}

/** The body of a delivery, byte for byte: `data` is an incident as the ledger shows it. */
export function deliveryBody(kind: string, at: Date, data: object): string {
  return JSON.stringify({ type: kind, timestamp: at.toISOString(), data });
}
