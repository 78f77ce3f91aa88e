import t from 'tap';
import { channelLimits } from '../../../contract/channels.js';
import { ruleLimits } from '../../../contract/manage/rules.js';
import {
  changeAlertsOfRule,
  endAlertsOfRule,
  holdBack,
  tellAlerts,
  watchRules,
} from '../../../control/alerts/index.js';
import { putRule, type Rule, type RuleLook } from '../../../control/rules/index.js';
import { deferred } from '../../../lib/deferred.js';
import type { PageId, RuleId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel } from '../../support/channels.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const clock = makeStoppedClock();
clock.advance(minuteMs - (clock.now() % minuteMs) + 20_000);
const deps = { sql, clock, log: silentLog, by: testActor };
const ruleDeps = { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };

async function makeTold(slug: string): Promise<{ pageId: PageId; told: () => Promise<string[]> }> {
  const { id: pageId } = await makePage(sql, { slug });
  await sql`delete from rules where page_id = ${pageId}`;
  const { id } = await makeChannel(deps, pageId, { settings: { url: 'https://hooks.example.com/' } });
  return { pageId, told: async () => (await loadMessages(sql, id)).map(({ title }) => title) };
}

/** Looks at all rules, whose groups are all bad or all good. */
async function look(isBad: boolean, loadEvidence = async () => ({})): Promise<void> {
  const lookOf = (rule: Rule): RuleLook => {
    const groups =
      rule.target.by === undefined ? [''] : Array.from({ length: ruleLimits.groups }, (_, i) => `s${i}`);
    return {
      observations: groups.map((group) => ({ group, look: isBad ? 'bad' : 'good', value: isBad ? 50 : 0 })),
    };
  };
  await watchRules({
    ...deps,
    lookersOf: () => [
      {
        kinds: ['failure-rate'],
        look: async (rules) => rules.map((rule): [RuleId, RuleLook] => [rule.id, lookOf(rule)]),
      },
    ],
    loadEvidence,
  });
  await holdBack(sql, clock.now());
  await tellAlerts(deps);
}

t.test(
  '10,000 alerts of a page end in one message, and another page hears of its own beside them',
  async (t) => {
    const [stormy, calm] = [await makeTold('stormy'), await makeTold('calm')];
    const condition = { percent: 5, windowMinutes: 1 };
    const failing = { slug: 'rule-1', name: 'Fails', kind: 'failure-rate', condition } as const;
    await putRule(ruleDeps, { ...failing, pageId: calm.pageId });
    await putRule(ruleDeps, { ...failing, pageId: stormy.pageId, target: { by: 'service' } });
    await sql`
    insert into rules (id, page_id, slug, name, kind, target, condition, for_seconds, resolve_for_seconds, no_data,
      severity, created_at, updated_at)
    select gen_random_uuid(), page_id, 'rule-' || n, name, kind, target, condition, 0, 0, no_data, severity, created_at,
      updated_at
    from rules, generate_series(2, ${ruleLimits.perPage}) n where page_id = ${stormy.pageId}`;
    await look(true);
    const [open] = await sql`
    select count(*)::integer as count from alerts where page_id = ${stormy.pageId} and resolved_at is null`;
    t.equal(open?.['count'], ruleLimits.perPage * ruleLimits.groups);
    t.strictSame(await stormy.told(), ['10000 alerts began']);
    t.strictSame(await calm.told(), ['50 % of the requests fail']);
    const [message] = await sql`
    select length(message ->> 'text') as length from channel_messages where page_id = ${stormy.pageId}`;
    t.ok(message?.['length'] < 100 * channelLimits.namesInMessage, 'a message names a few');
    clock.advance(minuteMs);
    await look(true);
    t.equal((await stormy.told()).length, 1, 'what lasts is told once');
    await look(false);
    clock.advance(minuteMs);
    await look(false);
    t.strictSame((await stormy.told()).slice(1), ['All 10000 alerts are over']);
    t.strictSame((await calm.told()).slice(1), ['The failure rate is normal again']);
  },
);

t.test(
  'pages that begin together: evidence of eight is loaded at once, and a slow one holds up none',
  async (t) => {
    await sql`update rules set enabled = false`;
    const pages = await Promise.all(Array.from({ length: 20 }, (_, i) => makeTold(`together-${i}`)));
    const failing = { slug: 'failing', name: 'Fails', kind: 'failure-rate' } as const;
    for (const { pageId } of pages)
      await putRule(ruleDeps, { ...failing, pageId, condition: { percent: 5, windowMinutes: 1 } });
    const slow = deferred<void>();
    let [running, most, asked] = [0, 0, 0];
    clock.advance(minuteMs);
    await look(true, async () => {
      running += 1;
      most = Math.max(most, running);
      asked += 1;
      if (asked === 1) await slow.promise;
      // Until the last page asks, the first one waits.
      else if (asked === pages.length) slow.resolve();
      else await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return {};
    });
    t.equal(asked, pages.length);
    t.equal(most, 8);
    const told = await Promise.all(pages.map((page) => page.told()));
    t.strictSame(
      told.filter((titles) => titles.length !== 1),
      [],
    );
  },
);
