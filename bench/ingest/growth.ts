import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseTopQuery, parseTotalsQuery } from '../../analytics/figures/parse-figures.js';
import { loadTop } from '../../analytics/figures/top-groups.js';
import { loadTotals } from '../../analytics/figures/totals.js';
import { loadRequests, parseRequestsQuery } from '../../analytics/requests.js';
import { hourMs } from '../../lib/times.js';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { fillRollups } from '../support/fill.js';
import { type Judged, printGoals } from '../support/goals.js';
import { type Heartline, startHeartline, stopHeartline } from '../support/heartline.js';
import { measureLoad } from '../support/load.js';
import { processorSeconds } from '../support/processor-time.js';
import { line, median } from '../support/report.js';
import { type Stores, withStores } from '../support/stores.js';
import { listTables, select } from '../support/table-sizes.js';
import { untilIdle } from '../support/until-idle.js';
import { type EventStore, openEventStore } from './event-store.js';

/**
 * Compares inserts and reads of an empty installation with one that has two weeks of 2,000 endpoints up to an hour ago.
 * Two installations take turns instead of one that grows: the machine's speed drifts more within the minutes of filling
 * than the rows could cost. The reads are of the last half hour, whose events are as many in both.
 */
const filling = { rowsPerMinute: 1_000, endpoints: 2_000, services: 20 };
const rounds = 3;
const seconds = 6;
const warmUpSeconds = 3;
const load = { eventsPerBatch: 1000, connections: 8, depth: 16, path: '/api/v1/events' };
const paced = { eventsPerBatch: 1000, batchesPerSecond: 50, seconds: 6 };
/** The log holds the last events for up to 5 s, and merges follow. */
const secondsAfter = 8;
const readsPerRound = 20;

type Installation = Heartline & { clickhouse: ClickHouseClient; store: EventStore };
type Round = { rate: number; clickhouseSeconds: number };
/** Medians of one round, in milliseconds. */
type Times = { empty: number; full: number };

/** Each read takes the time now, in milliseconds since the epoch. */
const reads: readonly {
  name: string;
  read(installation: Installation, now: number): Promise<unknown>;
}[] = [
  {
    name: 'totals?from=now-30m',
    read: ({ clickhouse, pageId }, now) =>
      loadTotals({ clickhouse }, pageId, parseTotalsQuery({ from: 'now-30m' }, now), now),
  },
  {
    name: 'top?from=now-30m&by=endpoint&limit=200',
    read: ({ clickhouse, pageId }, now) => {
      const query = parseTopQuery({ from: 'now-30m', by: 'endpoint', limit: '200' }, now);
      return loadTop({ clickhouse }, pageId, query, now);
    },
  },
  {
    name: 'requests?from=now-30m',
    read: ({ clickhouse, pageId }, now) =>
      loadRequests({ clickhouse }, pageId, parseRequestsQuery({ from: 'now-30m' }, now)),
  },
];

await withStores(async (emptyStores) => {
  await withStores(async (fullStores) => {
    const empty = await prepare(emptyStores, []);
    const full = await prepare(fullStores, [empty.store]);
    process.stderr.write('Filling two weeks …\n');
    await fillRollups(full.clickhouse, full.pageId, filling, Date.now() - hourMs);
    await report(full);
    for (const installation of [empty, full]) await send(installation, warmUpSeconds);
    const measured = { empty: [] as Round[], full: [] as Round[], reads: [] as Times[][] };
    for (let round = 1; round <= rounds; round += 1) {
      // The second one competes with merges that the first one left, so the order alternates.
      const order = round % 2 === 0 ? (['empty', 'full'] as const) : (['full', 'empty'] as const);
      for (const name of order) measured[name].push(await measure({ empty, full }[name]));
      measured.reads.push(await measureReads({ empty, full }));
      process.stderr.write(`  round ${round} of ${rounds}\n`);
    }
    printGoals(compare(measured));
    for (const { clickhouse, store, ...heartline } of [empty, full]) {
      await store.close();
      await clickhouse.close();
      await stopHeartline(heartline);
    }
  });
});

async function prepare(stores: Stores, others: readonly EventStore[]): Promise<Installation> {
  const eventLog = { dir: join(stores.dataDir, 'event-log'), bytesMax: 2 ** 30 };
  const store = await openEventStore(stores, others);
  const clickhouse = openClickHouse(stores.clickhouseUrl);
  return { ...(await startHeartline({ ...stores, eventLog })), clickhouse, store };
}

