import { below, type Format, postJson, senderName } from './message.js';

/**
 * An event for PagerDuty's Events API v2, https://developer.pagerduty.com/docs/events-api-v2-overview: a beginning
 * triggers an alert, and its end resolves the one with the same key. A test is a change event,
 * https://developer.pagerduty.com/docs/send-change-event: it shows among the changes of the service and calls nobody.
 */
export const pagerdutyRequest: Format = (message, { routingKey = '', region = 'us' }, { pagerduty }) => {
  const { phase, severity, title, text, facts, page, links, key, at, event } = message;
  const [link] = links;
  const details = Object.fromEntries(facts.map(({ name, value }) => [name, value]));
  const payload = {
    ...{ summary: title, source: page, timestamp: at },
    custom_details: { ...(text !== '' && { text }), ...details },
  };
  const shown = links.map(({ text, url }) => ({ href: url, text }));
  if (phase === 'note') {
    const change = { routing_key: routingKey, payload, links: shown };
    return postJson(below(pagerduty[region], 'v2/change/enqueue'), change);
  }
  return postJson(below(pagerduty[region], 'v2/enqueue'), {
    routing_key: routingKey,
    event_action: phase === 'begin' ? 'trigger' : 'resolve',
    dedup_key: key,
    payload: { ...payload, severity, class: event },
    ...{ client: senderName, client_url: link.url, links: shown },
  });
};
