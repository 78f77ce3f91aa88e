import type { ChannelKind, ChannelSettings } from '../../../contract/channels.js';
import { discordRequest } from './discord.js';
import { gotifyRequest } from './gotify.js';
import { mattermostRequest } from './mattermost.js';
import type { ChannelMessage, Format, ProviderOrigins, ProviderRequest } from './message.js';
import { ntfyRequest } from './ntfy.js';
import { opsgenieRequest } from './opsgenie.js';
import { pagerdutyRequest } from './pagerduty.js';
import { pushoverRequest } from './pushover.js';
import { slackRequest } from './slack.js';
import { teamsRequest } from './teams.js';
import { telegramRequest } from './telegram.js';
import { webhookRequest } from './webhook.js';

const formats: Readonly<Record<ChannelKind, Format>> = {
  slack: slackRequest,
  discord: discordRequest,
  teams: teamsRequest,
  telegram: telegramRequest,
  mattermost: mattermostRequest,
  ntfy: ntfyRequest,
  gotify: gotifyRequest,
  pushover: pushoverRequest,
  pagerduty: pagerdutyRequest,
  opsgenie: opsgenieRequest,
  webhook: webhookRequest,
};

/** The request that carries a message to a channel of this kind, without the headers that change with each attempt. */
export function composeRequest(
  kind: ChannelKind,
  message: ChannelMessage,
  settings: ChannelSettings,
  origins: ProviderOrigins,
): ProviderRequest {
  return formats[kind](message, settings, origins);
}
