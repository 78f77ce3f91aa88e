import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import type { Sql } from '../sql/open-postgres.js';
import type { Clock } from './clock.js';
import type { PageId } from './ids.js';
import type { Log } from './log.js';

export type JobDeps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  /** Where the events of a page are: in the same, or in its own. */
  clickhouseOf(pageId: PageId): ClickHouseClient;
  clock: Clock;
  log: Log;
};

/** Work that is done on a schedule. A run may end anywhere, and be run again: it then does what is left. */
export type Job = {
  name: string;
  summary: string;
  /** A cron expression of five fields, in UTC. */
  schedule: string;
  run(deps: JobDeps): Promise<void>;
};
