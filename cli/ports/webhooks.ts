import type { CommandContext } from '../core/context.js';
import { localWebhooks } from './local-webhooks.js';
import { remoteWebhooks } from './remote-webhooks.js';
import type { Webhooks } from './webhook-port.js';

export type { WebhookSettings, Webhooks } from './webhook-port.js';

export function webhooksOf(context: CommandContext): Webhooks {
  return context.remote === undefined ? localWebhooks(context) : remoteWebhooks(context.remote);
}