async function report({ clickhouse }: Installation): Promise<void> {
  const tables = await listTables(clickhouse);
  const rows = await select<{ name: string; rows: number; parts: number }>(
    clickhouse,
    `SELECT table AS name, sum(rows) AS rows, count() AS parts FROM system.parts
     WHERE active AND database = currentDatabase() AND has([${tables.map((name) => `'${name}'`).join(', ')}], table)
     GROUP BY table ORDER BY table`,
  );
  for (const { name, rows: count, parts } of rows)
    line(`  ${name.padEnd(26)} ${String(count).padStart(10)} rows in ${parts} parts`);
}

/** Sends as fast as answers come; returns the acknowledged events a second. */
async function send({ port, key, pageId, store }: Installation, forSeconds: number): Promise<number> {
  const before = await store.storedEvents(pageId);
  const result = await measureLoad({ ...load, port, key, format: 'json', seconds: forSeconds });
  await store.untilStored(pageId, countEvents(before, result));
  return (result.requests * load.eventsPerBatch) / result.seconds;
}

async function measure(installation: Installation): Promise<Round> {
  await untilIdle();
  const rate = await send(installation, seconds);
  await untilIdle();
  return { rate, clickhouseSeconds: await measureCost(installation) };
}

/** Reads of both take turns. */
async function measureReads(installations: Record<keyof Times, Installation>): Promise<Times[]> {
  const medians: Times[] = [];
  for (const { read } of reads) {
    const times = { empty: [] as number[], full: [] as number[] };
    for (let run = 0; run < readsPerRound; run += 1) {
      for (const name of ['empty', 'full'] as const) {
        const startedAt = performance.now();
        await read(installations[name], Date.now());
        times[name].push(performance.now() - startedAt);
      }
    }
    medians.push({ empty: median(times.empty), full: median(times.full) });
  }
  return medians;
}

/** Processor seconds of ClickHouse for a million events of a paced load. */
async function measureCost({ port, key, pageId, store }: Installation): Promise<number> {
  if (store.pid === undefined) return Number.NaN;
  const [stored, before] = [await store.storedEvents(pageId), await processorSeconds(store.pid)];
  const result = await measureLoad({ ...paced, port, key });
  await sleep(secondsAfter * 1000);
  await store.untilStored(pageId, countEvents(stored, result));
  const events = result.requests * paced.eventsPerBatch;
  return (((await processorSeconds(store.pid)) - before) / events) * 1e6;
}

function countEvents(
  before: number,
  { requests, refused }: { requests: number; refused: number },
): { acknowledged: number; refused: number } {
  return { acknowledged: before + requests * load.eventsPerBatch, refused: refused * load.eventsPerBatch };
}

/** Each figure is the median of the ratios of the rounds. */
function compare(measured: { empty: Round[]; full: Round[]; reads: Times[][] }): Judged[] {
  const of = (figure: keyof Round): Times[] =>
    measured.empty.map((round, i) => ({
      empty: round[figure],
      full: measured.full[i]?.[figure] ?? Number.NaN,
    }));
  const figures = [
    { name: 'events a second', times: of('rate'), bound: { atLeast: 0.9 }, digits: 0 },
    {
      name: 'processor seconds of ClickHouse a million events',
      ...{ times: of('clickhouseSeconds'), bound: { atMost: 1.1 }, digits: 2 },
    },
    ...reads.map(({ name }, i) => ({
      name: `${name}, ms`,
      times: measured.reads.flatMap((round) => round[i] ?? []),
      ...{ bound: { atMost: 1.1 }, digits: 1 },
    })),
  ];
  line(`\nmedians of ${rounds} rounds:`);
  for (const { name, times, digits } of figures) {
    const [empty, full] = [median(times.map((time) => time.empty)), median(times.map((time) => time.full))];
    line(`  ${name.padEnd(50)} empty ${empty.toFixed(digits)}, filled ${full.toFixed(digits)}`);
  }
  return figures.map(({ name, times, bound }) => ({
    goal: `${name}, filled/empty`,
    ...{ bound, measured: median(times.map(({ empty, full }) => full / empty)) },
  }));
}
