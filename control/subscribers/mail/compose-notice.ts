import { countedDeliveriesMax, type WebhookNotice } from '../../../contract/webhooks.js';
import { type NoticePhrases, noticePhrases } from '../../../web/mails/notice-phrases.js';
import type { ClaimedEmail } from './claims.js';
import { brandOf, type ComposeDeps, formatTime, toMessage } from './compose.js';
import type { OutgoingMessage } from './smtp.js';

/** Composes the email that tells an owner of a page that deliveries of a webhook are parked, or that it was disabled. */
export function composeNotice(
  deps: ComposeDeps,
  email: ClaimedEmail,
  notice: WebhookNotice,
): OutgoingMessage {
  const phrases = noticePhrases(email.language);
  const { language } = phrases;
  const brand = brandOf(deps, email);
  const { title, text } = phrases[notice.what];
  const layout = {
    brand,
    language,
    subject: `[${brand.name}] ${title}: ${new URL(notice.origin).host}`,
    label: phrases.label,
    title,
    text: { markdown: [text, ...commandsFor(notice).map(asBlock)].join('\n\n') },
    facts: factsOf(notice, phrases),
    note: phrases.why(brand.name),
  };
  return toMessage(deps, email, layout, {});
}

function factsOf(
  { what, origin, attempts, lastAttempt, parked }: WebhookNotice,
  phrases: NoticePhrases,
): [string, string][] {
  const { at, status, error } = lastAttempt;
  const answer = status === null ? sentenceOf(error) : `HTTP ${status}`;
  const count = new Intl.NumberFormat(phrases.language).format(Math.min(parked, countedDeliveriesMax));
  return [
    [phrases.webhook, `${origin}/…`],
    ...(what === 'parked' ? [[phrases.attempts, String(attempts)] satisfies [string, string]] : []),
    [phrases.lastAnswer, `${answer} (${formatTime(at, phrases.language)})`],
    [phrases.parkedDeliveries, parked > countedDeliveriesMax ? phrases.moreThan(count) : count],
  ];
}

/** Returns an error without its class and its full stop: a time in brackets follows. */
function sentenceOf(error: string): string {
  return error.replace(/^\w+: /, '').replace(/\.$/, '');
}

/** One block for each command, because a mail program may wrap a line. */
function asBlock(command: string): string {
  return `\`\`\`\n${command}\n\`\`\``;
}

/** The ids of deliveries are in the output of the command before. */
function commandsFor({ what, webhookId }: WebhookNotice): string[] {
  return [
    ...(what === 'disabled' ? [`heartline webhook enable ${webhookId}`] : []),
    `heartline webhook deliveries ${webhookId} --state parked`,
    'heartline webhook replay DELIVERY_ID',
  ];
}
