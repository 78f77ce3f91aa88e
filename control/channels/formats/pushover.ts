import { clipText } from '../../../lib/clip-text.js';
import { below, type ChannelMessage, type Format, plainText, postJson } from './message.js';

/** https://pushover.net/api#limits. */
const titleCharsMax = 250;
const messageCharsMax = 1_024;
const urlCharsMax = 512;

/** A message of Pushover, https://pushover.net/api. Priority 2 would ring until somebody confirms, so 1 is the highest. */
export const pushoverRequest: Format = (message, { token = '', user = '' }, { pushover }) => {
  const { title, page, links, at } = message;
  const [link] = links;
  return postJson(below(pushover, '1/messages.json'), {
    token,
    user,
    title: clipText(`${title} (${page})`, titleCharsMax - 1),
    message: clipText(plainText(message) || title, messageCharsMax - 1),
    priority: priorityOf(message),
    timestamp: Math.floor(Date.parse(at) / 1000),
    ...(link.url.length <= urlCharsMax && { url: link.url, url_title: link.text }),
  });
};

function priorityOf({ phase, severity }: ChannelMessage): number {
  return phase !== 'end' && severity === 'critical' ? 1 : 0;
}
