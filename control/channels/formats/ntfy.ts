import { clipText } from '../../../lib/clip-text.js';
import { type ChannelMessage, type Format, plainText, postJson } from './message.js';

/** https://docs.ntfy.sh/publish/#limitations: a longer message becomes an attachment. In characters, of up to 4 bytes. */
const messageCharsMax = 1_000;

/** A message to a topic of ntfy as JSON, https://docs.ntfy.sh/publish/#publish-as-json. */
export const ntfyRequest: Format = (message, { server, topic = '', token }, { ntfy }) => {
  const { title, page, links } = message;
  const [link] = links;
  const body = {
    topic,
    title: clipText(`${title} (${page})`, 250),
    message: clipText(plainText(message) || title, messageCharsMax),
    priority: priorityOf(message),
    tags: [tagOf(message)],
    click: link.url,
  };
  return postJson(server ?? ntfy, body, token === undefined ? {} : { authorization: `Bearer ${token}` });
};

/** 1 to 5, of which 3 is usual, https://docs.ntfy.sh/publish/#message-priority. */
function priorityOf({ phase, severity }: ChannelMessage): number {
  if (phase === 'end') return 3;
  return { critical: 5, warning: 4, info: 3 }[severity];
}

/** Short codes that ntfy shows as emojis, https://docs.ntfy.sh/emojis. */
function tagOf({ phase, severity }: ChannelMessage): string {
  if (phase === 'end') return 'white_check_mark';
  return { critical: 'rotating_light', warning: 'warning', info: 'information_source' }[severity];
}
