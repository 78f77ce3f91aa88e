export {
  listWebhookDeliveries,
  pruneDeliveries,
  replayWebhookDelivery,
  testWebhook,
  type WebhookAttempt,
  type WebhookDelivery,
} from './deliveries.js';
export { startWebhookLoop, type WebhookLoopDeps } from './loop.js';
export type { QueueNotice } from './tell-owners.js';
export {
  changeWebhook,
  createWebhook,
  disableWebhook,
  enableWebhook,
  listWebhooks,
  rotateWebhook,
  type Webhook,
} from './webhooks.js';
