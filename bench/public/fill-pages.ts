import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';

export const services = 20;
const days = 90;
const hours = 7 * 24;
/** Pages of one insert, so that no block is larger than the embedded server can hold. */
const pagesAtOnce = 250;

export const slugOf = (page: number): string => `page-${page}`;

/**
 * Fills pages of 20 services each with points for every hour of a week and every day of 90. One service in ten is down
 * for a while each day. Ids are consecutive numbers, so that both stores can compute them.
 */
export async function fillPages(sql: Sql, clickhouse: ClickHouseClient, pages: number): Promise<void> {
  await sql`insert into accounts (id, name, created_at) values (${uuid('0', 0)}, 'bench', now())`;
  for (let first = 0; first < pages; first += pagesAtOnce) {
    const count = Math.min(pagesAtOnce, pages - first);
    await fillPostgres(sql, first, count);
    await fillPoints(clickhouse, first, count, 'hour', hours);
    await fillPoints(clickhouse, first, count, 'day', days);
  }
}

/** The same ids as the `page` and `monitor` SQL expressions below. */
function uuid(kind: string, number: number): string {
  return `00000000-0000-7000-8000-${kind}${number.toString(16).padStart(11, '0')}`;
}

async function fillPostgres(sql: Sql, first: number, count: number): Promise<void> {
  await sql`
    insert into pages (id, account_id, slug, hostname, name, languages, default_language, response_times_since, created_at)
    select ('00000000-0000-7000-8000-1' || lpad(to_hex(p), 11, '0'))::uuid, ${uuid('0', 0)}, 'page-' || p,
      'page-' || p || '.localhost', 'Page ' || p, '{en,de}', 'en', '2020-01-01', now()
    from generate_series(${first}::int, ${first + count - 1}::int) as p`;
  await sql`
    insert into monitors (id, page_id, slug, name, names, position, url, state, last_checked_at, created_at)
    select ('00000000-0000-7000-8000-2' || lpad(to_hex(p * ${services} + m), 11, '0'))::uuid,
      ('00000000-0000-7000-8000-1' || lpad(to_hex(p), 11, '0'))::uuid, 'service-' || m, 'Service ' || m,
      jsonb_build_object('de', 'Dienst ' || m), m, 'https://service-' || m || '.example.com/', 'up', now(), now()
    from generate_series(${first}::int, ${first + count - 1}::int) as p, generate_series(0, ${services - 1}) as m`;
}

async function fillPoints(
  clickhouse: ClickHouseClient,
  first: number,
  count: number,
  unit: 'hour' | 'day',
  points: number,
): Promise<void> {
  const lengthMs = unit === 'hour' ? 3_600_000 : 86_400_000;
  const time =
    unit === 'hour'
      ? "toStartOfHour(now('UTC')) - toIntervalHour(n % {points:UInt32})"
      : "toDate(now('UTC')) - toIntervalDay(n % {points:UInt32})";
  await clickhouse.command({
    query: `
      INSERT INTO monitor_${unit}s (page_id, monitor_id, ${unit}, observed_ms, up_ms, checks, failed, measured, sum_ms,
        version)
      SELECT
        toUUID(concat('00000000-0000-7000-8000-1', leftPad(lower(hex(toUInt32(intDiv(m, ${services})))), 11, '0'))) AS page_id,
        toUUID(concat('00000000-0000-7000-8000-2', leftPad(lower(hex(toUInt32(m))), 11, '0'))) AS monitor_id,
        ${time} AS time, ${lengthMs} AS observed_ms, ${lengthMs} - if(m % 10 = 3, 60000 * (1 + n % 20), 0) AS up_ms,
        1440 AS checks, if(m % 10 = 3, 1 + n % 20, 0) AS failed, 1440 AS measured,
        1440. * (80 + cityHash64(n) % 200) AS sum_ms, 1 AS version
      FROM (
        SELECT number AS n, {first:UInt32} * ${services} + intDiv(number, {points:UInt32}) AS m
        FROM numbers({rows:UInt64}))`,
    query_params: { first, points, rows: count * services * points },
  });
}
