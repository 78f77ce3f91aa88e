import t from 'tap';
import {
  acknowledgeAlert,
  changeAlertsOfRule,
  endAlertsOfRule,
  listAlerts,
  listNotices,
} from '../../../control/alerts/index.js';
import { changeChannel } from '../../../control/channels/index.js';
import { putPolicy } from '../../../control/policies/index.js';
import { type PutRuleFields, putRule, type RuleDeps } from '../../../control/rules/index.js';
import type { ChannelId, PageId } from '../../../lib/ids.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import type { JobDeps } from '../../../service/jobs/job.js';
import { lookAtRules } from '../../../service/jobs/watch-rules.js';
import { insertRequests } from '../../analytics/support.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel } from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makePage } from '../../support/pages.js';
import { giveRole, makeUser } from '../../support/people.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';

const { sql, clickhouse } = await openStores(t);
const begin = Math.floor(Date.now() / hourMs) * hourMs - 10 * hourMs;
let now = begin;
const clock = { now: () => now };
const jobDeps: JobDeps = { sql, clickhouse, clickhouseOf: () => clickhouse, clock, log: silentLog };
const deps = { sql, clock, by: testActor, secretKey: testSecretKey };
const ruleDeps: RuleDeps = { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
let pages = 0;

const failing: PutRuleFields = {
  ...{ slug: 'failing', name: 'Checkout fails', kind: 'failure-rate' },
  condition: { percent: 10, windowMinutes: 1, requestsMin: 10 },
};

/** A page whose rule goes through two steps: to a person and a channel, and five minutes later to another channel. */
async function makeEscalated(repeat = 0) {
  const slug = `escalated-${++pages}`;
  const { id: pageId } = await makePage(sql, { slug });
  const user = await makeUser({ sql, clock });
  await giveRole({ sql, clock }, { userId: user.id, slug, role: 'responder' });
  const channel = async (name: string) => {
    const settings = { url: `https://${name}.example.com/` };
    const { id } = await makeChannel({ sql, clock }, pageId, { kind: 'slack', settings });
    await sql`update channels set name = ${name} where id = ${id}`;
    return id;
  };
  const [first, second] = [await channel('first'), await channel('second')];
  const steps = [
    { notify: [{ person: user.email }, { channel: 'first' }], waitMinutes: 5 },
    { notify: [{ channel: 'second' }], waitMinutes: 10 },
  ];
  const { error } = await put({ pageId, slug: 'on-call', fields: { name: 'On call', steps, repeat } });
  t.equal(error, undefined);
  await putRule(ruleDeps, { ...failing, pageId, policy: 'on-call' });
  t.teardown(() => sql`update rules set enabled = false where page_id = ${pageId}`);
  const titles = async (id: ChannelId) => (await loadMessages(sql, id)).map(({ event }) => event);
  return {
    ...{ pageId, user, first, second },
    send: (minute: number, status: number) =>
      insertRequests(clickhouse, pageId, [{ at: begin + minute * minuteMs, status, requests: 50 }]),
    told: async () => ({
      first: await titles(first),
      second: await titles(second),
      person: (
        await sql<{ phase: string }[]>`
          select phase from person_messages where user_id = ${user.id} order by seq`
      ).map(({ phase }) => phase),
    }),
    alertId: async () =>
      (await listAlerts({ sql }, { pageId, state: 'all', limit: 1, after: undefined }))[0]?.id ?? '',
  };
}

async function put(input: Parameters<typeof putPolicy>[1]): Promise<{ error?: unknown }> {
  return putPolicy(deps, input).then(
    () => ({}),
    (error: unknown) => ({ error }),
  );
}

async function noticesOf(pageId: PageId) {
  const [alert] = await listAlerts({ sql }, { pageId, state: 'all', limit: 1, after: undefined });
  return alert?.toldBatch ? listNotices({ sql }, { pageId, batchId: alert.toldBatch }) : [];
}

/** Looks when the minute before this one is over by so many seconds. */
async function lookAt(minute: number, seconds = 20): Promise<void> {
  now = begin + minute * minuteMs + seconds * 1_000;
  await lookAtRules(jobDeps);
}

const high = 'failure-rate.high';
const normal = 'failure-rate.normal';

t.test('the next step begins when nobody answers, and whoever was told hears of the end', async (t) => {
  const { pageId, user, send, told } = await makeEscalated();
  await send(0, 503);
  await lookAt(1);
  await lookAt(1, 50);
  t.strictSame(await told(), { first: [high], second: [], person: ['start'] });
  for (const minute of [1, 2, 3, 4, 5, 6]) await send(minute, 503);
  await lookAt(6, 15);
  t.strictSame((await told()).second, [], 'not yet');
  await Promise.all([lookAt(6, 50), lookAt(6, 50)]);
  t.strictSame(await told(), { first: [high], second: [high], person: ['start'] });
  await send(7, 200);
  await lookAt(8);
  t.strictSame(await told(), { first: [high, normal], second: [high, normal], person: ['start', 'end'] });
  t.strictSame([...(await sql`select * from escalations`)], []);
  t.match(await noticesOf(pageId), [
    {
      step: 0,
      type: 'person',
      name: user.email,
      state: 'pending',
      ways: [{ kind: 'email', state: 'pending' }],
    },
    { step: 0, type: 'channel', name: 'first', state: 'pending', reason: null },
    { step: 1, type: 'channel', name: 'second', state: 'pending' },
  ]);
});

t.test('an acknowledgement stops it, until the alert gets worse', async (t) => {
  const { pageId, send, told, alertId } = await makeEscalated();
  await putRule(ruleDeps, { ...failing, pageId, policy: 'on-call', severity: 'ticket' });
  await send(10, 503);
  await lookAt(11);
  await acknowledgeAlert(deps, { pageId, id: await alertId() });
  for (const minute of [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]) await send(minute, 503);
  await lookAt(18);
  t.strictSame((await told()).second, []);
  await putRule(ruleDeps, { ...failing, pageId, policy: 'on-call', severity: 'page' });
  await lookAt(19, 30);
  t.strictSame((await told()).second, [high]);
});

t.test('all steps are repeated as often as the policy says', async (t) => {
  const { send, told } = await makeEscalated(1);
  for (const minute of Array(40).keys()) await send(30 + minute, 503);
  for (const minute of [31, 37, 48, 54, 65, 69]) await lookAt(minute);
  t.strictSame(await told(), { first: [high, high], second: [high, high], person: ['start', 'reminder'] });
});

t.test('a step that reaches nobody is noted, and the next begins at once', async (t) => {
  const { pageId, user, first, send, told } = await makeEscalated();
  await sql`delete from page_roles where user_id = ${user.id}`;
  await changeChannel(deps, { id: first, pageId, enabled: false });
  await send(80, 503);
  await lookAt(81);
  t.strictSame(await told(), { first: [], second: [high], person: [] });
  t.match(
    await sql`select step, recipient_type, reason from alert_notices where page_id = ${pageId} order by id`,
    [
      { step: 0, recipient_type: 'person', reason: /No way of the person/ },
      { step: 0, recipient_type: 'channel', reason: /turned off/ },
      { step: 1, recipient_type: 'channel', reason: null },
    ],
  );
});
