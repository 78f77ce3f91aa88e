import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { deferred } from '../../lib/deferred.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { computePoints } from '../../rollups/compute-points.js';
import type { JobDeps } from '../../service/jobs/job.js';
import { environmentFor } from '../support/cli-environment.js';
import { referencePoints, sumByDay } from '../support/reference-points.js';
import { runHeartline } from '../support/run-heartline.js';
import { type Check, checksEvery, type Excluded, type Owner, openUptime } from '../support/uptime.js';
import { waitUntil } from '../support/wait-until.js';

const uptime = await openUptime(t);
const { sql, clickhouse } = uptime;
let arranged = 0;

type Arranged = { begin: number; now: number; owners: Owner[]; checks: Check[] };

/** Two monitors of a page with checks over two and a half hours, in which they are down for a while. */
async function arrange(): Promise<Arranged> {
  arranged += 1;
  const begin = Date.parse('2026-03-01T22:00:00Z') + arranged * 3 * dayMs;
  const owner = await uptime.addMonitor('api');
  const owners = [owner, await uptime.addMonitor('web', owner.pageId)];
  const checks = checksEvery(60, begin, begin + 150 * minuteMs).map((check, i) => ({
    ...check,
    up: i % 50 < 40,
    ok: i % 10 < 9,
  }));
  for (const each of owners) await uptime.addChecks(each, checks);
  return { begin, now: begin + 155 * minuteMs, owners, checks };
}

async function checkPoints(
  t: Test,
  { owners, checks, now }: Arranged,
  excluded: Excluded[],
  message: string,
): Promise<void> {
  const expected = referencePoints({ checks, excluded, now });
  for (const owner of owners) {
    t.strictSame(await uptime.points(owner, 'hour'), expected, message);
    t.strictSame(await uptime.points(owner, 'day'), sumByDay(expected), message);
  }
}

/** Stores that execute the n-th query but lose its response, and fail every later query. */
function storesThatBreak(afterQuestion: number): { deps: JobDeps; asked(): number } {
  let asked = 0;
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    asked += 1;
    if (asked > afterQuestion) throw new Error('gone');
    const answer = await question();
    if (asked === afterQuestion) throw new Error('lost');
    return answer;
  };
  const deps: JobDeps = {
    ...uptime.deps,
    clickhouse: new Proxy(clickhouse, {
      get(target, name) {
        if (name === 'query') return (...args: [never]) => ask(() => target.query(...args));
        if (name === 'command') return (...args: [never]) => ask(() => target.command(...args));
        return Reflect.get(target, name);
      },
    }),
    sql: new Proxy(sql, {
      apply: (target, self, args) => ask(async () => Reflect.apply(target, self, args)),
      get: (target, name) =>
        name === 'begin' ? (work: never) => ask(() => target.begin(work)) : Reflect.get(target, name),
    }),
  };
  return { deps, asked: () => asked };
}

async function insertedUntil(): Promise<number | undefined> {
  const [row] = await sql<{ at: Date }[]>`select checks_inserted_until as at from points_progress`;
  return row?.at.getTime();
}

t.test('wherever a run breaks off, the next run completes it', async (t) => {
  let broke = true;
  for (let question = 1; broke; question += 1) {
    const state = await arrange();
    const [owner] = state.owners as [Owner];
    const pause = { from: state.begin + 70 * minuteMs, to: state.begin + 100 * minuteMs };
    const id = await uptime.pause(owner, pause, true);
    uptime.time.now = state.now - 10 * minuteMs;
    const { deps, asked } = storesThatBreak(question);
    const before = await insertedUntil();
    await computePoints(deps).catch(() => {});
    broke = asked() >= question;
    // Changes that were recorded as known are not found again.
    if ((await insertedUntil()) !== before) await uptime.settle();
    // The points that were computed with the pause are wrong now, and no applied exclusion shows it.
    await sql`delete from pauses where id = ${id}`;
    await uptime.run(state.now);
    await checkPoints(t, state, [], `broken off after question ${question}`);
    t.strictSame([...(await sql`select 1 from points_batches`)], []);
    if (question > 30) throw new Error('A run of a few monitors asks too much.');
  }
});

