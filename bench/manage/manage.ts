import { setTimeout as sleep } from 'node:timers/promises';
import { monitorLimits } from '../../contract/monitors.js';
import { cliActor } from '../../control/audit/index.js';
import { createKey } from '../../control/keys/index.js';
import { createPasswords, createUser } from '../../control/people/index.js';
import { systemClock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { type Heartline, startHeartline, stopHeartline } from '../support/heartline.js';
import { line, median } from '../support/report.js';
import { type Stores, withStores } from '../support/stores.js';

/** Lists the monitors of a large page, and compares other requests with and without people who sign in. */
const monitors = monitorLimits.monitorsPerPage;
const perPart = 200;
const listRounds = 200;
const signInRounds = 3;
const roundMs = 10_000;
/** Time from one request to the next while people sign in. */
const paceMs = 20;
/** A key sends 600 requests a minute at most. */
const keyCount = 40;
const person = { email: 'bench@example.com', name: 'Bench', password: 'a password for one benchmark' };

type Target = { url: string; slug: string; nextKey(): string };

await withStores(async (stores) => {
  const heartline = await startHeartline(stores);
  const target = await fill(stores, heartline);
  await measureLists(target, 1);
  await measureLists(target, 4);
  await addPerson(stores);
  await compareSignIn(target);
  await stopHeartline(heartline);
});

async function fill({ databaseUrl }: Stores, { port, pageId }: Heartline): Promise<Target> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  const deps = { sql, clock: systemClock, by: cliActor('bench') };
  await sql`
    insert into monitors (id, page_id, slug, name, url, position, created_at, state, state_since, last_checked_at)
    select gen_random_uuid(), ${pageId}, 'monitor-' || n, 'Monitor ' || n, 'https://example.com/' || n, n, now(),
      'up', now(), now()
    from generate_series(1, ${monitors}::integer) as n`;
  const keys: string[] = [];
  while (keys.length < keyCount) keys.push((await createKey(deps, { pageId, scope: 'manage' })).key);
  const slug = await slugOf(sql, pageId);
  await sql.end();
  let at = 0;
  return {
    url: `http://127.0.0.1:${port}`,
    slug,
    nextKey: () => keys[at++ % keys.length] ?? '',
  };
}

async function addPerson({ databaseUrl }: Stores): Promise<void> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  const deps = { sql, clock: systemClock, by: cliActor('bench'), passwords: createPasswords() };
  await createUser(deps, { ...person, isAdmin: true });
  await sql.end();
}

async function slugOf(sql: Sql, pageId: PageId): Promise<string> {
  const [page] = await sql<{ slug: string }[]>`select slug from pages where id = ${pageId}`;
  if (page === undefined) throw new Error('The benchmark has no page.');
  return page.slug;
}

type Part = { items: unknown[]; nextCursor: string | null };

/** Reads one part of the list and returns it with its milliseconds. */
async function readPart(
  { url, slug, nextKey }: Target,
  cursor: string | null,
): Promise<{ part: Part; ms: number }> {
  const query = `limit=${perPart}${cursor === null ? '' : `&cursor=${cursor}`}`;
  const startedAt = performance.now();
  const response = await fetch(`${url}/api/v1/pages/${slug}/monitors?${query}`, {
    headers: { authorization: `Bearer ${nextKey()}` },
  });
  if (response.status !== 200) throw new Error(`The list answered ${response.status}.`);
  const part = (await response.json()) as Part;
  return { part, ms: performance.now() - startedAt };
}

/** Lists everything again and again, with so many clients at once. */
async function measureLists(target: Target, clients: number): Promise<void> {
  const times: number[] = [];
  async function list(): Promise<void> {
    let [cursor, count]: [string | null, number] = [null, 0];
    do {
      const { part, ms } = await readPart(target, cursor);
      times.push(ms);
      count += part.items.length;
      cursor = part.nextCursor;
    } while (cursor !== null);
    if (count !== monitors) throw new Error(`${count} of ${monitors} monitors were listed.`);
  }
  await list();
  times.length = 0;
  const client = async (): Promise<void> => {
    for (let round = 0; round < listRounds / clients; round += 1) await list();
  };
  await Promise.all(Array.from({ length: clients }, client));
  line(`${monitors} monitors in parts of ${perPart}, clients ${clients}: ${describe(times)}`);
}

/**
 * Reads at a fixed pace, in turn while nobody signs in, while this process hashes passwords, and while people sign in: on
 * a machine with few cores the hash itself slows down everything, wherever it is made.
 */
async function compareSignIn(target: Target): Promise<void> {
  const ratios: { toQuiet: number; toHashes: number }[] = [];
  const passwords = createPasswords();
  for (let round = 0; round < signInRounds; round += 1) {
    const quiet = await readForAWhile(target);
    const besides = await readBeside(target, () => passwords.hash(person.password, 'bench'));
    const signingIn = await readBeside(target, () => signIn(target));
    const p99 = quantile(signingIn.reads, 0.99);
    ratios.push({
      toQuiet: p99 / quantile(quiet, 0.99),
      toHashes: p99 / quantile(besides.reads, 0.99),
    });
    line(`reads while nobody signs in: ${describe(quiet)}`);
    line(
      `reads while another process hashes passwords: ${describe(besides.reads)}; a hash ${describe(besides.work)}`,
    );
    line(`reads while people sign in: ${describe(signingIn.reads)}; a sign-in ${describe(signingIn.work)}`);
  }
  const toQuiet = median(ratios.map((ratio) => ratio.toQuiet)).toFixed(2);
  const toHashes = median(ratios.map((ratio) => ratio.toHashes)).toFixed(2);
  line(
    `p99 of reads while people sign in: ${toHashes} of that beside hashes elsewhere, ${toQuiet} of the quiet one`,
  );
}

/** Reads while work is repeated, one piece after another. */
async function readBeside(
  target: Target,
  work: () => Promise<unknown>,
): Promise<Record<'reads' | 'work', number[]>> {
  const stop = new AbortController();
  const times: number[] = [];
  const repeat = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const startedAt = performance.now();
      await work();
      times.push(performance.now() - startedAt);
    }
  };
  const working = repeat();
  const reads = await readForAWhile(target);
  stop.abort();
  await working;
  return { reads, work: times };
}

async function readForAWhile(target: Target): Promise<number[]> {
  const times: Promise<number>[] = [];
  const endAt = performance.now() + roundMs;
  while (performance.now() < endAt) {
    times.push(readPart(target, null).then(({ ms }) => ms));
    await sleep(paceMs);
  }
  return Promise.all(times);
}

async function signIn({ url }: Target): Promise<void> {
  const response = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email: person.email, password: person.password }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Signing in answered ${response.status}: ${text}`);
}

function quantile(times: readonly number[], q: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(q * sorted.length) - 1] ?? Number.NaN;
}

function describe(times: readonly number[]): string {
  return `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
}
