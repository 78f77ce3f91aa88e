import { type LinkRecipient, signAlertLink } from '../control/alerts/index.js';
import { startChannelLoop } from '../control/channels/index.js';
import { startPersonLoop, type WaySender } from '../control/contact-ways/index.js';
import { startDeliveryLoop } from '../control/delivery/index.js';
import { type ProbeMetrics, startProbes } from '../control/monitors/index.js';
import { createReportCourier } from '../control/reports/index.js';
import { type MailDeps, queueOwnerNotice, startEmailLoop } from '../control/subscribers/index.js';
import { startTranslationLoop } from '../control/translations/index.js';
import { startWebhookLoop } from '../control/webhooks/index.js';
import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import type { Log } from '../lib/log.js';
import type { PrivateAddresses } from '../lib/outbound/address-guard.js';
import type { Egress } from '../lib/outbound/egress.js';
import { joinPollLoops, type PollLoop } from '../lib/poll-loop.js';
import { pageOrigin } from '../lib/web-address.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../sql/open-postgres.js';
import { accountPaths, reportPath, screenPath } from '../web/account/manage-paths.js';
import type { Role } from './config.js';
import { postgresConnections } from './stores.js';

type Options = {
  roles: ReadonlySet<Role>;
  databaseUrl: string;
  clickhouse: ClickHouseClient;
  probeMetrics: ProbeMetrics;
  secretKey: string;
  clock: Clock;
  log: Log;
  /** See Config. */
  smtpUrl?: string;
  translateUrl?: string;
  allowPrivateAddresses: PrivateAddresses;
  waySender: WaySender;
  /** See ServiceOptions. */
  readerEgress?: Egress | undefined;
  deliveryPollMs?: number;
  /** Called after each change of what a page publishes. */
  onChange(pageId: PageId): void;
  /** Public address of the service. The pages share its scheme and port. */
  baseUrl: URL;
};

export type BackgroundLoops = {
  /** Delivers what was just announced at once, instead of after the pause of a loop. */
  wake(): void;
  /** Resolves when the current runs have ended. */
  stop(): Promise<void>;
};

/** Starts the background loops of the roles: `probe` checks monitors, `deliver` sends email, webhooks, and messages to channels and people. */
export function startBackgroundLoops(options: Options): BackgroundLoops {
  const { roles, secretKey, clock, log, allowPrivateAddresses } = options;
  const sql = openPostgres(options.databaseUrl, { max: postgresConnections.loops });
  const deps = { sql, clock, log, secretKey, allowPrivateAddresses };
  const deliveries = joinPollLoops(roles.has('deliver') ? startDeliveries(deps, options) : []);
  const probes = roles.has('probe')
    ? startProbes({ ...deps, clickhouse: options.clickhouse, metrics: options.probeMetrics })
    : undefined;
  return {
    wake: () => deliveries.wake(),
    async stop() {
      await Promise.all([deliveries.stop(), probes?.stop()]);
      await sql.end({ timeout: 5 });
    },
  };
}

function startDeliveries(
  deps: { sql: Sql; clock: Clock; log: Log; secretKey: string; allowPrivateAddresses: PrivateAddresses },
  { smtpUrl, translateUrl, baseUrl, deliveryPollMs, onChange, readerEgress, waySender }: Options,
): PollLoop[] {
  const linkTo = (alertId: string, recipient: LinkRecipient): string | undefined => {
    const token = signAlertLink(deps.secretKey, { alertId, recipient });
    return token && new URL(`${accountPaths.alertLink}?token=${token}`, baseUrl).href;
  };
  const polled = { ...deps, ...(deliveryPollMs !== undefined && { pollMs: deliveryPollMs }) };
  // First, because it throws for a bad address, and no other loop may be running then.
  const emails = startEmailLoop({
    ...polled,
    onQueued: () => webhooks.wake(),
    smtpUrl,
    translates: translateUrl !== undefined,
    originOf: (hostname) => pageOrigin(baseUrl, hostname),
    startOthers: (mail) => [startReports(mail, baseUrl)],
  });
  // Emails wait for the translations of their texts.
  const translations = startTranslationLoop({ ...polled, translateUrl, onTranslated: emails.wake, onChange });
  const owners = { onTold: emails.wake, ...(smtpUrl !== undefined && { queueNotice: queueOwnerNotice }) };
  const webhooks = startWebhookLoop({ ...polled, ...owners, onQueued: emails.wake });
  const channels = startChannelLoop({
    ...{ ...polled, ...owners, readerEgress },
    originOf: (hostname) => pageOrigin(baseUrl, hostname),
    linkOf: (slug, screen) => new URL(screenPath(slug, screen), baseUrl).href,
    alertLinkOf: ({ alertId, channelId: id }) => linkTo(alertId, { type: 'channel', id }),
  });
  const people = startPersonLoop({
    ...{ ...polled, sender: waySender },
    alertLinkOf: ({ pageSlug, alertKey, userId: id }) =>
      linkTo(alertKey, { type: 'person', id }) ?? new URL(screenPath(pageSlug, 'alerts'), baseUrl).href,
  });
  return [emails, translations, webhooks, channels, people];
}

/** Sends reports by the mail server of the other emails, in a loop of its own: nobody waits for them. */
function startReports(deps: MailDeps, baseUrl: URL): PollLoop {
  const courier = createReportCourier({
    ...deps,
    originOf: (hostname) => pageOrigin(baseUrl, hostname),
    reportUrlOf: ({ page, every, from }) =>
      new URL(`${reportPath(page.slug, every)}?${new URLSearchParams({ at: from })}`, baseUrl).href,
  });
  return startDeliveryLoop(deps, { name: 'emails.reports', couriers: [courier] });
}
