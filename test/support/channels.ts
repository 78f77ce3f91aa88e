import type { Test } from 'tap';
import type { ChannelKind, ChannelSettings } from '../../contract/channels.js';
import type { ProviderOrigins } from '../../control/channels/formats/message.js';
import { createChannel, startChannelLoop } from '../../control/channels/index.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { createEgress } from '../../lib/outbound/egress.js';
import type { Sql } from '../../sql/open-postgres.js';
import { testActor } from './actor.js';
import { testSecretKey } from './embedded-stores.js';
import type { Reply } from './receiver.js';
import { silentLog } from './silent-log.js';

type Deps = { sql: Sql; clock: Clock };
type LoopDeps = Parameters<typeof startChannelLoop>[0];

/** Starts the loop of channels of the service, which may reach this machine, until the test ends. */
export function startTestChannelLoop(
  t: Test,
  deps: Deps & Partial<LoopDeps>,
): { stop(): Promise<void>; wake(): void } {
  const loop = startChannelLoop({
    ...{
      log: silentLog,
      secretKey: testSecretKey,
      allowPrivateAddresses: true,
      readerEgress: createEgress({ allowPrivateAddresses: true }),
      pollMs: 20,
      stopGraceMs: 300,
    },
    originOf: (hostname) => `https://${hostname}`,
    linkOf: (slug, screen) => `https://heartline.example.com/manage/pages/${slug}/${screen}`,
    alertLinkOf: ({ alertId }) => `https://heartline.example.com/manage/alert?token=${alertId}`,
    ...deps,
  });
  t.teardown(() => loop.stop());
  return loop;
}

export function makeChannel(
  deps: Deps & { origins?: ProviderOrigins },
  pageId: PageId,
  {
    kind = 'webhook',
    settings,
    ...rest
  }: {
    kind?: ChannelKind;
    settings: ChannelSettings;
    topics?: string[];
    quietHours?: { fromMinute: number; toMinute: number };
  },
) {
  const input = { pageId, kind, name: kind, settings, ...rest };
  return createChannel({ ...deps, secretKey: testSecretKey, by: testActor }, input);
}

/** Providers that are one service for everybody, all at one local receiver. */
export function originsAt(url: string): ProviderOrigins {
  const both = { us: url, eu: `${url}/eu` };
  return { telegram: url, pushover: url, ntfy: url, pagerduty: both, opsgenie: both };
}

export type MessageRow = {
  id: string;
  channel_id: string;
  event: string;
  title: string;
  state: string;
  attempts: number;
  reason: string | null;
  next_attempt_at: Date;
};

/** The messages of a channel in the order in which they were queued. */
export function loadMessages(sql: Sql, channelId: string): Promise<MessageRow[]> {
  return sql<MessageRow[]>`
    select id, channel_id, event, message ->> 'title' as title, state, attempts, reason, next_attempt_at
    from channel_messages where channel_id = ${channelId} order by seq`;
}

/** The settings of each kind, for a receiver at this address. */
export const settingsFor = (url: string): Record<ChannelKind, ChannelSettings> => ({
  slack: { url: `${url}/slack` },
  discord: { url: `${url}/discord` },
  teams: { url: `${url}/teams` },
  telegram: { token: '123456:AAH-abcdefghijklmnopqrstuvwxyz012345', chat: '-1001234' },
  mattermost: { url: `${url}/hooks/mattermost` },
  ntfy: { topic: 'acme-operations', token: 'tk_secret' },
  gotify: { server: `${url}/gotify`, token: 'A.gotify-token' },
  pushover: { token: 'a'.repeat(30), user: 'u'.repeat(30) },
  pagerduty: { routingKey: 'R'.repeat(32) },
  opsgenie: { apiKey: '0b0b0b0b-1111-2222-3333-444444444444', region: 'eu' },
  webhook: { url: `${url}/program`, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
});

export const accepted: Reply = { status: 200, body: '{"ok":true,"status":1}' };
