import { type ChannelNotice, channelNames } from '../../../contract/channels.js';
import { countedDeliveriesMax, type WebhookNotice } from '../../../contract/webhooks.js';
import { withPrintedCommands } from '../../../lib/printed-commands.js';
import type { NoticeMailTexts } from '../../../web/texts/areas.js';
import { textsOf } from '../../../web/texts/texts-of.js';
import type { OwnerNotice } from '../queue-owner-notice.js';
import { brandOf, type ComposeDeps, formatTime, toMessage } from './compose.js';
import type { ClaimedEmail } from './email-queue.js';
import type { OutgoingMessage } from './smtp.js';

/** The parts of an email that differ between notices. */
type Content = {
  label: string;
  title: string;
  /** In Markdown. */
  text: string;
  /** Names the webhook or channel in the subject. */
  about: string;
  facts: [string, string][];
  commands: string[];
  why: NoticeMailTexts['why'];
};

/**
 * Composes the email that tells an owner of a page that deliveries of a webhook are parked, that it was disabled, or that
 * a channel of the team did not take a message.
 */
export function composeNotice(deps: ComposeDeps, email: ClaimedEmail, notice: OwnerNotice): OutgoingMessage {
  const phrases = textsOf('notice-mail', email.language);
  const { language } = phrases;
  const brand = brandOf(deps, email);
  const { label, title, text, about, facts, commands, why } =
    notice.what === 'channel' ? describeChannel(notice, phrases) : describeWebhook(notice, phrases);
  const layout = {
    ...{ brand, language, label, title, facts },
    subject: `[${brand.name}] ${title}: ${about}`,
    text: {
      markdown: [text, ...commands.map((command) => asBlock(withPrintedCommands(command)))].join('\n\n'),
    },
    note: why({ page: brand.name }),
  };
  return toMessage(deps, email, layout, {});
}

function describeWebhook(
  { what, webhookId, origin, attempts, lastAttempt, parked }: WebhookNotice,
  phrases: NoticeMailTexts,
): Content {
  const { label, why } = phrases;
  const count = new Intl.NumberFormat(phrases.language).format(Math.min(parked, countedDeliveriesMax));
  return {
    ...{ ...phrases[what], label, why, about: new URL(origin).host },
    facts: [
      [phrases.webhook, `${origin}/…`],
      ...(what === 'parked' ? [[phrases.attempts, String(attempts)] satisfies [string, string]] : []),
      [phrases.lastAnswer, describeAnswer(lastAttempt, phrases)],
      [phrases.parkedDeliveries, parked > countedDeliveriesMax ? phrases.moreThan({ count }) : count],
    ],
    // The ids of deliveries are in the output of the command before.
    commands: [
      ...(what === 'disabled' ? [`heartline webhook enable ${webhookId}`] : []),
      `heartline webhook deliveries ${webhookId} --state parked`,
      'heartline webhook replay DELIVERY_ID',
    ],
  };
}

function describeChannel(
  { channelId, kind, name, host, message, attempts, lastAttempt }: ChannelNotice,
  phrases: NoticeMailTexts,
): Content {
  const { label, title, text, why } = phrases.channel;
  const kindName = channelNames[kind];
  return {
    ...{ label, title, text, why, about: name },
    facts: [
      [label, name === kindName ? name : `${name} (${kindName})`],
      [phrases.webhook, host],
      [phrases.channel.message, message],
      [phrases.attempts, String(attempts)],
      [phrases.lastAnswer, describeAnswer(lastAttempt, phrases, lastAttempt.said)],
    ],
    commands: [`heartline channel test ${channelId}`, `heartline channel messages ${channelId}`],
  };
}

/**
 * Returns the last answer of a server, such as `HTTP 503 (27 Nov 2026, 14:03 UTC)`, with its own words behind the status where
 * they are kept. An error is without its class and its full stop: a time in brackets follows.
 */
function describeAnswer(
  { at, status, error }: OwnerNotice['lastAttempt'],
  { language }: NoticeMailTexts,
  said?: string,
): string {
  const quoted = said === undefined ? '' : `: “${said}”`;
  const answer = status === null ? error.replace(/^\w+: /, '').replace(/\.$/, '') : `HTTP ${status}${quoted}`;
  return `${answer} (${formatTime(at, language)})`;
}

/** One block for each command, because a mail program may wrap a line. */
function asBlock(command: string): string {
  return `\`\`\`\n${command}\n\`\`\``;
}
