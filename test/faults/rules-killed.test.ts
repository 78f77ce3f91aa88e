import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { changeAlertsOfRule, endAlertsOfRule } from '../../control/alerts/index.js';
import { putRule } from '../../control/rules/index.js';
import type { PageId } from '../../lib/ids.js';
import { hourMs, minuteMs, secondMs } from '../../lib/times.js';
import { insertRequests } from '../analytics/support.js';
import { testActor } from '../support/actor.js';
import { makeChannel } from '../support/channels.js';
import { makePage } from '../support/pages.js';
import { openStores } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';

/** How long instances are killed; HEARTLINE_TEST_RULES_SECONDS=600 takes ten minutes. A second is a minute of their clocks. */
const seconds = Number(process.env['HEARTLINE_TEST_RULES_SECONDS'] ?? 40);
const [pages, rulesPerPage] = [20, 10];
/** Each rule fails for 15 minutes and is well for as long, in a turn of its own. */
const halfMinutes = 15;
/** All are well in the first minutes and in the last. */
const quietMinutes = 10;
const minutes = quietMinutes + seconds;

const { sql, clickhouse, databaseUrl, clickhouseUrl } = await openStores(t);
const begin = Math.floor(Date.now() / hourMs) * hourMs - 24 * hourMs;
const deps = { sql, clock: { now: () => begin }, by: testActor };
const ruleDeps = { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };

function fails(rule: number, minute: number): boolean {
  if (minute < quietMinutes || minute >= minutes) return false;
  return Math.floor((minute + rule * 7) / halfMinutes) % 2 === 1;
}

function outagesOf(rule: number): number {
  return Array.from({ length: minutes + 1 }, (_, minute) => minute).filter(
    (minute) => fails(rule, minute) && !fails(rule, minute - 1),
  ).length;
}

async function makeFailing(page: number): Promise<PageId> {
  const { id: pageId } = await makePage(sql, { slug: `page-${page}` });
  await sql`delete from rules where page_id = ${pageId}`;
  await makeChannel(deps, pageId, { settings: { url: 'https://hooks.example.com/' } });
  const rules = Array.from({ length: rulesPerPage }, (_, i) => i);
  for (const i of rules) {
    await putRule(ruleDeps, {
      ...{ pageId, slug: `rule-${page * rulesPerPage + i}`, name: `Rule ${i}`, kind: 'failure-rate' },
      ...{ target: { service: `s${i}` }, condition: { percent: 50, windowMinutes: 1 } },
    });
  }
  // Requests go on for long after the last outage, for whatever is looked at late.
  const rows = Array.from({ length: minutes + 600 }, (_, minute) => minute).flatMap((minute) =>
    rules.map((i) => ({
      ...{ service: `s${i}`, at: begin + minute * minuteMs },
      status: fails(page * rulesPerPage + i, minute) ? 503 : 200,
    })),
  );
  await insertRequests(clickhouse, pageId, rows);
  return pageId;
}

t.test(
  'two instances, killed and suspended in turn: each alert is told once, in order, and none is lost',
  async (t) => {
    for (const page of Array(pages).keys()) await makeFailing(page);
    const startedAt = Date.now();
    const entry = fileURLToPath(new URL('rules-process.js', import.meta.url));
    const open = (): ChildProcess =>
      spawn(process.execPath, [entry, databaseUrl, clickhouseUrl, `${startedAt}`, `${begin}`], {
        stdio: 'inherit',
      });
    const running = [open(), open()];
    t.teardown(() => running.map((child) => child.kill('SIGKILL')));
    let kills = 0;
    while (Date.now() < startedAt + seconds * secondMs) {
      await wait(1_500);
      const at = kills % 2;
      const child = running[at];
      if (child === undefined) throw new Error('Two instances run.');
      if (kills % 3 === 2) {
        child.kill('SIGSTOP');
        await wait(1_500);
        child.kill('SIGCONT');
      } else {
        child.kill('SIGKILL');
        await once(child, 'exit');
        running[at] = open();
      }
      kills += 1;
    }
    await waitUntil('all is over and told', async () => {
      const [left] = await sql`
      select count(*)::integer as count from alerts where resolved_at is null or end_told_at is null`;
      const late = Date.now() > startedAt + (minutes + quietMinutes) * secondMs;
      return late && left?.['count'] === 0;
    });
    const counts = await sql<{ rule: string; count: number }[]>`
    select rule_slug as rule, count(*)::integer as count from alerts group by rule_slug`;
    const byRule = new Map(counts.map(({ rule, count }) => [rule, count]));
    const wrong = Array.from({ length: pages * rulesPerPage }, (_, rule) => rule).filter(
      (rule) => (byRule.get(`rule-${rule}`) ?? 0) !== outagesOf(rule),
    );
    const shown = wrong.map((rule) => [rule, byRule.get(`rule-${rule}`), outagesOf(rule)]);
    t.strictSame(shown, [], 'each outage has one alert');
    const overlapping = await sql`
    select 1 from alerts a join alerts b on b.rule_id = a.rule_id and b.id > a.id and b.started_at < a.resolved_at`;
    t.equal(overlapping.length, 0, 'one after the other');
    const messages = await sql<{ events: string[]; alerts: number }[]>`
    select array_agg(m.event order by m.seq) as events,
      (select count(*)::integer from alerts a where a.told_batch = m.alarm_id) as alerts
    from channel_messages m group by m.alarm_id`;
    const odd = messages.filter(({ events }) => `${events}` !== 'failure-rate.high,failure-rate.normal');
    t.strictSame(odd, [], 'each message has its end, once and behind it');
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    const told = messages.reduce((sum, { alerts }) => sum + alerts, 0);
    t.equal(told, total, 'every alert was told with one message');
    t.comment(`${kills} kills and stops, ${total} alerts in ${messages.length} messages`);
  },
);
