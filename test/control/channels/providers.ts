import type { ChannelKind } from '../../../contract/channels.js';
import type { Received, Reply } from '../../support/receiver.js';

/** Answers as the documentation of a provider says, and refuses what it says that the provider refuses. */
export type Provider = (request: Received) => Reply;

type Body = Record<string, unknown>;
const bodyOf = ({ body, headers }: Received): Body | undefined => {
  if (!headers['content-type']?.startsWith('application/json')) return undefined;
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : undefined;
};
const isText = (value: unknown, max: number): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= max;
const json = (status: number, body: object): Reply => ({
  ...{ status, headers: { 'content-type': 'application/json' } },
  body: JSON.stringify(body),
});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, “Handling errors”. */
const slack: Provider = (request) => {
  const body = bodyOf(request);
  if (request.path !== '/slack') return { status: 404, body: 'no_service' };
  if (body === undefined || !isText(body['text'], 40_000)) return { status: 400, body: 'invalid_payload' };
  const blocks = list(body['blocks']);
  const types = new Set(['header', 'section', 'context', 'divider', 'actions']);
  const areGood = blocks.length <= 50 && blocks.every((block) => types.has(Object(block).type));
  return areGood ? { status: 200, body: 'ok' } : { status: 400, body: 'invalid_blocks' };
};

/** https://discord.com/developers/docs/resources/webhook#execute-webhook: 204 unless `wait` is asked for. */
const discord: Provider = (request) => {
  const body = bodyOf(request);
  if (request.path !== '/discord') return json(404, { code: 10015, message: 'Unknown Webhook' });
  const embeds = list(body?.['embeds']);
  const areGood =
    embeds.length >= 1 && embeds.length <= 10 && embeds.every((embed) => isText(Object(embed).title, 256));
  return areGood ? { status: 204 } : json(400, { code: 50006, message: 'Cannot send an empty message' });
};

/** https://learn.microsoft.com/connectors/teams: 202 for what the workflow takes. */
const teams: Provider = (request) => {
  const body = bodyOf(request);
  const [attachment] = list(body?.['attachments']).map(Object);
  const isCard =
    body?.['type'] === 'message' &&
    attachment?.contentType === 'application/vnd.microsoft.card.adaptive' &&
    attachment?.content?.type === 'AdaptiveCard' &&
    /^1\.[0-5]$/.test(attachment?.content?.version);
  return request.path === '/teams' && isCard ? { status: 202 } : json(400, { error: { code: 'BadRequest' } });
};

/** https://core.telegram.org/bots/api#making-requests. */
const telegram: Provider = (request) => {
  const body = bodyOf(request);
  const [, method] = /^\/bot\d+:[\w-]+\/(\w+)$/.exec(request.path) ?? [];
  if (method !== 'sendMessage') return json(404, { ok: false, error_code: 404, description: 'Not Found' });
  const isGood = isText(body?.['text'], 5_000) && isText(body?.['chat_id'], 40);
  return isGood
    ? json(200, { ok: true, result: { message_id: 1 } })
    : json(400, { ok: false, error_code: 400, description: 'Bad Request: message text is empty' });
};

/** https://developers.mattermost.com/integrate/webhooks/incoming. */
const mattermost: Provider = (request) => {
  const body = bodyOf(request);
  const hasText = isText(body?.['text'], 16_383) || list(body?.['attachments']).length > 0;
  return request.path === '/hooks/mattermost' && hasText
    ? { status: 200, body: 'ok' }
    : json(400, { id: 'web.incoming_webhook.text.app_error' });
};

/** https://docs.ntfy.sh/publish/#publish-as-json: to the root of the server. */
const ntfy: Provider = (request) => {
  const body = bodyOf(request);
  if (request.headers['authorization'] !== 'Bearer tk_secret')
    return json(401, { code: 40101, error: 'unauthorized' });
  const priority = Number(body?.['priority']);
  const isGood = /^[-_A-Za-z0-9]{1,64}$/.test(String(body?.['topic'])) && priority >= 1 && priority <= 5;
  return request.path === '/' && isGood
    ? json(200, { id: 'x', event: 'message' })
    : json(400, { code: 40009 });
};

/** https://gotify.net/api-docs#/message/createMessage. */
const gotify: Provider = (request) => {
  const body = bodyOf(request);
  if (request.headers['x-gotify-key'] !== 'A.gotify-token') return json(401, { error: 'Unauthorized' });
  const isGood = isText(body?.['message'], 10_000) && Number.isInteger(body?.['priority']);
  return request.path === '/gotify/message' && isGood
    ? json(200, { id: 1 })
    : json(400, { error: 'Bad Request' });
};

/** https://pushover.net/api. */
const pushover: Provider = (request) => {
  const body = bodyOf(request);
  const isGood =
    request.path === '/1/messages.json' &&
    [body?.['token'], body?.['user']].every((key) => /^[A-Za-z0-9]{30}$/.test(String(key))) &&
    isText(body?.['message'], 1_024) &&
    isText(body?.['title'], 250) &&
    [-2, -1, 0, 1].includes(Number(body?.['priority']));
  return isGood
    ? json(200, { status: 1, request: 'x' })
    : json(400, { status: 0, errors: ['message cannot be blank'] });
};

/** https://developer.pagerduty.com/docs/events-api-v2-overview and …/send-change-event. */
const pagerduty: Provider = (request) => {
  const body = bodyOf(request);
  const payload = Object(body?.['payload']);
  const hasKey = /^[A-Za-z0-9]{32}$/.test(String(body?.['routing_key']));
  const hasPayload = isText(payload.summary, 1_024) && isText(payload.source, 1_024);
  const refused = json(400, { status: 'invalid event', message: 'Event object is invalid', errors: [] });
  const taken = json(202, { status: 'success', message: 'Event processed' });
  if (request.path === '/v2/change/enqueue')
    return hasKey && isText(payload.summary, 1_024) ? taken : refused;
  const isGood =
    request.path === '/v2/enqueue' &&
    ['trigger', 'acknowledge', 'resolve'].includes(String(body?.['event_action'])) &&
    isText(body?.['dedup_key'], 255) &&
    ['critical', 'error', 'warning', 'info'].includes(payload.severity);
  return hasKey && hasPayload && isGood ? taken : refused;
};

/** https://docs.opsgenie.com/docs/alert-api: asynchronous, so 202. */
const opsgenie: Provider = (request) => {
  const body = bodyOf(request);
  if (!/^GenieKey [\w-]{20,}$/.test(request.headers['authorization'] ?? ''))
    return json(403, { message: 'Forbidden' });
  const isClose = /^\/eu\/v2\/alerts\/[\w-]+\/close\?identifierType=alias$/.test(request.path);
  const isAlert =
    request.path === '/eu/v2/alerts' &&
    isText(body?.['message'], 130) &&
    /^P[1-5]$/.test(String(body?.['priority']));
  return isClose || isAlert
    ? json(202, { result: 'Request will be processed' })
    : json(422, { message: 'Invalid' });
};

/** Any program. */
const webhook: Provider = (request) => (bodyOf(request) === undefined ? { status: 400 } : { status: 204 });

export const providers: Readonly<Record<ChannelKind, Provider>> = {
  ...{ slack, discord, teams, telegram, mattermost, ntfy, gotify, pushover, pagerduty, opsgenie, webhook },
};
