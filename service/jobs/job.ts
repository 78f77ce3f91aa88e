import type { PageSqlDeps } from '../../analytics/sql/run-sql.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { PrivateAddresses } from '../../lib/outbound/address-guard.js';
import type { ClusterAddress } from '../../sql/cluster-servers.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';

export type JobDeps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  /** Returns where to read the events of a page now: in the same ClickHouse, or in the page's own. */
  clickhouseOf(pageId: PageId): EventReader;
  /**
   * Brings what this instance has acknowledged for a page to its store; see `Commit.settle`. Absent where the process takes no
   * events, as in the command line.
   */
  settle?(pageId: PageId): Promise<number | undefined>;
  /** The cluster that holds the tables of ClickHouse; absent for a server that stands alone. */
  cluster?: ClusterAddress | undefined;
  /** Runs the SQL of pages; absent where the process has no user for it, as in the command line. */
  pageSql?: PageSqlDeps;
  /**
   * The key that opens secrets of pages, and whether requests with them may reach private addresses. Absent where the process
   * sends none, as in the command line.
   */
  outgoing?: { secretKey: string; allowPrivateAddresses: PrivateAddresses };
  clock: Clock;
  log: Log;
  /** Ends a run early, when the process stops. */
  signal?: AbortSignal;
  /**
   * Called after runs that may have announced changes of incidents, so that their deliveries leave at once. Absent where
   * the process does not deliver, as in the command line.
   */
  onAnnounced?: () => void;
  /** Called after each change of what a page publishes. Absent where the process serves nothing. */
  onChange?: (pageId: PageId) => void;
};

/** Work on a schedule. A run may be interrupted at any point and repeated: the next run does the rest. */
export type Job = {
  name: string;
  summary: string;
  /** A cron expression in UTC, of five fields, or of six with the seconds first. */
  schedule: string;
  /** How often it is due when that is more than once a minute. */
  everySeconds?: number;
  run(deps: JobDeps): Promise<void>;
};
