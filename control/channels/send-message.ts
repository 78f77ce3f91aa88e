import type { ChannelScreen } from '../../contract/channels.js';
import { linkPaths } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import type { AlertId, ChannelId } from '../../lib/ids.js';
import type { Egress } from '../../lib/outbound/egress.js';
import { signToken } from '../../lib/secrets/secret-box.js';
import { carryMessage } from './carry-message.js';
import { openSettings } from './channel-secrets.js';
import type { ChannelMessage, ProviderOrigins } from './formats/message.js';
import type { MessageOutcome } from './judge-answer.js';
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
  /** The address at which whoever reads a channel sees and answers an alert; `undefined` when there is none. */
  alertLinkOf(alert: { alertId: AlertId; channelId: ChannelId }): string | undefined;
  /** Limit of a whole attempt; 10 s when absent. */
  timeoutMs?: number;
};

/** Sends a message once. Rejects only when `signal` is aborted; the outcome is then unknown. */
export async function sendMessage(
  deps: SendDeps,
  claimed: ClaimedMessage,
  signal: AbortSignal,
): Promise<MessageOutcome> {
  const settings = openSettings(deps.secretKey, claimed.channelId, claimed.settings);
  if (settings === undefined) return { status: null, error: sealedElsewhere, mayRepeat: false };
  const { id, kind, pageName } = claimed;
  const { screen, query, alert, readerLinks, ...rest } = claimed.message;
  const message = { ...rest, page: pageName, links: linksOf(deps, claimed) };
  const { timeoutMs = attemptTimeoutMs } = deps;
  return carryMessage({ ...deps, timeoutMs }, { id, kind, settings, message }, signal);
}

const sealedElsewhere =
  'secret: The settings were sealed with another HEARTLINE_SECRET_KEY; enter them once more.';

function linksOf(deps: SendDeps, claimed: ClaimedMessage): ChannelMessage['links'] {
  const { message, pageSlug, subscriberId } = claimed;
  const [first, ...others] = readerLinksOf(deps, claimed);
  if (first !== undefined) return [first, ...others];
  const { screen = 'channels', query, alert } = message;
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  const dashboard = { text: openDashboard, url: deps.linkOf(pageSlug, screen) + search };
  const isOfTeam = alert !== undefined && subscriberId === null;
  const answer = isOfTeam ? deps.alertLinkOf({ alertId: alert, channelId: claimed.channelId }) : undefined;
  return answer === undefined ? [dashboard] : [{ text: answerAlert, url: answer }, dashboard];
}

/** The link that needs no account. Providers that show one link show the first. */
const answerAlert = 'See and answer the alert';

function readerLinksOf(
  { secretKey, originOf }: SendDeps,
  { message: { readerLinks = [] }, hostname, subscriberId }: ClaimedMessage,
): ChannelMessage['links'][number][] {
  const origin = originOf(hostname);
  return readerLinks.flatMap((link) => {
    if ('path' in link) return [{ text: link.text, url: `${origin}${link.path}` }];
    if (subscriberId === null) return [];
    const token = signToken(secretKey, link.purpose, subscriberId);
    return [{ text: link.text, url: `${origin}${linkPaths[link.purpose]}?token=${token}` }];
  });
}