t.test('points of a slow run do not count after another run has begun', async (t) => {
  const state = await arrange();
  const [owner] = state.owners as [Owner];
  const id = await uptime.pause(owner, { from: state.begin, to: state.begin + 100 * minuteMs }, true);
  uptime.time.now = state.now;
  const reached = deferred<void>();
  const opened = deferred<void>();
  const slow = new Proxy(clickhouse, {
    get(target, name) {
      if (name !== 'command') return Reflect.get(target, name);
      return async (...args: [never]) => {
        reached.resolve();
        await opened.promise;
        return target.command(...args);
      };
    },
  });
  const first = computePoints({ ...uptime.deps, clickhouse: slow });
  await reached.promise;
  await sql`delete from pauses where id = ${id}`;
  await uptime.run(state.now);
  await checkPoints(t, state, [], 'the points are those of the later run');
  opened.resolve();
  await first;
  await checkPoints(t, state, [], 'the points stay when the first run ends');
  await uptime.run(state.now);
  await checkPoints(t, state, [], 'the points stay after the next run');
});

t.test('concurrent and repeated runs give the same points', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const state = await arrange();
    const [owner] = state.owners as [Owner];
    const pause = { from: state.begin + 30 * minuteMs, to: state.begin + 100 * minuteMs };
    await uptime.pause(owner, pause, true);
    uptime.time.now = state.now;
    await Promise.all([1, 2, 3].map(() => computePoints(uptime.deps)));
    await checkPoints(t, state, [pause], 'three concurrent runs');
    await computePoints(uptime.deps);
    await checkPoints(t, state, [pause], 'a repeated run');
  }
});

t.test('a process that is killed halfway leaves the rest to the next run', async (t) => {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const owner = await uptime.addMonitor();
  await clickhouse.command({
    query: `INSERT INTO checks (page_id, monitor_id, at, interval_seconds, ok, up, total_ms)
      SELECT {pageId:UUID}, toUUID(concat('00000000-0000-7000-8000-0000000000', leftPad(toString(m.number), 2, '0'))),
        fromUnixTimestamp64Milli({begin:Int64} + 300000 * toInt64(c.number)), 300, 1, 1, 20
      FROM numbers(40) AS m CROSS JOIN numbers(288 * 40) AS c`,
    query_params: { ...owner, begin: today - 50 * dayMs },
  });
  const waiting = async (): Promise<number> => (await sql`select 1 from points_batches`).length;
  const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  const child = spawn(process.execPath, [main, 'jobs', 'run', 'compute-points'], {
    env: environmentFor(uptime),
    stdio: 'ignore',
  });
  await waitUntil('batches wait', async () => (await waiting()) > 2);
  const planned = await waiting();
  await waitUntil('one is done', async () => (await waiting()) < planned);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.on('close', resolve));
  t.ok((await waiting()) > 0, 'batches are left');
  await uptime.settle();
  // No other process may run the job until the lease of the killed one ends.
  await sql`update job_leases set expires_at = now()`;
  const { code, stderr } = await runHeartline(['jobs', 'run', 'compute-points'], environmentFor(uptime));
  t.equal(code, 0, stderr);
  t.equal(await waiting(), 0);
  const answer = await clickhouse.query({
    query: `SELECT countDistinct(monitor_id) AS monitors, count() AS days, min(observed_ms) AS least, sum(checks) AS total,
        min(up_ms = observed_ms) AS up FROM monitor_days FINAL WHERE page_id = {pageId:UUID} AND checks > 0`,
    query_params: owner,
    format: 'JSONEachRow',
  });
  const [sums] = await answer.json<Record<string, number | string>>();
  t.same(sums, { monitors: 40, days: 1600, least: dayMs, total: 40 * 40 * 288, up: 1 });
});
