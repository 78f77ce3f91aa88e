import fc from 'fast-check';
import t from 'tap';
import type { AlarmSource, Trouble } from '../../../control/alarms/alarm-source.js';
import { formatSpan } from '../../../control/alarms/alarm-source.js';
import { type WatchedReporter, watchAlarms, watchReporters } from '../../../control/alarms/index.js';
import { settleAlarms } from '../../../control/alarms/settle-alarms.js';
import { setAlertRule } from '../../../control/alerts/index.js';
import { changeChannel, deleteChannel } from '../../../control/channels/index.js';
import { createIncident, parseNewIncident } from '../../../control/incidents/index.js';
import type { PageId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel } from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { insertMonitor } from '../../support/monitors.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage, setPage } from '../../support/pages.js';
import { propertyOf } from '../../support/property.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { announceIncident, makeWebhook } from '../../support/webhooks.js';

const { sql } = await openTestPostgres(t);
const clock = makeStoppedClock();
const deps = { sql, clock, log: silentLog, by: testActor, secretKey: testSecretKey };
let pages = 0;

/** A page with a channel that hears of everything, or of some topics. */
async function makeTold(
  options: { topics?: string[]; quietHours?: { fromMinute: number; toMinute: number } } = {},
) {
  const { id: pageId } = await makePage(sql, { slug: `page-${++pages}` });
  const { id } = await makeChannel(deps, pageId, {
    settings: { url: 'https://hooks.example.com/' },
    ...options,
  });
  const told = async () => (await loadMessages(sql, id)).map(({ event, title }) => `${event}: ${title}`);
  return { pageId, slug: `page-${pages}`, channelId: id, told };
}

const textOf = async (channelId: string) => {
  const rows = await sql<{ text: string; facts: { name: string; value: string }[] }[]>`
    select message ->> 'text' as text, message -> 'facts' as facts from channel_messages
    where channel_id = ${channelId} order by seq`;
  return rows;
};
const setState = (slug: string, state: 'up' | 'down', error: string | null = null) => sql`
  update monitors set state = ${state}, state_since = ${new Date(clock.now())}, last_error = ${error}
  where slug = ${slug}`;

t.test('a monitor that goes down and comes up is told once each', async (t) => {
  const { pageId, told, channelId } = await makeTold();
  await insertMonitor(sql, { pageId, slug: 'api', url: 'https://api.example.com/health?token=secret' });
  await watchAlarms(deps);
  t.strictSame(await told(), []);
  await setState('api', 'down', 'status: The answer has the status 502.');
  await watchAlarms(deps);
  await watchAlarms(deps);
  t.strictSame(await told(), ['monitor.down: api is down']);
  clock.advance(12 * minuteMs);
  await setState('api', 'up');
  await Promise.all([watchAlarms(deps), watchAlarms(deps)]);
  t.strictSame(await told(), ['monitor.down: api is down', 'monitor.up: api is up again']);
  const [down, up] = await textOf(channelId);
  t.equal(down?.text, 'The answer has the status 502.');
  t.match(down?.facts, [{ name: 'Target', value: 'api.example.com' }, { name: 'Since' }]);
  t.strictSame(up?.facts, [{ name: 'Lasted', value: '12 minutes' }]);
  t.notMatch(JSON.stringify(await textOf(channelId)), /secret/, 'the query of a URL may be a secret');
});

t.test('a monitor that is paused, in maintenance or deleted is no longer watched', async (t) => {
  const { pageId, slug, told, channelId } = await makeTold({ topics: ['monitor'] });
  for (const name of ['paused', 'maintained', 'deleted']) {
    await insertMonitor(sql, { pageId, slug: `${name}-1` });
    await setState(`${name}-1`, 'down');
  }
  await watchAlarms(deps);
  t.equal((await told()).length, 3);
  await sql`update monitors set paused_at = ${new Date(clock.now())} where slug = 'paused-1'`;
  const maintenance = {
    ...{ type: 'maintenance', title: 'Updates', summary: 'Updates.', monitorSlugs: ['maintained-1'] },
    startedAt: new Date(clock.now() - minuteMs).toISOString(),
    scheduledEndAt: new Date(clock.now() + hourMs).toISOString(),
  };
  await createIncident({ sql, clock, by: testActor }, { pageId, input: parseNewIncident(maintenance) });
  await sql`delete from monitors where slug = 'deleted-1'`;
  await watchAlarms(deps);
  const ends = (await textOf(channelId)).slice(3).map(({ text }) => text);
  t.strictSame(ends.toSorted(), [
    'It was deleted while it was down.',
    'It was paused while it was down.',
    'Its maintenance began while it was down.',
  ]);
  await setPage({ sql, clock }, { slug, name: 'Acme' });
  await watchAlarms(deps);
  t.equal((await told()).length, 6, 'nothing is told again');
});

