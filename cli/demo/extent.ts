import type { Actor } from '../../control/audit/index.js';
import type { Clock } from '../../lib/clock.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';

/** The dependencies of the demo. */
export type DemoDeps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock; secretKey: string; by: Actor };

/** Browsers find every name that ends with .localhost on their own machine. */
export const ownPage = { slug: 'showcase', hostname: 'showcase.localhost', name: 'Showcase' };

export const historyDays = 90;
/** Days of requests and of reports of pools. */
export const trafficDays = 7;

/** Where the demo takes mails: as the port of SMTP, and no privilege is needed. */
export const mailPort = 2525;
