import { cliActor } from '../../control/audit/index.js';
import { createPage } from '../../control/pages/index.js';
import { createPasswords, createUser } from '../../control/people/index.js';
import { openPastEvents } from '../../ingest/past-events.js';
import { systemClock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { fillRollups } from '../support/fill.js';
import type { Heartline } from '../support/heartline.js';
import type { Stores } from '../support/stores.js';

/** The size of the page with data. */
export const sizes = { endpoints: 2_000, services: 20, reporters: 2_000, monitors: 200, rowsPerMinute: 100 };
export const emptySlug = 'empty';
export const person = { email: 'bench@example.com', name: 'Bench', password: 'a password for one benchmark' };

/**
 * Fills the page of the service with two weeks of 2,000 endpoints, and 2,000 reporters that called just now; makes an
 * empty page beside it, and an admin. Returns the slug of the page with data.
 */
export async function fill({ databaseUrl, clickhouseUrl }: Stores, { pageId }: Heartline): Promise<string> {
  const sql = openPostgres(databaseUrl, { max: 2 });
  const clickhouse = openClickHouse(clickhouseUrl);
  const deps = { sql, clock: systemClock, by: cliActor('bench') };
  await fillRollups(clickhouse, pageId, sizes);
  await addReporters({ sql, clickhouse }, pageId);
  await addMonitors(sql, pageId);
  await createPage(deps, { slug: emptySlug, hostname: `${emptySlug}.localhost` });
  await createUser({ ...deps, passwords: createPasswords() }, { ...person, isAdmin: true });
  const [page] = await sql<{ slug: string }[]>`select slug from pages where id = ${pageId}`;
  await clickhouse.close();
  await sql.end();
  return page?.slug ?? '';
}

/** Each has called in each of the last minutes, with some requests. */
async function addReporters(
  stores: { sql: Sql; clickhouse: ClickHouseClient },
  pageId: PageId,
): Promise<void> {
  const ids = Array.from({ length: sizes.reporters }, (_, i) => `reporter-${i}`);
  const past = await openPastEvents({ ...stores, clock: systemClock }, pageId, {
    endpoints: ['/work'],
    services: [],
    reporters: ids.map((reporterId, i) => ({
      ...{ reporterId, englishName: `Reporter ${i}`, expectedEverySeconds: 60 },
      ...{ region: `region-${i % 8}`, team: `team-${i % 12}` },
    })),
  });
  const now = systemClock.now();
  const [endpoint, method] = [past.endpoint('/work'), past.method('POST')];
  for (let at = now - 10 * minuteMs; at <= now; at += minuteMs) {
    for (const [i, id] of ids.entries()) {
      const source = past.source('reporter', id);
      past.addCall(source, at);
      const status = i % 50 === 0 ? 500 : 200;
      past.add({
        source,
        endpoint,
        method,
        status,
        at,
        count: 20,
        latencies: [{ ms: 10 + (i % 90), times: 20 }],
      });
    }
    await past.flush(`bench ${pageId} ${at}`);
  }
}

async function addMonitors(sql: Sql, pageId: PageId): Promise<void> {
  await sql`
    insert into monitors (id, page_id, slug, name, url, position, created_at, state, state_since, last_checked_at)
    select gen_random_uuid(), ${pageId}, 'monitor-' || n, 'Monitor ' || n, 'https://example.com/' || n, n, now(),
      case when n % 40 = 0 then 'down' else 'up' end, now(), now()
    from generate_series(1, ${sizes.monitors}::integer) as n`;
}
