export { countReceivers, countWaitingDeliveries, listLateWebhooks } from './audience.js';
export {
  type DeliveryPosition,
  listWebhookDeliveries,
  loadWebhookDelivery,
  pruneDeliveries,
  removeDeletedWebhooks,
  type WebhookAttempt,
  type WebhookDelivery,
} from './deliveries.js';
export { type DeliveryDetail, loadDeliveryDetail } from './delivery-detail.js';
export { countIncidentDeliveries } from './incident-deliveries.js';
export { startWebhookLoop, type WebhookLoopDeps } from './loop.js';
export { type LockedDelivery, replayWebhookDelivery, testWebhook } from './send-again.js';
export { disablePageWebhooks } from './stop-page.js';
export { listManagedWebhooks, listWebhooks, loadWebhook, type Webhook } from './webhook.js';
export {
  type CreatedWebhook,
  changeWebhook,
  createWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  rotateWebhook,
  type WebhookChanges,
} from './webhooks.js';
