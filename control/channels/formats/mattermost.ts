import { colorOf, type Format, postJson, senderName } from './message.js';

/**
 * A message for an incoming webhook of Mattermost, https://developers.mattermost.com/integrate/webhooks/incoming. The
 * words of the page do not mention a channel, whatever they hold.
 */
export const mattermostRequest: Format = (message, { url = '' }) => {
  const { title, text, facts, page, links } = message;
  const [link] = links;
  return postJson(url, {
    username: senderName,
    attachments: [
      {
        fallback: `${title} (${page})`,
        color: `#${colorOf(message).toString(16).padStart(6, '0')}`,
        title,
        title_link: link.url,
        text: escapeMarkdown(text),
        fields: facts.map(({ name, value }) => ({
          short: true,
          title: name,
          value: escapeMarkdown(value),
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