t.test('many that begin at once are told in one message, and are over when the last one is', async (t) => {
  const { pageId, told, channelId } = await makeTold();
  for (let at = 1; at <= 14; at += 1) {
    await insertMonitor(sql, { pageId, slug: `many-${String(at).padStart(2, '0')}` });
  }
  await sql`update monitors set state = 'down', state_since = ${new Date(clock.now())} where page_id = ${pageId}`;
  await watchAlarms(deps);
  t.strictSame(await told(), ['monitor.down: 14 monitors are down']);
  t.match((await textOf(channelId))[0]?.text, /^many-01, .*many-10 and 4 more$/);
  await sql`update monitors set state = 'up' where page_id = ${pageId} and slug <> 'many-14'`;
  await watchAlarms(deps);
  t.equal((await told()).length, 1, 'one is still down');
  await setState('many-14', 'up');
  await watchAlarms(deps);
  t.equal((await told())[1], 'monitor.up: None of the 14 monitors is down any more');
});

t.test('certificates are told of two weeks before they end', async (t) => {
  const { pageId, told } = await makeTold();
  await insertMonitor(sql, { pageId, slug: 'shop' });
  const ends = (days: number) => sql`
    update monitors set certificate_ends_at = ${new Date(clock.now() + days * dayMs + hourMs)} where slug = 'shop'`;
  await ends(15);
  await watchAlarms(deps);
  t.strictSame(await told(), []);
  await ends(13);
  await watchAlarms(deps);
  clock.advance(dayMs);
  await watchAlarms(deps);
  t.strictSame(await told(), ['certificate.ending: The certificate of shop ends in 13 days']);
  await ends(90);
  await watchAlarms(deps);
  t.equal((await told())[1], 'certificate.renewed: The certificate of shop is renewed');
});

t.test('the outage of an alert rule is told', async (t) => {
  const { pageId, told } = await makeTold();
  await setAlertRule(deps, { pageId, thresholdPercent: 5, windowSeconds: 300, requestsMin: 100 });
  const incidentId = await announceIncident({ sql, clock }, pageId);
  await sql`update alert_rules set incident_id = ${incidentId} where page_id = ${pageId}`;
  await watchAlarms(deps);
  t.strictSame(await told(), ['failure-rate.high: The failure rate has reached 5 %']);
  await sql`update alert_rules set incident_id = null where page_id = ${pageId}`;
  await watchAlarms(deps);
  t.equal((await told())[1], 'failure-rate.normal: The failure rate is normal again');
});

t.test('deliveries of a webhook that wait for a quarter of an hour are behind', async (t) => {
  const { pageId, slug, told, channelId } = await makeTold();
  const { id } = await makeWebhook({ sql, clock }, 'https://receiver.example.com/secret-path', slug);
  await sql`
    insert into webhook_deliveries (id, page_id, webhook_id, queue, kind, body, next_attempt_at, created_at)
    values (gen_random_uuid(), ${pageId}, ${id}, gen_random_uuid(), 'webhook.test', '{}', now(),
      ${new Date(clock.now())})`;
  clock.advance(14 * minuteMs);
  await watchAlarms(deps);
  t.strictSame(await told(), []);
  clock.advance(2 * minuteMs);
  await watchAlarms(deps);
  t.strictSame(await told(), ['deliveries.behind: Deliveries to receiver.example.com are behind']);
  await sql`update webhook_deliveries set state = 'delivered', finished_at = now() where webhook_id = ${id}`;
  await watchAlarms(deps);
  t.equal((await told())[1], 'deliveries.caught-up: Nothing for receiver.example.com is behind any more');
  t.notMatch(JSON.stringify(await textOf(channelId)), /secret-path/);
});

