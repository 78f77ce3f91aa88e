export {
  changeWebhook,
  disablePageWebhooks,
  disableWebhook,
  enableWebhook,
  type WebhookChanges,
} from './change-webhook.js';
export {
  countIncidentDeliveries,
  countReceivers,
  countWaitingDeliveries,
  listLateWebhooks,
} from './count-deliveries.js';
export { type CreatedWebhook, createWebhook } from './create-webhook.js';
export { deleteWebhook, pruneDeliveries, removeDeletedWebhooks } from './delete-webhook.js';
export { listManagedWebhooks, listWebhooks, loadWebhook, type Webhook } from './find-webhooks.js';
export {
  type DeliveryDetail,
  type DeliveryPosition,
  listWebhookDeliveries,
  loadDeliveryDetail,
  loadWebhookDelivery,
  type WebhookAttempt,
  type WebhookDelivery,
} from './list-deliveries.js';
export { startWebhookLoop, type WebhookLoopDeps } from './loop.js';
export { type LockedDelivery, replayWebhookDelivery } from './replay-delivery.js';
export { rotateWebhook } from './rotate-secret.js';
export { testWebhook } from './test-webhook.js';
