import { Agent } from 'node:http';
import { join } from 'node:path';
import { cliActor } from '../../control/audit/index.js';
import { createKey } from '../../control/keys/index.js';
import { systemClock } from '../../lib/clock.js';
import { hourMs } from '../../lib/times.js';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { makeBatch } from '../support/batches.js';
import { printGoals } from '../support/goals.js';
import { type Heartline, startHeartline, stopHeartline } from '../support/heartline.js';
import { postBatch } from '../support/post-batch.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';
import { histogramShare, mergeTables } from '../support/table-sizes.js';
import { compareVariants } from './disk-variants.js';
import { type EventStore, openEventStore } from './event-store.js';

/**
 * Measures what an hour at 1,000 events a second takes on disk, and what the types and codecs of the columns save. The
 * hour is sent in order as fast as the service takes it. Merged rows have one value a key, so they are the same whatever
 * blocks the events came in; the check inserts some of the hour second by second, as a service at this rate would.
 */
const eventsPerSecond = 1_000;
const secondsOfHour = 3_600;
const checkedSeconds = 120;
/** Batches in flight. The order of the hour stays within these. */
const inFlight = 16;
const megabytesPerMillionMax = 0.5;

type Target = Heartline & { readKey: string };

await withStores(async (stores) => {
  const eventLog = { dir: join(stores.dataDir, 'event-log'), bytesMax: 2 ** 30 };
  const heartline = await startHeartline({ ...stores, eventLog });
  const sql = openPostgres(stores.databaseUrl, { max: 1 });
  const deps = { sql, clock: systemClock, by: cliActor('bench') };
  const { key: readKey } = await createKey(deps, { pageId: heartline.pageId, scope: 'read' });
  await sql.end();
  const target = { ...heartline, readKey };
  const clickhouse = openClickHouse(stores.clickhouseUrl);
  const store = await openEventStore(stores, []);

  await check(target, clickhouse, store);
  const partsBefore = await store.insertedParts();
  const events = await send(target, secondsOfHour, inFlight);
  await store.untilStored(target.pageId, { acknowledged: events, refused: 0 });
  const parts = (await store.insertedParts()) - partsBefore;
  line(
    `\n${events / 1e6} M events of 50 endpoints within an hour, sent as fast as the service takes them, ${parts} parts:`,
  );
  const megabytes = await reportTables(clickhouse, events);
  line('\nrequests_minute, declared in other ways:');
  await compareVariants(clickhouse);
  printGoals([
    {
      goal: 'disk for a million events after merging, at 1,000 events/s',
      ...{ bound: { atMost: megabytesPerMillionMax }, measured: megabytes, unit: ' MB' },
    },
  ]);
  await store.close();
  await clickhouse.close();
  await stopHeartline(heartline);
});

/** Stores the same seconds in one block each, and in the blocks that the service makes, and compares the merged tables. */
async function check(target: Target, clickhouse: ClickHouseClient, store: EventStore): Promise<void> {
  const sizes: { rows: number; bytes: number }[] = [];
  for (const hasBlockASecond of [true, false]) {
    const accepted = await send(target, checkedSeconds, hasBlockASecond ? 1 : inFlight, hasBlockASecond);
    await store.untilStored(target.pageId, { acknowledged: accepted, refused: 0 });
    const tables = await mergeTables(clickhouse);
    sizes.push({
      rows: tables.reduce((sum, { rows }) => sum + rows, 0),
      bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
    });
    for (const { name } of tables) await clickhouse.command({ query: `TRUNCATE TABLE ${name}` });
  }
  const [single, joined] = sizes;
  line(
    `${checkedSeconds} s of the hour in ${checkedSeconds} blocks of a second, merged: ${single?.rows} rows in ${single?.bytes} bytes; in the blocks of the service: ${joined?.rows} rows in ${joined?.bytes} bytes`,
  );
}

/** Sends the first seconds of the last full hour in order. With `hasBlockASecond`, a read after each lets it leave. */
async function send(
  target: Target,
  seconds: number,
  senders: number,
  hasBlockASecond = false,
): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const start = Math.floor(Date.now() / hourMs) * hourMs - hourMs;
  let next = 0;
  let accepted = 0;
  const sendInTurn = async (): Promise<void> => {
    for (let second = next++; second < seconds; second = next++) {
      // A batch reaches two seconds back; the first one stays within the hour as well.
      const at = start + Math.max(2, second + 1) * 1000 - 1;
      const answer = await postBatch(agent, target, makeBatch(eventsPerSecond, second + 1, at));
      accepted += answer.accepted;
      if (hasBlockASecond) await read(target);
    }
  };
  await Promise.all(Array.from({ length: senders }, sendInTurn));
  agent.destroy();
  return accepted;
}

/** A read shows what is acknowledged, so the service inserts it first. */
async function read({ port, readKey }: Target): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/analytics/totals?from=now-1h`, {
    headers: { authorization: `Bearer ${readKey}` },
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`A read was answered with ${answer.status}.`);
}

/** Prints each merged table, and returns the megabytes of all for a million events. */
async function reportTables(clickhouse: ClickHouseClient, events: number): Promise<number> {
  const tables = await mergeTables(clickhouse);
  const perMillion = (bytes: number): number => bytes / events;
  const print = (name: string, rows: string, bytes: number, histograms: number): unknown =>
    line(
      `  ${name.padEnd(26)} ${rows.padStart(9)} rows  ${perMillion(bytes).toFixed(3)} MB per million events, ${perMillion(histograms).toFixed(3)} of them histograms`,
    );
  let [all, allHistograms] = [0, 0];
  for (const { name, rows, bytes } of tables) {
    const histograms = bytes * (await histogramShare(clickhouse, name));
    print(name, String(rows), bytes, histograms);
    [all, allHistograms] = [all + bytes, allHistograms + histograms];
  }
  print('all', '', all, allHistograms);
  return perMillion(all);
}
