import type { ChannelKind, ChannelSettings } from '../../../contract/channels.js';
import { clipText } from '../../../lib/clip-text.js';
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

/**
 * Names of monitors and errors of servers may be long. Within these, a message with every character escaped fits into
 * the smallest room that a provider has for the whole of it: the 6,000 characters of an embed of Discord.
 */
const bounds = { titleChars: 200, textChars: 1_200, facts: 6, factNameChars: 40, factValueChars: 200 };

/** The request that carries a message to a channel of this kind, without the headers that change with each attempt. */
export function composeRequest(
  kind: ChannelKind,
  message: ChannelMessage,
  settings: ChannelSettings,
  origins: ProviderOrigins,
): ProviderRequest {
  const { titleChars, textChars, facts, factNameChars, factValueChars } = bounds;
  const bounded = {
    ...message,
    title: clipText(message.title, titleChars),
    text: clipText(message.text, textChars),
    facts: message.facts.slice(0, facts).map(({ name, value }) => ({
      name: clipText(name, factNameChars),
      value: clipText(value, factValueChars),
    })),
  };
  return formats[kind](bounded, settings, origins);
}
