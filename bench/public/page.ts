import { cliActor } from '../../control/audit/index.js';
import { createIncident, parseNewIncident } from '../../control/incidents/index.js';
import { findPage } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { dayMs } from '../../lib/times.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { startHeartline, stopHeartline } from '../support/heartline.js';
import { type Stores, withStores } from '../support/stores.js';
import { compareReads, read, startBare } from './compare-reads.js';
import { fillPages, services, slugOf } from './fill-pages.js';

/** Compares reads of an HTML status page (20 services, 90 days, ten incidents) with a bare server. */
const target = { host: `${slugOf(0)}.localhost`, path: '/' };
const incidents = 10;
const browser = {
  'accept-language': 'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7',
  'accept-encoding': 'gzip, deflate, br',
};

await withStores(async (stores) => {
  const heartline = await startHeartline(stores);
  await fill(stores);
  const bare = await startBare();
  const startedAt = performance.now();
  const first = await read(heartline.port, target, browser);
  process.stdout.write(
    `a page of ${services} services: ${first.status}, first read ${(performance.now() - startedAt).toFixed(0)} ms\n`,
  );
  const compare = (name: string, headers: Record<string, string>) =>
    compareReads(bare, { name, port: heartline.port, target, headers });
  await compare('200, brotli', browser);
  await compare('200, identity', { 'accept-language': 'de' });
  // Reads the current tag: after two minutes the page shows services as unchecked, which changes the tag.
  const { etag = '' } = (await read(heartline.port, target, browser)).headers;
  await compare('304', { ...browser, 'if-none-match': etag });
  bare.process.disconnect();
  await stopHeartline(heartline);
});

async function fill({ databaseUrl, clickhouseUrl }: Stores): Promise<void> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  const clickhouse = openClickHouse(clickhouseUrl);
  await fillPages(sql, clickhouse, 1);
  const page = await findPage({ sql }, { slug: slugOf(0) });
  if (page === undefined) throw new Error('The filled page does not exist.');
  for (let i = 0; i < incidents; i += 1) {
    const startedAt = Date.now() - i * dayMs - 3_600_000;
    const input = parseNewIncident({
      title: `Requests of service ${i} fail`,
      summary: 'We are looking for the cause, and tell more as soon as we know it.',
      monitorSlugs: [`service-${i}`],
      startedAt: new Date(startedAt).toISOString(),
      ...(i > 0 && { resolvedAt: new Date(startedAt + 1_800_000).toISOString() }),
    });
    await createIncident({ sql, clock: systemClock, by: cliActor('bench') }, { pageId: page.id, input });
  }
  await clickhouse.close();
  await sql.end();
}
