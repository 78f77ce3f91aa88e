import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import type { RunningStack } from '../../stack/stack-file.js';
import {
  type createEventLoad,
  endpointPrefixes,
  eventMs,
  heartbeatPrefix,
  type SentBatch,
} from './event-load.js';
import { type createIncidentLoad, type Step, titlePrefix } from './incident-load.js';
import { type Balance, balance, type Entry, type Ledger } from './ledger.js';
import type { createReportLoad } from './report-load.js';

export type Loads = {
  events: ReturnType<typeof createEventLoad>;
  reports: ReturnType<typeof createReportLoad>;
  incidents: ReturnType<typeof createIncidentLoad>;
};

type Count = { name: string; count: number };
type Compare = { clickhouse: ClickHouseClient; sql: Sql; findings: string[] };

/** Compares everything sent with the stores; `findings` gets every difference. */
export async function compareAll(
  { clickhouseUrl, databaseUrl }: RunningStack,
  { events, reports, incidents }: Loads,
  findings: string[],
): Promise<Balance[]> {
  const clickhouse = openClickHouse(clickhouseUrl);
  const sql = openPostgres(databaseUrl, { max: 1 });
  const deps = { clickhouse, sql, findings };
  try {
    const { v1, v2, heartbeats } = events.ledgers;
    return [
      await compareBatches(deps, v1, endpointPrefixes.v1),
      await compareBatches(deps, v2, endpointPrefixes.v2),
      await compareHeartbeats(deps, heartbeats),
      await compareReports(deps, reports.ledger),
      ...(await compareIncidents(deps, incidents.ledgers)),
    ];
  } finally {
    await Promise.all([clickhouse.close(), sql.end({ timeout: 5 })]);
  }
}

async function compareBatches(
  { clickhouse, findings }: Compare,
  ledger: Ledger<SentBatch>,
  prefix: string,
): Promise<Balance> {
  const readTable = async (table: string) => {
    const rows = await select<{ name: string; requests: number; timed: number; sumUs: number }>(
      clickhouse,
      `SELECT concat(endpoint, ' ', toString(status)) AS name, toUInt32(sum(requests)) AS requests,
         toUInt32(sum(latency_count)) AS timed, toFloat64(sum(latency_sum_us)) AS sumUs
       FROM ${table} WHERE startsWith(endpoint, '${prefix}') GROUP BY name`,
    );
    return new Map(rows.map((row) => [row.name, row]));
  };
  const countIn = (table: Awaited<ReturnType<typeof readTable>>) => (entry: SentBatch) => {
    const row = table.get(`${entry.endpoint} ${entry.status}`);
    if (row === undefined) return 0;
    const isWhole = row.timed === row.requests && row.sumUs === row.requests * eventMs * 1000;
    return isWhole ? row.requests / entry.events : Number.NaN;
  };
  const minutes = await readTable('requests_minute');
  const sums = balance(ledger, countIn(minutes), findings);
  const inHours = countIn(await readTable('requests_hour'));
  const differing = ledger.entries.filter((entry) => countIn(minutes)(entry) !== inHours(entry)).length;
  if (differing > 0)
    findings.push(`${ledger.what}: ${differing} differ between requests_minute and requests_hour`);
  await compareTotals({ clickhouse, findings }, ledger.what, prefix);
  return sums;
}

/** Compares the tables without endpoints with those that have them; v1 and v2 differ in their kind there. */
async function compareTotals(
  { clickhouse, findings }: Pick<Compare, 'clickhouse' | 'findings'>,
  what: string,
  prefix: string,
): Promise<void> {
  const kind = prefix === endpointPrefixes.v1 ? 'service' : 'reporter';
  const totals = await select<{ table: string; requests: string; sumUs: string }>(
    clickhouse,
    [
      'requests_minute',
      'requests_hour',
      'service_requests_minute',
      'service_requests_hour',
      'endpoint_requests_6h',
      'endpoint_requests_hour',
    ]
      .map(
        (table) =>
          `SELECT '${table}' AS table, sum(requests) AS requests, sum(latency_sum_us) AS sumUs FROM ${table} WHERE kind = '${kind}'`,
      )
      .join(' UNION ALL '),
  );
  const figures = new Set(totals.map(({ requests, sumUs }) => `${requests} ${sumUs}`));
  if (totals.length !== 6 || figures.size !== 1) {
    findings.push(`${what}: the tables do not agree: ${JSON.stringify(totals)}`);
  }
}

