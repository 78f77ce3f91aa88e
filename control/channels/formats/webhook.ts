import { type Format, postJson } from './message.js';

/** The message as it is, for a program; docs/channels.md describes the fields. The sender signs it. */
export const webhookRequest: Format = (message, { url = '' }) => {
  const { event, at, ...data } = message;
  return postJson(url, { type: event, timestamp: at, data });
};
