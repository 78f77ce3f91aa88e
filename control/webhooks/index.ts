export {
  listWebhookDeliveries,
  pruneDeliveries,
  replayWebhookDelivery,
  testWebhook,
  type WebhookAttempt,
  type WebhookDelivery,
} from './deliveries.js';
export { startWebhookLoop, type WebhookLoopDeps } from './loop.js';
export {
  createWebhook,
  disableWebhook,
  enableWebhook,
  listWebhooks,
  rotateWebhook,
  type Webhook,
} from './webhooks.js';
