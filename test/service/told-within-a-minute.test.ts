import { createTask } from 'node-cron';
import t from 'tap';
import { changeAlertsOfRule, endAlertsOfRule } from '../../control/alerts/index.js';
import { type PutRuleFields, putRule } from '../../control/rules/index.js';
import type { PageId } from '../../lib/ids.js';
import { hourMs, minuteMs, secondMs } from '../../lib/times.js';
import type { JobDeps } from '../../service/jobs/job.js';
import { jobs } from '../../service/jobs/jobs.js';
import { insertRequests, type LandingRow } from '../analytics/support.js';
import { testActor } from '../support/actor.js';
import { makeChannel } from '../support/channels.js';
import { makePage } from '../support/pages.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';

const { sql, clickhouse } = await openStores(t);
let begin = Math.floor(Date.now() / hourMs) * hourMs - 10 * hourMs;
let now = begin;
const clock = { now: () => now };
const deps: JobDeps = { sql, clickhouse, clickhouseOf: () => clickhouse, clock, log: silentLog };
const ruleDeps = {
  ...{ sql, clock, by: testActor, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule },
};
const watching = jobs.find(({ name }) => name === 'watch-rules');
if (watching === undefined) throw new Error('There is no job that looks at rules.');
let made = 0;

const failing: PutRuleFields = {
  ...{ slug: 'failing', name: 'Fails', kind: 'failure-rate', forSeconds: 0 },
  condition: { percent: 5, windowMinutes: 1, requestsMin: 10 },
};
const slow: PutRuleFields = {
  ...{ slug: 'slow', name: 'Slow', kind: 'latency', forSeconds: 0 },
  condition: { percentile: 'p95', overMs: 500, windowMinutes: 1, requestsMin: 10 },
};

async function makeWatched(rule: PutRuleFields): Promise<PageId> {
  const { id: pageId } = await makePage(sql, { slug: `page-${++made}` });
  await sql`delete from rules where page_id = ${pageId}`;
  await putRule(ruleDeps, { ...rule, pageId });
  await makeChannel({ sql, clock }, pageId, { settings: { url: 'https://hooks.example.com/' } });
  return pageId;
}

type Arrivals = {
  rule: PutRuleFields;
  bad: Partial<LandingRow>;
  /** Requests begin to fail in every one of so many seconds. */
  everySeconds: number;
  lateSeconds?: number;
  schedule?: string;
};

type Told = { second: number; delay: number | undefined };

/**
 * Steps through three minutes second by second, and looks when the schedule says so. In seconds of the first minute the requests of
 * another page each begin to fail; they are in the store so many seconds later. Returns the seconds from then to the message.
 */
async function findDelays({ rule, bad, everySeconds, lateSeconds = 0, schedule }: Arrivals): Promise<Told[]> {
  begin += hourMs;
  now = begin;
  await sql`update rules set enabled = false`;
  const task = createTask(schedule ?? watching?.schedule ?? '', () => undefined, { timezone: 'UTC' });
  const pages = new Map<number, PageId>();
  for (let second = 0; second < 60; second += everySeconds) pages.set(second, await makeWatched(rule));
  for (let second = 0; second < 180; second += 1) {
    now = begin + second * secondMs;
    // The looks come before the requests of their second: those wait longest.
    if (task.match(new Date(now))) await watching?.run(deps);
    const pageId = pages.get(second - lateSeconds);
    if (pageId === undefined) continue;
    const row = { requests: 20, ...bad, at: now - lateSeconds * secondMs };
    await insertRequests(clickhouse, pageId, [row, { at: row.at - minuteMs, requests: 20 }]);
  }
  const queued = await sql<{ pageId: PageId; at: Date }[]>`
    select page_id as "pageId", min(next_attempt_at) as at from channel_messages group by page_id`;
  const dueAt = new Map(queued.map(({ pageId, at }) => [pageId, at.getTime()]));
  return [...pages].map(([second, pageId]) => {
    const at = dueAt.get(pageId);
    return { second, delay: at === undefined ? undefined : (at - begin) / secondMs - second };
  });
}

const late = (told: readonly Told[]) => told.filter(({ delay }) => delay === undefined || delay >= 60);
const failures = { rule: failing, bad: { status: 503 } };

t.test(
  'a message is queued within 60 s of the first failure, whichever second of the minute that is',
  async (t) => {
    const told = await findDelays({ ...failures, everySeconds: 1 });
    t.equal(told.length, 60);
    t.strictSame(late(told), []);
    t.equal(Math.max(...told.map(({ delay = 0 }) => delay)), 45, 'those of the first second wait longest');
  },
);

t.test('so are those that the store has five seconds later, as under load', async (t) => {
  t.strictSame(late(await findDelays({ ...failures, everySeconds: 4, lateSeconds: 5 })), []);
});

t.test('and slow ones', async (t) => {
  const latencyMs = Array.from({ length: 20 }, () => 1_000);
  t.strictSame(late(await findDelays({ rule: slow, bad: { latencyMs }, everySeconds: 5 })), []);
});

t.test('one look a minute would be too few', async (t) => {
  const told = await findDelays({ ...failures, everySeconds: 10, schedule: '15 * * * * *' });
  t.strictSame(late(told), [
    { second: 0, delay: 75 },
    { second: 10, delay: 65 },
  ]);
});
