import { colorOf, type Format, postJson, senderName } from './message.js';

/**
 * A message for a webhook of Discord, https://discord.com/developers/docs/resources/webhook#execute-webhook. Texts of
 * the page mention nobody, whatever they hold.
 */
export const discordRequest: Format = (message, { url = '' }) => {
  const { title, text, facts, page, links, at } = message;
  const [first, ...others] = links;
  const description = [
    escapeMarkdown(text),
    others.map((link) => `[${escapeMarkdown(link.text)}](${link.url})`).join(' · '),
  ].filter((part) => part !== '');
  return postJson(url, {
    username: senderName,
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title,
        ...(description.length > 0 && { description: description.join('\n\n') }),
        url: first.url,
        color: colorOf(message),
        fields: facts.map(({ name, value }) => ({
          name,
          value: escapeMarkdown(value),
          inline: true,
        })),
        footer: { text: page },
        timestamp: at,
      },
    ],
  });
};

/** Error messages hold `*`, `_` and the like, which are no formatting. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>[\]#-]/g, '\\$&');
}
