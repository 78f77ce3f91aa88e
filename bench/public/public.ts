import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { type Heartline, startHeartline, stopHeartline } from '../support/heartline.js';
import { line } from '../support/report.js';
import { type Stores, withStores } from '../support/stores.js';
import { compareReads, read, startBare } from './compare-reads.js';
import { fillPages, services, slugOf } from './fill-pages.js';

/** Reads the public summary: of one page from memory, compared with a bare server, and of many pages for the first time. */
const pages = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 1_000);
const coldReads = Math.min(500, pages - 1);
const clients = 16;
const targetOf = (slug: string) => ({
  host: `${slug}.localhost`,
  path: `/api/public/${slug}/summary?include=response-time`,
});
const target = targetOf(slugOf(0));

await withStores(async (stores) => {
  const heartline = await startHeartline(stores);
  await fill(stores);
  await readCold(heartline, 1, 1);
  await readCold(heartline, clients, 1 + coldReads / 2);
  const bare = await startBare();
  const { etag = '' } = (await read(heartline.port, target, {})).headers;
  const compare = (name: string, headers: Record<string, string>, vary = false) =>
    compareReads(bare, { name, port: heartline.port, target, headers, vary });
  await compare('200, identity', {});
  await compare('200, gzip', { 'accept-encoding': 'gzip' });
  await compare('200, brotli', { 'accept-encoding': 'gzip, deflate, br' });
  await compare('304', { 'if-none-match': etag });
  const before = await residentMb(heartline);
  await compare('200, gzip, another URL each', { 'accept-encoding': 'gzip' }, true);
  await compare('304, another URL each', { 'if-none-match': etag }, true);
  line(`memory ${before} MB before the URLs that differ, ${await residentMb(heartline)} MB after them`);
  bare.process.disconnect();
  await stopHeartline(heartline);
});

async function fill({ databaseUrl, clickhouseUrl }: Stores): Promise<void> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  const clickhouse = openClickHouse(clickhouseUrl);
  const startedAt = performance.now();
  await fillPages(sql, clickhouse, pages);
  await clickhouse.close();
  await sql.end();
  line(
    `${pages} pages of ${services} services filled in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
  );
}

/** Reads pages for the first time: half of them one after another, half by many clients at once. */
async function readCold({ port }: Heartline, clients: number, firstPage: number): Promise<void> {
  const latencies: number[] = [];
  let next = Math.floor(firstPage);
  const end = next + Math.floor(coldReads / 2);
  const client = async (): Promise<void> => {
    while (next < end) {
      const page = slugOf(next++);
      const startedAt = performance.now();
      const { status } = await read(port, targetOf(page), { 'accept-encoding': 'gzip' });
      if (status !== 200) throw new Error(`${page} answered ${status}.`);
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  latencies.sort((a, b) => a - b);
  const at = (q: number) => latencies[Math.floor(q * (latencies.length - 1))]?.toFixed(1);
  line(
    `${latencies.length} cold reads, ${clients} at a time: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms`,
  );
}

async function residentMb({ port }: Heartline): Promise<string> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const bytes = Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
  return (bytes / 1e6).toFixed(0);
}
