import type { Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import type { Sql } from '../../sql/open-postgres.js';
import { makeKey, makePage } from '../support/pages.js';
import { findClosedPort } from '../support/probe-target.js';
import { select } from '../support/rollups.js';
import { openStores } from '../support/stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { type Load, type Loaded, type Subject, startAdaptersLoad, type Tally } from './adapters-load.js';
import { serveOn } from './running-service.js';

/** Checks that each request to the applications counts once, while the service is killed twice. */
export async function checkAdaptersUnderKills(t: Test, subjects: readonly Subject[]): Promise<void> {
  const stores = await openStores(t);
  const { slug } = await makePage(stores.sql);
  const { key } = await makeKey({ sql: stores.sql, clock: systemClock }, { slug, scope: 'ingest' });
  const settings = { HEARTLINE_DATA_DIR: await temporaryFolder(t), PORT: String(await findClosedPort()) };
  let service = await serveOn(t, stores, settings);
  const load = await startAdaptersLoad(t, { url: service.url, key }, subjects);
  for (let kill = 1; kill <= 2; kill += 1) {
    await untilReported(load);
    process.kill(service.pid, 'SIGKILL');
    await service.exited;
    service = await serveOn(t, stores, settings);
  }
  await untilReported(load);
  await load.end();
  for (const one of load.applications) await untilSent(one);
  await untilStored(stores.sql);

  const rows = await select<{ service: string; counted: string; requests: number }>(
    stores.clickhouse,
    `SELECT service, concat(method, ' ', endpoint, ' ', toString(status)) AS counted,
            toUInt32(sum(requests)) AS requests
     FROM requests_minute GROUP BY ALL`,
  );
  for (const { name, reporter, sent } of load.applications) {
    const stored: Tally = {};
    for (const row of rows)
      if (row.service === name.toLowerCase() || row.service === name) stored[row.counted] = row.requests;
    t.same(stored, sent, `${name}: what was sent is stored`);
    const { recorded, uncertain, dropped } = reporter.stats();
    t.same({ uncertain, dropped: sum(dropped) }, { uncertain: 0, dropped: 0 });
    t.comment(`${name}: ${recorded} requests`);
  }
}

/** Waits until ClickHouse has what the service has accepted. */
async function untilStored(sql: Sql): Promise<void> {
  // A block of a killed process is taken over after 30 s; these are over now.
  await sql`update held_blocks set held_until = now()`;
  await waitUntil('no batch waits for ClickHouse', async () => {
    const waiting = await sql`select from held_blocks union all select from delivery_batches limit 1`;
    return waiting.length === 0;
  });
}

/** Waits until every reporter has delivered something since now. */
async function untilReported({ applications }: Load): Promise<void> {
  const before = applications.map(({ reporter }) => reporter.stats().sent);
  await waitUntil('every reporter has delivered events', () =>
    applications.every(({ reporter }, i) => reporter.stats().sent > (before[i] ?? 0)),
  );
}

/** Waits until everything that an application was sent is counted and delivered. */
async function untilSent({ name, reporter, sent }: Loaded): Promise<void> {
  await waitUntil(`${name} has counted ${sum(sent)} requests`, () => reporter.stats().recorded === sum(sent));
  await waitUntil('they are delivered', async () => {
    await reporter.flush();
    return reporter.stats().waiting === 0;
  });
  await reporter.stop();
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
