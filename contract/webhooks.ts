export const webhookLimits = {
  /** Enabled webhooks of a page. */
  webhooksPerPage: 50,
  /** Length to which the answer of a receiver is stored, in UTF-16 code units. */
  answerChars: 1_024,
  /** Time after a rotation in which the previous secret also signs. */
  overlapHours: 24,
} as const;

export const deliveryStates = ['pending', 'delivered', 'parked'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** `type` of a delivery that tests a webhook. */
export const testKind = 'webhook.test';
