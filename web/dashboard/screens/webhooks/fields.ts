import type { FieldErrors } from '../../reads/fetch-json.js';
import type { WebhooksTexts } from './texts.js';

/** A webhook as its form has it. `events` counts where it is not for every one. */
export type WebhookFields = { url: string; isEvery: boolean; events: string[] };

export function checkWebhook({ isEvery, events }: WebhookFields, { noEvents }: WebhooksTexts): FieldErrors {
  return isEvery || events.length > 0 ? {} : { events: noEvents };
}
