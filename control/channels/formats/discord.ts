import { colorOf, type Format, postJson, senderName } from './message.js';

/**
 * A message for a webhook of Discord, https://discord.com/developers/docs/resources/webhook#execute-webhook. Texts of
 * the page mention nobody, whatever they hold.
 */
export const discordRequest: Format = (message, { url = '' }) => {
  const { title, text, facts, page, link, at } = message;
  return postJson(url, {
    username: senderName,
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title,
        ...(text !== '' && { description: escapeMarkdown(text) }),
        url: link,
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
