import t, { type Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import { inTransaction } from '../../sql/in-transaction.js';
import { makeKey, makePage } from '../support/pages.js';
import { classic, remoteWriteHeaders, type TestSeries, writeBody } from '../support/remote-write.js';
import { countRequests } from '../support/rollups.js';
import { openStores } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';
import { onLinux, type RunningService, serveOn } from './running-service.js';

const stores = await openStores(t);
const { sql, clickhouse } = stores;

const metric = 'http_request_duration_seconds';
const stepMs = 1_000;

/** A histogram whose count grows by seven with each scrape: its buckets in two parts, as two shards send them. */
function partsOf(scrape: number, startedAt: number, handler: string): [TestSeries[], TestSeries[]] {
  const counts = { '0.1': 2 * scrape, '0.5': 5 * scrape, '+Inf': 7 * scrape };
  const labels = { job: 'shop', instance: 'a', handler, code: '200' };
  const series = classic(metric, labels, startedAt + scrape * stepMs, counts);
  return [series.filter((_, i) => i % 2 === 0), series.filter((_, i) => i % 2 === 1)];
}

/** Sends a body until it is accepted, as Prometheus does. Returns how often it was sent. */
async function send(urlOf: () => string, key: string, series: readonly TestSeries[]): Promise<number> {
  const body = new Uint8Array(writeBody(series));
  let attempts = 0;
  await waitUntil(
    'a body is accepted',
    async () => {
      attempts += 1;
      const answer = await fetch(`${urlOf()}/api/v1/prometheus/write`, {
        method: 'POST',
        body,
        headers: { ...remoteWriteHeaders, authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(20_000),
      }).catch(() => undefined);
      if (answer !== undefined && answer.status < 500 && answer.status !== 204)
        throw new Error(`${answer.status}: ${await answer.text()}`);
      return answer?.status === 204;
    },
    120_000,
  );
  return attempts;
}

async function makeSender(slug: string) {
  const { id: pageId } = await makePage(sql, { slug });
  const { key } = await makeKey({ sql, clock: systemClock }, { slug, scope: 'ingest' });
  return { pageId, key, startedAt: systemClock.now() - 600_000 };
}

async function kill(t: Test, service: RunningService): Promise<void> {
  process.kill(service.pid, 'SIGKILL');
  t.same(await service.exited, { code: null, signal: 'SIGKILL' });
}

t.test(
  'the service killed after the buckets were joined and before they count: they count once',
  onLinux,
  async (t) => {
    const { pageId, key, startedAt } = await makeSender('joined');
    let service = await serveOn(t, stores);
    const url = () => service.url;
    for (const scrape of [0, 1]) await send(url, key, partsOf(scrape, startedAt, '/a').flat());
    const [first, last] = partsOf(2, startedAt, '/a');
    await send(url, key, first);
    let interrupted: Promise<number> | undefined;
    const { url: killedUrl } = service;
    await inTransaction(sql, async (tx) => {
      await tx`select 1 from series_groups where page_id = ${pageId} for update`;
      interrupted = fetchOnce(killedUrl, key, last);
      await waitUntil('the buckets are joined', async () => (await waitingBuckets(pageId)) === 4);
      await kill(t, service);
    });
    t.equal(await interrupted, 0, 'the sender gets no answer');
    service = await serveOn(t, stores);
    await send(url, key, last);
    await send(url, key, last);
    t.equal(await waitingBuckets(pageId), 0);
    await waitUntil('all is stored', async () => (await countRequests(clickhouse, pageId)) >= 14, 60_000);
    t.equal(await countRequests(clickhouse, pageId), 14);
  },
);

/** Returns the status, or 0 when the connection breaks. */
async function fetchOnce(url: string, key: string, series: readonly TestSeries[]): Promise<number> {
  const answer = await fetch(`${url}/api/v1/prometheus/write`, {
    method: 'POST',
    body: new Uint8Array(writeBody(series)),
    headers: { ...remoteWriteHeaders, authorization: `Bearer ${key}` },
  }).catch(() => undefined);
  return answer?.status ?? 0;
}

/** Buckets of the points that wait, with the count beside the buckets. */
async function waitingBuckets(pageId: string): Promise<number> {
  const [row] = await sql<{ buckets: number }[]>`
    select count(*)::int as buckets from remote_write_joins,
      json_array_elements(waiting) as point, json_each(point -> 'buckets')
    where page_id = ${pageId}`;
  return row?.buckets ?? 0;
}

t.test(
  'two instances killed in turn while shards send buckets and send them again: all count once',
  { ...onLinux, timeout: 280_000 },
  async (t) => {
    const { pageId, key, startedAt } = await makeSender('killed');
    const instances = [await serveOn(t, stores), await serveOn(t, stores)];
    const [scrapes, handlers] = [60, ['/a', '/b', '/c', '/d']];
    const progress = [0, 0];
    let attempts = 0;
    /** One shard: its part of every histogram, over either instance, one body after another. */
    const shard = async (part: 0 | 1): Promise<void> => {
      for (let scrape = 0; scrape <= scrapes; scrape += 1) {
        const series = handlers.flatMap((handler) => partsOf(scrape, startedAt, handler)[part]);
        let turn = scrape + part;
        const made = await send(() => instances[turn++ % 2]?.url ?? '', key, series);
        attempts += made;
        progress[part] = scrape;
      }
    };
    const shards = Promise.all([shard(0), shard(1)]);
    for (const [i, goal] of [15, 30, 45].entries()) {
      await waitUntil('the shards go on', () => Math.min(...progress) >= goal, 120_000);
      const service = instances[i % 2];
      if (service === undefined) throw new Error('There is no such instance.');
      await kill(t, service);
      instances[i % 2] = await serveOn(t, stores);
    }
    await shards;
    t.comment(`${attempts} bodies for ${2 * (scrapes + 1)}`);
    // The first point of a series does not count.
    const all = 7 * scrapes * handlers.length;
    await waitUntil('all is stored', async () => (await countRequests(clickhouse, pageId)) >= all, 60_000);
    t.equal(await countRequests(clickhouse, pageId), all);
  },
);
