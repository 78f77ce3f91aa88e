import { clipText } from '../../../lib/clip-text.js';
import { below, type ChannelMessage, type Format, plainText, postJson, senderName } from './message.js';

/** The room for a title, https://docs.opsgenie.com/docs/alert-api#create-alert. */
const messageCharsMax = 130;

/**
 * An alert for Opsgenie, https://docs.opsgenie.com/docs/alert-api: a beginning creates one, and its end closes the one
 * with the same alias. A test closes an alert that there is not, which the API accepts, so that nobody is called.
 */
export const opsgenieRequest: Format = (message, { apiKey = '', region = 'us' }, { opsgenie }) => {
  const { phase, title, facts, page, links, key, event } = message;
  const [link] = links;
  const alerts = below(opsgenie[region], 'v2/alerts');
  const headers = { authorization: `GenieKey ${apiKey}` };
  const note = plainText(message) || title;
  if (phase !== 'begin') {
    const url = `${alerts}/${encodeURIComponent(key)}/close?identifierType=alias`;
    return postJson(url, { source: senderName, note }, headers);
  }
  return postJson(
    alerts,
    {
      message: clipText(title, messageCharsMax - 1),
      alias: key,
      description: `${note}\n${link.url}`,
      entity: page,
      source: senderName,
      tags: [event],
      details: Object.fromEntries(facts.map(({ name, value }) => [name, value])),
      priority: priorityOf(message),
    },
    headers,
  );
};

/** P1 is the highest of five. */
function priorityOf({ severity }: ChannelMessage): string {
  return { critical: 'P1', warning: 'P3', info: 'P5' }[severity];
}
