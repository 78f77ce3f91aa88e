import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { ChannelKind, ChannelScreen, ChannelSettings } from '../../contract/channels.js';
import { linkPaths } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import type { Egress, EgressAnswer } from '../../lib/outbound/egress.js';
import { EgressError } from '../../lib/outbound/egress-error.js';
import { parseRetryAfter } from '../../lib/outbound/retry-after.js';
import { signatureOf, timestampOf } from '../../lib/outbound/standard-webhooks.js';
import { signToken } from '../../lib/secrets/secret-box.js';
import { secondMs } from '../../lib/times.js';
import { openSettings } from './channel.js';
import { composeRequest } from './formats/compose-request.js';
import type { ChannelMessage, ProviderOrigins, ProviderRequest } from './formats/message.js';
import { providerReason } from './provider-reason.js';
import { type AttemptOutcome, attemptTimeoutMs, type ClaimedMessage } from './queue.js';
import { openDashboard } from './test-message.js';

export type AttemptDeps = {
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
export async function attemptMessage(
  deps: AttemptDeps,
  claimed: ClaimedMessage,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { clock, egress, timeoutMs = attemptTimeoutMs } = deps;
  const settings = openSettings(deps.secretKey, claimed.channelId, claimed.settings);
  if (settings === undefined) return { status: null, error: sealedElsewhere, mayRepeat: false };
  const { url, headers, body } = prepare(deps, claimed, settings);
  try {
    const answer = await egress.send({
      ...{ method: 'POST', url, body, timeoutMs, signal },
      headers: { ...headers, 'user-agent': 'Heartline' },
    });
    return judgeAnswer({ kind: claimed.kind, settings }, answer, clock.now());
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return { status: null, error: `${error.kind}: ${error.message}`, mayRepeat: error.kind !== 'url' };
  }
}

const sealedElsewhere =
  'secret: The settings were sealed with another HEARTLINE_SECRET_KEY; enter them once more.';

function prepare(deps: AttemptDeps, claimed: ClaimedMessage, settings: ChannelSettings): ProviderRequest {
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
  { secretKey, linkOf, originOf }: AttemptDeps,
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

/** What the answers of a provider hold beside their status, as far as it matters. */
const telegramAnswer = Compile(
  Type.Object({
    ok: Type.Boolean(),
    parameters: Type.Optional(
      Type.Object({
        retry_after: Type.Optional(Type.Number()),
        migrate_to_chat_id: Type.Optional(
          Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
        ),
      }),
    ),
  }),
);
const pushoverAnswer = Compile(Type.Object({ status: Type.Number() }));

/** A provider that answers with one of these may take the same message later. */
const passing = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/**
 * Whether a provider took a message. What it refuses for good would hold up the messages behind it, so it is not tried
 * again: a webhook that was deleted, a token that was revoked, a chat that the bot has left. A group of Telegram that has
 * become a supergroup has another id, https://core.telegram.org/bots/api#responseparameters.
 *
 * @param now milliseconds since the epoch
 */
export function judgeAnswer(
  { kind, settings }: { kind: ChannelKind; settings: ChannelSettings },
  { status, retryAfter, body }: Pick<EgressAnswer, 'status' | 'retryAfter' | 'body'>,
  now: number,
): AttemptOutcome {
  const text = body.bytes.toString('utf8');
  const answer = parseJson(text);
  if (status >= 300 && status < 400) {
    const error = `redirect: The provider answered ${status}; redirects are not followed.`;
    return { status, error, mayRepeat: false };
  }
  const quoted = providerReason(text, answer, settings);
  const why = quoted === undefined ? '.' : `: “${quoted}”`;
  if (status < 200 || status >= 400) {
    const error = `${passing(status) ? 'status' : 'refused'}: The provider answered ${status}${why}`;
    const askedAt = askedTime(answer, retryAfter, now);
    const movedTo = kind === 'telegram' ? movedChat(answer) : undefined;
    return { status, error, said: quoted, mayRepeat: passing(status), askedAt, movedTo };
  }
  return tookIt(kind, answer)
    ? { status, error: null, mayRepeat: false }
    : {
        status,
        error: `refused: The provider answered ${status}, and that it failed${why}`,
        mayRepeat: false,
      };
}

function movedChat(said: unknown): string | undefined {
  return telegramAnswer.Check(said) ? said.parameters?.migrate_to_chat_id?.toString() : undefined;
}

/** Telegram and Pushover say in the body whether they took a message. */
function tookIt(kind: ChannelKind, said: unknown): boolean {
  if (kind === 'telegram') return telegramAnswer.Check(said) && said.ok;
  if (kind === 'pushover') return pushoverAnswer.Check(said) && said.status === 1;
  return true;
}

/** Telegram says when to call again in the body, the others in the header. */
function askedTime(said: unknown, retryAfter: string | undefined, now: number): number | undefined {
  const seconds = telegramAnswer.Check(said) ? said.parameters?.retry_after : undefined;
  return seconds === undefined ? parseRetryAfter(retryAfter, now) : now + seconds * secondMs;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