t.test('reporters that fall silent are told; one that never reported is not', async (t) => {
  const { pageId, told, channelId } = await makeTold({ topics: ['reporter'] });
  const lastReportAt = new Date(clock.now() - 10 * minuteMs);
  const reporter = (
    id: string,
    isSilent: boolean,
    at: Date | null = lastReportAt,
    fields: Partial<WatchedReporter> = {},
  ): WatchedReporter => ({
    ...{ id, name: id, kind: 'service', reporting: isSilent ? 'silent' : 'clean', lastReportAt: at },
    ...{ expectedEverySeconds: null, region: null, team: null, requests: 0, errors: 0 },
    ...fields,
  });
  const watch = (...reporters: WatchedReporter[]) =>
    watchReporters({ ...deps, loadReporters: async (id) => (id === pageId ? reporters : []) });
  await watch(reporter('checkout', false), reporter('new', true, null));
  t.strictSame(await told(), []);
  await watch(reporter('checkout', true), reporter('new', true, null));
  await watch(reporter('checkout', true));
  t.strictSame(await told(), ['reporter.silent: checkout is silent']);
  const failing = watchReporters({
    ...deps,
    async loadReporters() {
      throw new ServiceError('storeUnavailable');
    },
  });
  await t.rejects(failing, { name: 'ServiceError' });
  t.equal((await told()).length, 1, 'a store that fails ends no alarm');
  await watch(reporter('checkout', false));
  t.equal((await told())[1], 'reporter.back: checkout reports again');
  const twin = reporter('checkout', true, lastReportAt, {
    ...{ kind: 'reporter', name: 'Checkout', region: 'eu', expectedEverySeconds: 60 },
    ...{ requests: 200, errors: 50 },
  });
  await watch(reporter('checkout', true), twin);
  t.strictSame((await told()).slice(2), [
    'reporter.silent: checkout is silent',
    'reporter.silent: Checkout (checkout) is silent',
  ]);
  const text = (await textOf(channelId))[3];
  t.equal(text?.text, 'It last reported 10 minutes ago. It promises to report every 60 seconds.');
  t.match(text?.facts, [
    { name: 'Instance', value: 'checkout' },
    { name: 'Region', value: 'eu' },
    { name: 'Last report' },
    { name: 'Errors, last hour', value: '50 of 200 requests' },
  ]);
  const instance = reporter('checkout-eu', true, lastReportAt, { kind: 'reporter', service: 'shop' });
  const service = reporter('shop', true, lastReportAt, { instances: 1 });
  await watch(reporter('checkout', true), twin, instance, service);
  t.strictSame(
    (await told()).slice(4),
    ['reporter.silent: checkout-eu of shop is silent'],
    'the service is not told',
  );
  t.match((await textOf(channelId))[4]?.facts, [
    { name: 'Instance', value: 'checkout-eu' },
    { name: 'Service', value: 'shop' },
  ]);
  await watch(reporter('checkout', true), twin, { ...instance, reporting: 'clean' }, service);
  t.strictSame((await told()).slice(5), ['reporter.back: checkout-eu reports again']);
  await watch(reporter('checkout', false, lastReportAt, { reporting: 'unknown' }));
  t.strictSame((await told()).slice(6).sort(), [
    'reporter.back: Checkout (checkout) is no longer known',
    'reporter.back: checkout is no longer watched',
  ]);
});

t.test('a channel hears of its topics alone, and pages of their own trouble', async (t) => {
  const mine = await makeTold({ topics: ['certificate'] });
  const other = await makeTold();
  await insertMonitor(sql, { pageId: mine.pageId, slug: 'mine' });
  await setState('mine', 'down');
  await watchAlarms(deps);
  t.strictSame(await mine.told(), []);
  t.strictSame(await other.told(), []);
  await changeChannel(deps, { id: mine.channelId, topics: null });
  await watchAlarms(deps);
  t.strictSame(await mine.told(), ['monitor.down: mine is down'], 'what lasts and was not told is told now');
});

