import { clipText } from '../../../lib/clip-text.js';
import { colorOf, type Format, postJson, senderName } from './message.js';

/** Limits of an embed, https://discord.com/developers/docs/resources/message#embed-object-embed-limits. */
const titleCharsMax = 256;
const descriptionCharsMax = 4_096;
const fieldNameCharsMax = 256;
const fieldValueCharsMax = 1_024;
const fieldsMax = 25;

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
        title: clipText(title, titleCharsMax - 1),
        ...(text !== '' && { description: clipText(escapeMarkdown(text), descriptionCharsMax - 1) }),
        url: link,
        color: colorOf(message),
        fields: facts.slice(0, fieldsMax).map(({ name, value }) => ({
          name: clipText(name, fieldNameCharsMax - 1),
          value: clipText(escapeMarkdown(value), fieldValueCharsMax - 1),
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
