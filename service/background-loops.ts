import { type ProbeMetrics, startProbes } from '../control/monitors/index.js';
import { startEmailLoop } from '../control/subscribers/index.js';
import { startTranslationLoop } from '../control/translations/index.js';
import { startWebhookLoop } from '../control/webhooks/index.js';
import type { Clock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import { pageOrigin } from '../lib/page-origin.js';
import type { PollLoop } from '../lib/poll-loop.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../sql/open-postgres.js';
import type { Role } from './config.js';

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
  allowPrivateAddresses: boolean;
  /** Public address of the service, whose scheme and port the pages share. */
  baseUrl: URL;
};

/** Of the workers together: the queries of requests have connections of their own. */
const connectionsMax = 4;

/** Starts what works in the background, as far as it is among the roles: checking monitors, telling subscribers and webhooks. */
export function startWorkers(options: Options): { stop(): Promise<void> } {
  const { roles, secretKey, clock, log, allowPrivateAddresses } = options;
  const sql = openPostgres(options.databaseUrl, { max: connectionsMax });
  const deps = { sql, clock, log, secretKey, allowPrivateAddresses };
  const workers: Pick<PollLoop, 'stop'>[] = roles.has('deliver') ? startNotifications(deps, options) : [];
  if (roles.has('probe')) {
    workers.push(startProbes({ ...deps, clickhouse: options.clickhouse, metrics: options.probeMetrics }));
  }
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await sql.end({ timeout: 5 });
    },
  };
}

function startNotifications(
  deps: { sql: Sql; clock: Clock; log: Log; secretKey: string; allowPrivateAddresses: boolean },
  { smtpUrl, translateUrl, baseUrl }: Options,
): PollLoop[] {
  return [
    // First, because it refuses an address that cannot be used, and nothing may be running then.
    startEmailLoop({
      ...deps,
      smtpUrl,
      translates: translateUrl !== undefined,
      originOf: (hostname) => pageOrigin(baseUrl, hostname),
    }),
    startTranslationLoop({ ...deps, translateUrl }),
    startWebhookLoop(deps),
  ];
}