async function compareHeartbeats({ clickhouse, findings }: Compare, ledger: Ledger): Promise<Balance> {
  const rows = await select<Count>(
    clickhouse,
    `SELECT service AS name, toUInt32(sum(calls)) AS count FROM reports
     WHERE startsWith(service, '${heartbeatPrefix}') GROUP BY name`,
  );
  return balance(ledger, countOf(rows), findings);
}

async function compareReports({ clickhouse, findings }: Compare, ledger: Ledger): Promise<Balance> {
  const rows = await select<{ name: string; reports: number; pools: number }>(
    clickhouse,
    `SELECT concat(toString(session), ' ', toString(sequence)) AS name, toUInt32(countIf(kind = 'report')) AS reports,
       toUInt32(countIf(kind = 'pool')) AS pools
     FROM pool_reports GROUP BY name`,
  );
  const counts = rows.map(({ name, reports, pools }) => ({
    ...{ name, count: reports === pools ? reports : Number.NaN },
  }));
  const sums = balance(ledger, countOf(counts), findings);
  const rollups = {
    pools_minute: 'intervals',
    process_pools_minute: 'intervals',
    pool_exporters_minute: 'reports',
  };
  for (const [table, column] of Object.entries(rollups)) {
    const [sum] = await select<{ count: string }>(clickhouse, `SELECT sum(${column}) AS count FROM ${table}`);
    if (Number(sum?.count) !== rows.length) {
      findings.push(`${ledger.what}: ${table} has ${sum?.count}, pool_reports ${rows.length}`);
    }
  }
  return sums;
}

/** Compares each change with its announcement, since one transaction writes both. */
async function compareIncidents(
  { sql, findings }: Compare,
  { opened, updated, resolved }: Record<'opened' | 'updated' | 'resolved', Ledger<Step>>,
): Promise<Balance[]> {
  const titles = await sql<Count[]>`select title as name, count(*)::int from incidents group by 1`;
  const bodies = await sql<Count[]>`select body as name, count(*)::int from incident_updates group by 1`;
  const ends = await sql<Count[]>`
    select id::text as name, 1 as count from incidents where resolved_at is not null`;
  const announced = await sql<Count[]>`
    select a.kind as name, count(*)::int from announcements a join incidents i on i.id = a.incident_id
    where i.title like ${`${titlePrefix}%`} group by 1`;
  const sums = [
    balance(opened, countOf(titles), findings),
    balance(updated, countOf(bodies), findings),
    balance(resolved, countOf(ends), findings),
  ];
  for (const [i, kind] of ['incident.created', 'incident.update_posted', 'incident.resolved'].entries()) {
    const count = announced.find(({ name }) => name === kind)?.count ?? 0;
    if (count !== sums[i]?.stored) {
      findings.push(`${sums[i]?.what}: ${sums[i]?.stored} are stored, ${count} are announced as ${kind}`);
    }
  }
  return sums;
}

function countOf(counts: Iterable<Count>): (entry: Entry) => number {
  const byName = new Map([...counts].map(({ name, count }) => [name, count]));
  return ({ name }) => byName.get(name) ?? 0;
}

async function select<Row>(clickhouse: ClickHouseClient, query: string): Promise<Row[]> {
  const result = await clickhouse.query({ query, format: 'JSONEachRow' });
  return result.json<Row>();
}
