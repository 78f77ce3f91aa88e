import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { incidentLimits } from '../../contract/incidents.js';
import { cliActor } from '../../control/audit/index.js';
import { createKey } from '../../control/keys/index.js';
import { createPage } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { startHeartline, stopHeartline } from '../support/heartline.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';

/** Announces an incident to many subscribers while other pages open incidents. */
const subscribers = 10_000;
const rounds = 3;
const idleSeconds = 40;
const pauseMs = 25;
/** Enough keys that none reaches its limit of requests a minute at that pause. */
const keysCount = Math.ceil((60_000 / pauseMs / incidentLimits.requestsPerMinute) * 1.5);

await withStores(async (stores) => {
  const sink = fork(new URL('../servers/smtp-sink.js', import.meta.url));
  const [smtpPort] = (await once(sink, 'message')) as [number];
  const heartline = await startHeartline({ ...stores, smtpUrl: `smtp://127.0.0.1:${smtpPort}` });
  const sql = openPostgres(stores.databaseUrl, { max: 1 });
  const url = `http://127.0.0.1:${heartline.port}/api/v1/incidents`;
  const [large] = await makeKeys(sql, 'large', 1);
  const others = await makeKeys(sql, 'others', keysCount);
  await fillSubscribers(sql, 'large');

  const next = inTurn(others);
  const waitForAll = async (): Promise<void> => {
    const before = await countTaken(sink);
    const startedAt = performance.now();
    await post(url, large ?? '');
    while ((await countTaken(sink)) < before + subscribers) await sleep(50);
    const seconds = (performance.now() - startedAt) / 1000;
    line(`${subscribers} emails in ${seconds.toFixed(1)} s, ${Math.round(subscribers / seconds)} messages/s`);
  };
  await measure(url, next, () => sleep(2_000)); // Warms up.
  const idle: number[] = [];
  const busy: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    idle.push(...(await measure(url, next, () => sleep(idleSeconds * 1000))));
    busy.push(...(await measure(url, next, waitForAll)));
  }
  line(`POST /api/v1/incidents idle      ${describe(idle)}`);
  line(`POST /api/v1/incidents meanwhile ${describe(busy)}`);
  line(
    `meanwhile/idle p50 ${(at(busy, 0.5) / at(idle, 0.5)).toFixed(2)}, p99 ${(at(busy, 0.99) / at(idle, 0.99)).toFixed(2)}`,
  );
  await sql.end();
  await stopHeartline(heartline);
  sink.disconnect();
});

async function makeKeys(sql: Sql, slug: string, count: number): Promise<string[]> {
  const { id: pageId } = await createPage(
    { sql, clock: systemClock, by: cliActor('bench') },
    { slug, hostname: `${slug}.localhost` },
  );
  const keys: string[] = [];
  for (let i = 0; i < count; i += 1) {
    keys.push(
      (await createKey({ sql, clock: systemClock, by: cliActor('bench') }, { pageId, scope: 'incident' }))
        .key,
    );
  }
  return keys;
}

async function fillSubscribers(sql: Sql, slug: string): Promise<void> {
  await sql`
    insert into subscribers (id, page_id, email, language, created_at, requested_at, confirmed_at)
    select gen_random_uuid(), p.id, 'n' || n || '@example.com', 'en', now(), now(), now()
    from pages p, generate_series(1, ${subscribers}) as n where p.slug = ${slug}`;
}

/** Opens an incident after each pause until `until` resolves. Returns the latencies in milliseconds. */
async function measure(url: string, nextKey: () => string, until: () => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  let over = false;
  const end = until().finally(() => {
    over = true;
  });
  while (!over) {
    const startedAt = performance.now();
    await post(url, nextKey());
    latencies.push(performance.now() - startedAt);
    await sleep(pauseMs);
  }
  await end;
  return latencies;
}

async function post(url: string, key: string): Promise<void> {
  const now = new Date().toISOString();
  // Over at once, because a page has a limit of open incidents.
  const incident = {
    title: 'Database outage',
    summary: 'Connections time out since this morning. We are looking for the reason.',
    ...{ startedAt: now, resolvedAt: now },
  };
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(incident),
  });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

async function countTaken(sink: ChildProcess): Promise<number> {
  sink.send('count');
  const [taken] = (await once(sink, 'message')) as [number];
  return taken;
}

function inTurn(keys: readonly string[]): () => string {
  let turn = 0;
  return () => keys[turn++ % keys.length] ?? '';
}

function at(latencies: readonly number[], q: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

function describe(latencies: readonly number[]): string {
  return `p50 ${at(latencies, 0.5).toFixed(1)} ms, p99 ${at(latencies, 0.99).toFixed(1)} ms, ${latencies.length} requests`;
}
