import { useAddress } from '../../address/use-address.js';
import { OneDelivery } from './deliveries/one-delivery.js';
import { OneWebhook } from './one/one-webhook.js';
import { WebhookList } from './webhook-list.js';

/** The webhooks of a page, one of them with its deliveries, or one delivery; the address says which. */
export default function Webhooks() {
  const { query } = useAddress();
  const { webhook, delivery } = query;
  if (webhook === undefined) return <WebhookList />;
  if (delivery === undefined) return <OneWebhook key={webhook} id={webhook} />;
  return <OneDelivery key={delivery} webhookId={webhook} id={delivery} />;
}
