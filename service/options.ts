import { readerRights } from '../contract/sql-tables.js';
import type { Gateways } from '../control/contact-ways/index.js';
import type { OidcSettings } from '../control/people/index.js';
import type { Clock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import type { Egress } from '../lib/outbound/egress.js';
import type { ScryptParameters } from '../lib/secrets/passwords.js';
import type { StackOptions } from '../stack/start-stack.js';
import type { Config, Role } from './config.js';
import type { ReadMetrics } from './metrics.js';
import type { SettleOthers } from './settle-everywhere.js';

export type ServiceOptions = {
  databaseUrl: string;
  clickhouseUrl: string;
  /** Name of the cluster that holds the tables; `clickhouseUrl` is the address of one of its servers. */
  clickhouseCluster?: string;
  secretKey: string;
  /** Whether to create the ClickHouse user that runs the SQL of pages. The embedded ClickHouse has it already. */
  makeSqlUser?: boolean;
  /** The log of events; without it, PostgreSQL acknowledges them. */
  eventLog?: EventLogPlace | undefined;
  host: string;
  port: number;
  /** Takes OTLP over gRPC on this port, 0 for a free one. Absent, no port does. */
  otlpGrpcPort?: number | undefined;
  /** The address in the description of the API; by default the one that the service listens on. */
  baseUrl?: URL;
  clock: Clock;
  log: Log;
  /** Proxies whose X-Forwarded-For and X-Forwarded-Host are trusted; none by default. */
  trustedProxies?: readonly string[];
  /** Networks from which /metrics and /readyz are answered; `privateNetworks` by default. */
  metricsFrom?: readonly string[];
  /** Mail server. Without it, no email is sent. */
  smtpUrl?: string;
  /** Gateways for text messages and calls to people. A kind without one is refused. */
  gateways?: Gateways;
  /** Identity provider that signs people in. */
  oidc?: OidcSettings;
  /** Whether people may sign in with a password; true by default. */
  localSignIn?: boolean;
  /** Cost of the hashes of passwords; the default of `createPasswords` when absent. */
  passwordParameters?: ScryptParameters;
  /** A LibreTranslate server. Without it, texts stay in one language. */
  translateUrl?: string;
  /**
   * Whether requests that tenants configure may go to private addresses. Without it, the installation decides, and until
   * it has, they may where there is no `baseUrl`.
   */
  allowPrivateAddresses?: boolean | undefined;
  /**
   * Sends what readers signed up for, to public addresses only when absent. No setting leads here: only a caller whose
   * receivers are on this machine, such as a benchmark, passes another.
   */
  readerEgress?: Egress | undefined;
  /** Open connections of clients; 20,000 by default. Further ones are closed at once. */
  connectionsMax?: number;
  /** How long a request body may take to arrive; 15 s by default. */
  bodyTimeoutMs?: number;
  /** Pause of the delivery loops after a run that found nothing; 1 s by default. */
  deliveryPollMs?: number;
  /** The tasks of this process; all by default. */
  roles?: ReadonlySet<Role>;
  /**
   * Restarts the embedded ClickHouse, and returns whether it does: at most once in 3 minutes, for all processes together.
   * Absent when ClickHouse is a server of the operator.
   */
  restartClickHouse?: RestartClickHouse | undefined;
  /** Whether the start is over and its keys are printed; /readyz is 503 before. Over as soon as it listens by default. */
  hasStarted?: (() => boolean) | undefined;
  /** Returns the metrics of all processes that share the port, given the metrics of this one; only these by default. */
  readMetrics?: ReadMetrics | undefined;
  /** Brings what the other processes that share the port have acknowledged to the store, for reads. Absent without others. */
  settleOthers?: SettleOthers | undefined;
};

/** `dir` has the logs of all processes on this data folder. The log of each may take `bytesMax`. */
export type EventLogPlace = { dir: string; bytesMax: number };

/** `reason` is a sentence for the log. */
export type RestartClickHouse = (reason: string) => Promise<boolean>;

/** How to close the parts of the service, in the order in which they were started. They close in the opposite order. */
export type Closers = (() => Promise<unknown>)[];

/** Returns the options of the embedded stores. A store for which the configuration has a URL is not started. */
export function stackOptions(config: Config, log: Log): StackOptions {
  const { dataDir, clickhouseUrl, databaseUrl, secretKey, clickhouseMemoryBytes } = config;
  return {
    dataDir,
    database: 'heartline',
    ...readerRights,
    log,
    // The log, or PostgreSQL, forgets a block when ClickHouse has answered, so ClickHouse must answer for as much.
    syncsInserts: true,
    ...(clickhouseUrl !== undefined && { clickhouseUrl }),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(secretKey !== undefined && { secretKey }),
    ...(clickhouseMemoryBytes !== undefined && { clickhouseMemoryBytes }),
  };
}
