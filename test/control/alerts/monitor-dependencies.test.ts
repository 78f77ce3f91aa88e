import t from 'tap';
import { changeAlertsOfRule, endAlertsOfRule, listAlerts } from '../../../control/alerts/index.js';
import { type PutRuleFields, putRule } from '../../../control/rules/index.js';
import type { PageId } from '../../../lib/ids.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import type { JobDeps } from '../../../service/jobs/job.js';
import { lookAtRules } from '../../../service/jobs/watch-rules.js';
import { testActor } from '../../support/actor.js';
import { makeChannel } from '../../support/channels.js';
import { insertMonitor } from '../../support/monitors.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';

const { sql, clickhouse } = await openStores(t);
const begin = Math.floor(Date.now() / hourMs) * hourMs - 10 * hourMs;
let now = begin;
const clock = { now: () => now };
const jobDeps: JobDeps = { sql, clickhouse, clickhouseOf: () => clickhouse, clock, log: silentLog };
const ruleDeps = {
  ...{ sql, clock, by: testActor, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule },
};

const down: PutRuleFields = {
  ...{ slug: 'down', name: 'Down', kind: 'monitor', target: {}, condition: { is: 'down' } },
};

/** A page with monitors by slug, and those that each depends on. */
async function makeMonitored(slug: string, dependsOn: Record<string, string[]>, ...rules: PutRuleFields[]) {
  const { id: pageId } = await makePage(sql, { slug });
  // The rules that every page begins with look at monitors as well.
  await sql`delete from rules where page_id = ${pageId}`;
  for (const [monitor, ahead] of Object.entries(dependsOn)) {
    const id = await insertMonitor(sql, { pageId, slug: monitor, dueAt: new Date(begin + hourMs) });
    await sql`update monitors set depends_on = ${ahead}, state = 'up' where id = ${id}`;
  }
  for (const rule of rules) await putRule(ruleDeps, { ...rule, pageId });
  t.teardown(() => sql`update rules set enabled = false where page_id = ${pageId}`);
  return {
    pageId,
    set: (state: 'up' | 'down', ...slugs: string[]) =>
      sql`
        update monitors set state = ${state}, state_since = ${new Date(now)}
        where page_id = ${pageId} and slug = any (${slugs})`,
  };
}

/** The open alerts by group, with what holds them back. */
async function heldAt(pageId: PageId, minute: number): Promise<Record<string, string | null>> {
  now = begin + minute * minuteMs + 20_000;
  await lookAtRules(jobDeps);
  const alerts = await listAlerts({ sql }, { pageId, state: 'open', limit: 100, after: undefined });
  return Object.fromEntries(alerts.map(({ groupName, ruleSlug, heldBy }) => [groupName || ruleSlug, heldBy]));
}

t.test('alerts of monitors behind one that is down are held back, over any number of them', async (t) => {
  const behind = { database: [], api: ['database'], shop: ['api'], mail: [] };
  const { pageId, set } = await makeMonitored('behind', behind, down);
  await makeChannel({ sql, clock }, pageId, { settings: { url: 'https://example.com/hook' } });
  await set('down', 'database', 'shop', 'mail');
  t.strictSame(await heldAt(pageId, 1), { database: null, shop: 'database', mail: null });
  await set('up', 'database');
  t.strictSame(await heldAt(pageId, 3), { shop: null, mail: null }, 'one that lasts longer is told');
  await set('down', 'database');
  t.match(await heldAt(pageId, 5), { shop: null }, 'what was told is not taken back');
});

t.test('a rule is behind what its monitors are behind', async (t) => {
  const tasks: PutRuleFields = { ...down, target: { monitor: 'worker' }, dependsOn: [{ monitor: 'queue' }] };
  const ahead = { database: [], queue: ['database'], worker: [] };
  const { pageId, set } = await makeMonitored('ruled', ahead, tasks);
  await set('down', 'database', 'worker');
  t.strictSame(await heldAt(pageId, 1), { worker: 'database' });
});

t.test('a monitor that is paused holds nothing back, nor does one of another page', async (t) => {
  const { pageId, set } = await makeMonitored('paused', { database: [], shop: ['database'] }, down);
  const { set: setOther } = await makeMonitored('other', { database: [] });
  await setOther('down', 'database');
  await set('down', 'shop');
  t.strictSame(await heldAt(pageId, 1), { shop: null });
  const second = await makeMonitored('paused-2', { database: [], shop: ['database'] }, down);
  await second.set('down', 'database', 'shop');
  await sql`update monitors set paused_at = now() where page_id = ${second.pageId} and slug = 'database'`;
  t.strictSame(await heldAt(second.pageId, 1), { shop: null });
});
