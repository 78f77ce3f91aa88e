import type { Actor } from '../../control/audit/index.js';
import type { Clock } from '../../lib/clock.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';

/** The dependencies of the demo. */
export type DemoDeps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock; secretKey: string; by: Actor };
