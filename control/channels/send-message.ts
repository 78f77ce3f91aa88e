import type { ChannelScreen, ChannelSettings } from '../../contract/channels.js';
import { linkPaths } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import type { Egress } from '../../lib/outbound/egress.js';
import { signatureOf, timestampOf } from '../../lib/outbound/standard-webhooks.js';
import { signToken } from '../../lib/secrets/secret-box.js';
import { post } from '../delivery/index.js';
import { openSettings } from './channel-secrets.js';
import { composeRequest } from './formats/compose-request.js';
import type { ChannelMessage, ProviderOrigins, ProviderRequest } from './formats/message.js';
import { judgeAnswer, type MessageOutcome } from './judge-answer.js';
import { attemptTimeoutMs, type ClaimedMessage } from './queue.js';
import { openDashboard } from './test-message.js';

export type SendDeps = {
  egress: Egress;
  clock: Clock;
  secretKey: string;
  origins: ProviderOrigins;
  /** Where the pages of a host are reached, such as `https://status.example.com`. */
  originOf(hostname: string): string;
  /** The address of a screen of the dashboard, without a query. */
  linkOf(pageSlug: string, screen: ChannelScreen): string;
  /** Limit of a whole attempt; 10 s when absent. */
  timeoutMs?: number;
};

/** Sends a message once. Rejects only when `signal` is aborted; the outcome is then unknown. */
export async function sendMessage(
  deps: SendDeps,
  claimed: ClaimedMessage,
  signal: AbortSignal,
): Promise<MessageOutcome> {
  const { clock, egress, timeoutMs = attemptTimeoutMs } = deps;
  const settings = openSettings(deps.secretKey, claimed.channelId, claimed.settings);
  if (settings === undefined) return { status: null, error: sealedElsewhere, mayRepeat: false };
  const { url, headers, body } = prepare(deps, claimed, settings);
  const answer = await post(egress, { url, headers, body, timeoutMs, signal });
  return answer.status === null
    ? { status: null, error: answer.error, mayRepeat: answer.kind !== 'url' }
    : judgeAnswer({ kind: claimed.kind, settings }, answer, clock.now());
}

const sealedElsewhere =
  'secret: The settings were sealed with another HEARTLINE_SECRET_KEY; enter them once more.';

function prepare(deps: SendDeps, claimed: ClaimedMessage, settings: ChannelSettings): ProviderRequest {
  const { origins, clock } = deps;
  const { id, kind, message, pageName } = claimed;
  const { screen, query, readerLinks, ...rest } = message;
  const whole = { ...rest, page: pageName, links: linksOf(deps, claimed) };
  const request = composeRequest(kind, whole, settings, origins);
  if (kind !== 'webhook') return request;
  const at = clock.now();
  const signed = settings.secret && signatureOf([settings.secret], { id, at, body: request.body });
  const headers = { ...request.headers, 'webhook-id': id, 'webhook-timestamp': timestampOf(at), ...signed };
  return { ...request, headers };
}

function linksOf(
  { secretKey, linkOf, originOf }: SendDeps,
  {
    message: { screen = 'channels', query, readerLinks = [] },
    hostname,
    pageSlug,
    subscriberId,
  }: ClaimedMessage,
): ChannelMessage['links'] {
  const origin = originOf(hostname);
  const links = readerLinks.flatMap((link) => {
    if ('path' in link) return [{ text: link.text, url: `${origin}${link.path}` }];
    if (subscriberId === null) return [];
    const token = signToken(secretKey, link.purpose, subscriberId);
    return [{ text: link.text, url: `${origin}${linkPaths[link.purpose]}?token=${token}` }];
  });
  const [first, ...others] = links;
  if (first !== undefined) return [first, ...others];
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  return [{ text: openDashboard, url: linkOf(pageSlug, screen) + search }];
}
