import type { PageSqlDeps } from '../../../analytics/sql/run-sql.js';
import type { Installation, JobRun, TestMail } from '../../../contract/manage/installation.js';
import type { Actor } from '../../../control/audit/index.js';
import type { WaySender } from '../../../control/contact-ways/index.js';
import type { Passwords } from '../../../control/people/index.js';
import type { PrivateAddressFollower } from '../../../control/private-addresses/index.js';
import type { TestMailInput } from '../../../control/subscribers/index.js';
import type { PageStores } from '../../../ingest/commit/page-stores.js';
import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import type { Log } from '../../../lib/log.js';
import type { PrivateAddresses } from '../../../lib/outbound/address-guard.js';
import type { RecordsOf } from '../../../lib/outbound/host-records.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import type { Sql } from '../../../sql/open-postgres.js';
import type { EventStoreAddress } from '../../../sql/own-store/own-event-store.js';
import type { BadgeFigures } from '../../../web/badges/badge.js';
import type { ViewAssets } from '../../../web/views/view-context.js';
import type { ManageBodyRoute, ManageRoute } from '../../manage/manage-route.js';
import type { SignInOptions } from '../../manage/sign-in-options.js';
import type { PageRead } from '../../page-read.js';
import type { FiguresOf } from '../../public/public-figures.js';
import type { ObjectivesOf } from '../../public/public-objectives.js';
import type { OriginParser } from '../../request-origin.js';
import type { OpenBodyRoute } from '../../route.js';

/** Signing in is open: there is no caller yet. */
export type ManageRouteList = (ManageRoute | ManageBodyRoute | OpenBodyRoute)[];

/** The dependencies of the routes behind the commands of the command line: PostgreSQL, and nothing that draws a page. */
export type CommandRoutesDeps = Pick<
  ManageRoutesDeps,
  | 'sql'
  | 'clock'
  | 'log'
  | 'secretKey'
  | 'allowPrivateAddresses'
  | 'passwords'
  | 'parseOrigin'
  | 'prepareEventStore'
  | 'baseUrl'
  | 'hasBaseUrl'
  | 'onChange'
  | 'onDeleted'
  | 'onAnnounced'
>;

/** The dependencies of the routes of the management API. */
export type ManageRoutesDeps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  log: Log;
  secretKey: string;
  /** Whether checks and webhooks may reach private addresses. */
  allowPrivateAddresses: PrivateAddresses;
  /** The setting that decides it. */
  privateAddresses: Pick<PrivateAddressFollower, 'current' | 'refresh'>;
  pageSql: PageSqlDeps;
  /** The private reads of pages, which have routes for read keys as well. */
  pageReads: readonly PageRead[];
  pageStores: Pick<PageStores, 'clickhouseOf' | 'isOwn' | 'settle'>;
  /** One for the whole process. */
  passwords: Passwords;
  signInOptions: SignInOptions;
  parseOrigin: OriginParser;
  /** The state of the whole installation, and its jobs; see createInstallation(). */
  installation: {
    load(): Promise<Installation>;
    runJob(name: string, by: Actor): Promise<JobRun>;
    sendTestMail(input: TestMailInput, by: Actor): Promise<TestMail>;
  };
  /**
   * Connects to the ClickHouse of a page's owner and makes the tables that it lacks.
   *
   * @throws EventStoreError when it cannot be used
   */
  prepareEventStore(address: EventStoreAddress): Promise<{ version: string }>;
  /** Finds the figures of a page for its badges in the public cache; `undefined` when the page no longer exists. */
  findBadgeFigures(pageId: PageId): Promise<BadgeFigures | undefined>;
  /** Reads the figures that a page publishes. */
  figuresOf: FiguresOf;
  /** Reads the objectives that a page shows. */
  objectivesOf: ObjectivesOf;
  /** The assets of public pages. */
  assets: ViewAssets;
  /** Where the pages of a host are reached, such as `https://status.example.com`. */
  originOf(hostname: string): string;
  /** Asks for the records of host names; the name servers of this machine by default. */
  recordsOf?: RecordsOf;
  /** Sends tests and codes to the ways of people. */
  waySender: WaySender;
  /** Address of the service. */
  baseUrl(): string;
  /** Whether the operator has set the address of the service. */
  hasBaseUrl: boolean;
  /** Whether the service sends email. */
  sendsMail: boolean;
  /** Called after each change of what the page publishes. */
  onChange(pageId: PageId): void;
  /** Called after a page was deleted. */
  onDeleted(pageId: PageId): void;
  /** Called after the commit of a change that may be announced, so that its deliveries leave at once. */
  onAnnounced(): void;
};
