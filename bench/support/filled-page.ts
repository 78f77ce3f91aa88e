import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { cliActor } from '../../control/audit/index.js';
import { createPage } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { migrate } from '../../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { type Filling, fillRollups } from './fill.js';
import { line } from './report.js';
import { withStores } from './stores.js';

/** `now` is in the afternoon of the last filled day; its odd minute cuts the first hour of every range. */
export type FilledPage = {
  clickhouse: ClickHouseClient;
  clickhouseUrl: string;
  secretKey: string;
  sql: Sql;
  pageId: PageId;
  now: number;
};

/** 14,400,000 requests a day on 2,000 endpoints of 20 services, half of the endpoints in each minute. */
const filling: Filling = { rowsPerMinute: 1_000, endpoints: 2_000, services: 20 };

/** Runs with two weeks of a large page in new stores, and with as many `days` of what is kept for longer. */
export async function withFilledPage(
  work: (page: FilledPage) => Promise<void>,
  days?: number,
): Promise<void> {
  await withStores(async ({ databaseUrl, clickhouseUrl, secretKey }) => {
    const sql = openPostgres(databaseUrl, { max: 1 });
    await ensureDatabase(clickhouseUrl);
    // Merging a day into one part takes longer than any timeout of the service.
    const log = { level: ClickHouseLogLevel.OFF };
    const clickhouse = createClient({ url: clickhouseUrl, request_timeout: 900_000, log });
    await migrate({ sql, clickhouse, log: { debug() {}, info() {}, warn() {}, error() {} } });
    const page = { slug: 'bench', hostname: 'bench.localhost' };
    const { id: pageId } = await createPage({ sql, clock: systemClock, by: cliActor('bench') }, page);
    await sql`
      insert into sources (page_id, kind, source, first_seen_at)
      select ${pageId}, 'service', 'service-' || number, now() from generate_series(0, ${filling.services - 1}) as number`;
    const startedAt = performance.now();
    process.stderr.write('Filling two weeks …\n');
    await fillRollups(clickhouse, pageId, days === undefined ? filling : { ...filling, days });
    line(`two weeks of 2,000 endpoints, filled in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    const now = Math.floor(Date.now() / dayMs) * dayMs + dayMs - 6 * hourMs - 23 * 60_000;
    await work({ clickhouse, clickhouseUrl, secretKey, sql, pageId, now });
    await clickhouse.close();
    await sql.end();
  });
}
