import { below, type Format, plainText, postJson, signOf } from './message.js';

/** A message of a bot of Telegram, https://core.telegram.org/bots/api#sendmessage, in its HTML style. */
export const telegramRequest: Format = (message, { server, token = '', chat = '' }, { telegram }) => {
  const { title, page, links } = message;
  const [link] = links;
  const lines = [
    `${signOf(message)} <b>${escapeHtml(title)}</b>`,
    escapeHtml(plainText(message)),
    `<i>${escapeHtml(page)}</i> · <a href="${escapeHtml(link.url)}">${escapeHtml(link.text)}</a>`,
  ];
  return postJson(below(server ?? telegram, `bot${token}/sendMessage`), {
    chat_id: chat,
    text: lines.filter((line) => line !== '').join('\n'),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    disable_notification: message.phase === 'end',
  });
};

/** The characters that the HTML style reserves, https://core.telegram.org/bots/api#html-style. */
function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
