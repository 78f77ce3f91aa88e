import { clipText } from '../../../lib/clip-text.js';
import { colorOf, type Format, postJson, senderName } from './message.js';

/** A post has 16,383 characters, attachments included, https://docs.mattermost.com/developer/message-attachments.html. */
const textCharsMax = 8_000;
const valueCharsMax = 500;

/**
 * A message for an incoming webhook of Mattermost, https://developers.mattermost.com/integrate/webhooks/incoming. The
 * words of the page do not mention a channel, whatever they hold.
 */
export const mattermostRequest: Format = (message, { url = '' }) => {
  const { title, text, facts, page, link } = message;
  return postJson(url, {
    username: senderName,
    attachments: [
      {
        fallback: `${title} (${page})`,
        color: `#${colorOf(message).toString(16).padStart(6, '0')}`,
        title,
        title_link: link,
        text: escapeMarkdown(clipText(text, textCharsMax)),
        fields: facts.map(({ name, value }) => ({
          short: true,
          title: name,
          value: escapeMarkdown(clipText(value, valueCharsMax)),
        })),
        footer: page,
      },
    ],
  });
};

/** A zero-width space behind an `@` keeps `@channel` from waking everybody. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>[\]#-]/g, '\\$&').replaceAll('@', '@\u200b');
}
