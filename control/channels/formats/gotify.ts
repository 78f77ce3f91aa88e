import { below, type ChannelMessage, type Format, plainText, postJson } from './message.js';

/**
 * A message of an application of Gotify, https://gotify.net/api-docs#/message/createMessage. The token is a header, so
 * that it is in no log of a proxy.
 */
export const gotifyRequest: Format = (message, { server = '', token = '' }) => {
  const { title, page, links } = message;
  const [link] = links;
  return postJson(
    below(server, 'message'),
    {
      title: `${title} (${page})`,
      message: plainText(message) || title,
      priority: priorityOf(message),
      extras: { 'client::notification': { click: { url: link.url } } },
    },
    { 'x-gotify-key': token },
  );
};

/** The Android client makes a sound from 4 on, and insists from 8 on. */
function priorityOf({ phase, severity }: ChannelMessage): number {
  if (phase === 'end') return 4;
  return { critical: 8, warning: 5, info: 4 }[severity];
}
