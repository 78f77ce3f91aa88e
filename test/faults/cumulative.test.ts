import t, { type Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import { inTransaction } from '../../sql/in-transaction.js';
import { attributesOf, cumulative, metricsOf, usualAttributes } from '../support/otlp.js';
import { makeKey, makePage } from '../support/pages.js';
import { countRequests } from '../support/rollups.js';
import { openStores } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';
import { onLinux, type RunningService, serveOn } from './running-service.js';

const stores = await openStores(t);
const { sql, clickhouse } = stores;
const perExport = 7;
const stepMs = 1_000;

type Exported = { sender: string; number: number; startedAt: number };

/** An export of an SDK: two series of a process, whose counts have grown by seven since the one before. */
function exportOf({ sender, number, startedAt }: Exported): string {
  const nano = (ms: number): string => String(BigInt(ms) * 1_000_000n);
  const pointOf = (status: number, low: number, high: number) => ({
    attributes: attributesOf({ ...usualAttributes, 'http.response.status_code': status, sender }),
    ...{ startTimeUnixNano: nano(startedAt), timeUnixNano: nano(startedAt + number * stepMs) },
    ...{ count: String(low + high), bucketCounts: [String(low), String(high)], explicitBounds: [0.1] },
  });
  const metric = {
    ...{ name: 'http.server.request.duration', unit: 's' },
    histogram: {
      aggregationTemporality: cumulative,
      dataPoints: [pointOf(200, 4 * number, 2 * number), pointOf(500, number, 0)],
    },
  };
  return JSON.stringify(metricsOf('shop', [metric]));
}

/** Returns the status, or 0 when the connection breaks. */
async function post(url: string, key: string, body: string): Promise<number> {
  const answer = await fetch(`${url}/v1/metrics`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(20_000),
  }).catch(() => undefined);
  const said = await answer?.text().catch(() => undefined);
  if (answer === undefined || said === undefined) return 0;
  if (answer.status === 200 && said !== '{}') throw new Error(`Something was left out: ${said}`);
  if (answer.status !== 200 && answer.status !== 503) throw new Error(`${answer.status}: ${said}`);
  return answer.status;
}

async function makeSender(slug: string) {
  const { id: pageId } = await makePage(sql, { slug });
  const { key } = await makeKey({ sql, clock: systemClock }, { slug, scope: 'ingest' });
  return { pageId, key, startedAt: systemClock.now() - 60_000 };
}

async function kill(t: Test, service: RunningService): Promise<void> {
  process.kill(service.pid, 'SIGKILL');
  t.same(await service.exited, { code: null, signal: 'SIGKILL' });
}

/** Another instance, or the next start, brings what a killed one had acknowledged to the store within 55 s. */
async function untilCounted(pageId: string, requests: number): Promise<void> {
  await waitUntil(
    'all is stored',
    async () => (await countRequests(clickhouse, pageId)) >= requests,
    120_000,
  );
}

t.test(
  'an instance killed while it counts points: they count once, by the other instance',
  onLinux,
  async (t) => {
    const { pageId, key, startedAt } = await makeSender('interrupted');
    const [killed, other] = [await serveOn(t, stores), await serveOn(t, stores)];
    const bodyOf = (number: number) => exportOf({ sender: 'a', number, startedAt });
    t.equal(await post(killed.url, key, bodyOf(1)), 200);
    await untilCounted(pageId, perExport);
    let interrupted: Promise<number> | undefined;
    await inTransaction(sql, async (tx) => {
      await tx`select 1 from series_groups where page_id = ${pageId} for update`;
      interrupted = post(killed.url, key, bodyOf(2));
      await waitUntil('the points wait for their series', async () => {
        const waiting = await sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.length > 0;
      });
      await kill(t, killed);
    });
    t.equal(await interrupted, 0, 'the sender gets no answer');
    await waitUntil('it is taken', async () => (await post(other.url, key, bodyOf(2))) === 200);
    t.equal(await post(other.url, key, bodyOf(2)), 200);
    await untilCounted(pageId, 2 * perExport);
    t.equal(await countRequests(clickhouse, pageId), 2 * perExport);
  },
);

t.test(
  'two instances killed in turn while processes export totals, and send them again to either: all count once',
  { ...onLinux, timeout: 280_000 },
  async (t) => {
    const { pageId, key, startedAt } = await makeSender('killed');
    const instances = [await serveOn(t, stores), await serveOn(t, stores)];
    const urlOf = (turn: number): string => instances[turn % 2]?.url ?? '';
    const [exportsEach, senders] = [60, ['a', 'b', 'c', 'd']];
    const progress = senders.map(() => 0);
    let attempts = 0;
    /** Sends each export to either instance until it is taken, and every fifth one once more to the other. */
    const run = async (sender: string, place: number): Promise<void> => {
      let turn = place;
      for (let number = 1; number <= exportsEach; number += 1) {
        const body = exportOf({ sender, number, startedAt });
        await waitUntil(
          'an export is taken',
          async () => {
            attempts += 1;
            turn += 1;
            return (await post(urlOf(turn), key, body)) === 200;
          },
          120_000,
        );
        if (number % 5 === 0) await post(urlOf(turn + 1), key, body);
        progress[place] = number;
      }
    };
    const runs = Promise.all(senders.map(run));
    for (const [i, goal] of [15, 30, 45].entries()) {
      await waitUntil('the processes go on', () => Math.min(...progress) >= goal, 120_000);
      const service = instances[i % 2];
      if (service === undefined) throw new Error('There is no such instance.');
      await kill(t, service);
      instances[i % 2] = await serveOn(t, stores);
    }
    await runs;
    // The last acknowledged differences are in PostgreSQL alone.
    await Promise.all(instances.map((service) => kill(t, service)));
    instances[0] = await serveOn(t, stores);
    for (const sender of senders)
      t.equal(await post(urlOf(0), key, exportOf({ sender, number: exportsEach, startedAt })), 200);
    const all = perExport * exportsEach * senders.length;
    t.comment(`${attempts} bodies for ${exportsEach * senders.length}, ${all} requests`);
    await untilCounted(pageId, all);
    t.equal(await countRequests(clickhouse, pageId), all);
  },
);