t.test('the alarms of a page whose last channel is deleted end without a word', async (t) => {
  const { pageId, channelId } = await makeTold();
  await insertMonitor(sql, { pageId, slug: 'alone' });
  await setState('alone', 'down');
  await watchAlarms(deps);
  await deleteChannel(deps, { id: channelId });
  await watchAlarms(deps);
  const { id } = await makeChannel(deps, pageId, { settings: { url: 'https://hooks.example.com/' } });
  await watchAlarms(deps);
  t.strictSame(
    (await loadMessages(sql, id)).map(({ title }) => title),
    ['alone is down'],
    'a channel that takes its place reports what lasts',
  );
  await deleteChannel(deps, { id });
  await setState('alone', 'up');
  await watchAlarms(deps);
  t.strictSame([...(await sql`select 1 from alarms where page_id = ${pageId}`)], []);
});

t.test('in quiet hours messages wait, and what is over by their end is not told at all', async (t) => {
  const minute = new Date(clock.now()).getUTCHours() * 60 + new Date(clock.now()).getUTCMinutes();
  const quietHours = { fromMinute: minute, toMinute: (minute + 120) % 1440 };
  const { pageId, told, channelId } = await makeTold({ quietHours });
  for (const slug of ['brief', 'lasting']) {
    await insertMonitor(sql, { pageId, slug });
    await setState(slug, 'down');
  }
  await watchAlarms(deps);
  t.strictSame(await told(), ['monitor.down: brief is down', 'monitor.down: lasting is down']);
  for (const { next_attempt_at: at } of await loadMessages(sql, channelId)) {
    t.ok(at.getTime() - clock.now() > hourMs && at.getTime() - clock.now() <= 2 * hourMs);
  }
  await setState('brief', 'up');
  await watchAlarms(deps);
  t.strictSame(await told(), ['monitor.down: lasting is down']);
  await changeChannel(deps, { id: channelId, quietHours: null });
  const [message] = await loadMessages(sql, channelId);
  t.equal(message?.next_attempt_at.getTime(), clock.now(), 'what was held is due when the hours are removed');
});

t.test('for any course of trouble, each begins and ends once, in turn', async (t) => {
  const source: AlarmSource = {
    ...{ topic: 'monitor', severity: 'critical', screen: 'monitors' },
    load: async () => [],
    explainEnd: async (_page, { subject }) => ({ title: subject, text: '', facts: [] }),
    many: { begin: () => 'many', end: () => 'many' },
  };
  const troublesOf = (pageId: PageId, subjects: readonly string[]): Trouble[] =>
    subjects.map((subject) => ({
      ...{
        pageId,
        subject,
        name: subject,
        since: new Date(clock.now()),
        title: subject,
        text: '',
        facts: [],
      },
    }));
  const subjects = fc.uniqueArray(fc.constantFrom<string[]>('a', 'b', 'c', 'd'));
  await fc.assert(
    fc.asyncProperty(fc.array(subjects, { maxLength: 8 }), async (course) => {
      const { pageId, channelId } = await makeTold();
      const expected = new Map<string, string[]>();
      let before: readonly string[] = [];
      for (const now of course) {
        await settleAlarms(deps, source, pageId, troublesOf(pageId, now));
        for (const subject of now.filter((one) => !before.includes(one)))
          expected.set(subject, [...(expected.get(subject) ?? []), 'monitor.down']);
        for (const subject of before.filter((one) => !now.includes(one)))
          expected.set(subject, [...(expected.get(subject) ?? []), 'monitor.up']);
        before = now;
      }
      const messages = await loadMessages(sql, channelId);
      const told = new Map<string, string[]>();
      for (const { title, event } of messages) told.set(title, [...(told.get(title) ?? []), event]);
      t.strictSame(Object.fromEntries(told), Object.fromEntries(expected));
    }),
    propertyOf(t, { few: 25, many: 125 }),
  );
});

t.test('lengths of time are in their largest unit', async (t) => {
  const spans: [number, string][] = [
    [0, '0 seconds'],
    [1_000, '1 second'],
    [119_000, '119 seconds'],
    [120_000, '2 minutes'],
    [90 * minuteMs, '90 minutes'],
    [3 * hourMs, '3 hours'],
    [49 * hourMs, '2 days'],
  ];
  for (const [ms, text] of spans) t.equal(formatSpan(ms), text);
});
