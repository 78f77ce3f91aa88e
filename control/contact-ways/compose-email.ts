import type { ContactWayKind } from '../../contract/manage/contact-ways.js';
import { type EmailLayout, renderEmailHtml } from '../../web/mails/email-layout.js';
import { renderEmailText } from '../../web/mails/email-text.js';
import { textsOf } from '../../web/texts/texts-of.js';
import type { ChannelMessage } from '../channels/index.js';
import type { OutgoingMessage } from '../subscribers/index.js';
import type { WaySettings } from './parse-way.js';

/** A message with the way that it goes. */
export type WayLetter = {
  id: string;
  kind: ContactWayKind;
  settings: WaySettings;
  /** Language of the person; BCP 47 tag. */
  language: string;
  message: ChannelMessage;
};

/**
 * Composes the email of an alert, which is short: what it is about, and the link. The emails about one alert have one
 * thread. It comes from the installation.
 */
export function composeWayEmail(
  { id, language, message }: Pick<WayLetter, 'id' | 'language' | 'message'>,
  { from, to, now }: { from: string | undefined; to: string; now: number },
): OutgoingMessage {
  const { title, text, facts, page, links, phase, key } = message;
  const { way, language: written } = textsOf('account-mail', language);
  const [link] = links;
  const { origin, hostname } = new URL(link.url);
  const subject = oneLine(phase === 'note' ? title : `[${page}] ${title}`);
  const layout: EmailLayout = {
    brand: { name: oneLine(page), url: `${origin}/manage` },
    ...{ language: written, subject, title: oneLine(title), text: { plain: text } },
    facts: facts.map(({ name, value }) => [oneLine(name), oneLine(value)]),
    button: { text: link.text, url: link.url },
    note: phase === 'note' ? way.own : way.note,
  };
  return {
    messageId: `${id}@${hostname}`,
    from: { name: 'Heartline', address: from ?? `no-reply@${hostname}` },
    ...{ to, date: new Date(now), subject },
    ...{ text: renderEmailText(layout), html: renderEmailHtml(layout) },
    ...(phase !== 'note' && { thread: `${key}@${hostname}` }),
    headers: {
      'Auto-Submitted': 'auto-generated', // RFC 3834
      ...(message.severity === 'critical' && phase === 'begin' && { Importance: 'high' }), // RFC 2156
    },
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
}
