import t, { type Test } from 'tap';
import { type AlertRule, removeAlertRule, setAlertRule } from '../../../control/alerts/index.js';
import { announceDeployment } from '../../../control/deployments/index.js';
import { loadLedger } from '../../../control/incidents/index.js';
import { queueEmails } from '../../../control/subscribers/mail/queue-emails.js';
import { queueDeliveries } from '../../../control/webhooks/queue.js';
import { minuteMs, secondMs } from '../../../lib/times.js';
import type { JobDeps } from '../../../service/jobs/job.js';
import { lookAtRules } from '../../../service/jobs/watch-rules.js';
import { openClickHouse } from '../../../sql/open-clickhouse.js';
import { insertRequests } from '../../analytics/support.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel, startTestChannelLoop } from '../../support/channels.js';
import { addConfirmed } from '../../support/mail-setup.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { startReceiver } from '../../support/receiver.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';
import { makeWebhook } from '../../support/webhooks.js';

const { sql, clickhouse } = await openStores(t);
const clock = makeStoppedClock();
// Minutes count when they are over for 15 s.
clock.advance(minuteMs - (clock.now() % minuteMs) + 20 * secondMs);
/** The start of the minute with the failures. */
const begin = Math.floor(clock.now() / minuteMs) * minuteMs - minuteMs;
const deps: JobDeps = { sql, clickhouse, clickhouseOf: () => clickhouse, clock, log: silentLog };
let pages = 0;

/** A page with a rule, a subscriber, a webhook and a channel of its team, whose traffic fails. */
async function makeFailing(
  t: Test,
  {
    url,
    languages = ['en'],
    rule = {},
    quietHours,
  }: {
    url: string;
    languages?: string[];
    rule?: Partial<AlertRule>;
    quietHours?: { fromMinute: number; toMinute: number };
  },
) {
  const slug = `first-${++pages}`;
  const page = await makePage(sql, { slug, languages });
  const pageId = page.id;
  const set = { pageId, thresholdPercent: 5, windowSeconds: 300, requestsMin: 100, ...rule };
  await setAlertRule({ ...deps, by: testActor }, set);
  t.teardown(() => removeAlertRule({ ...deps, by: testActor }, { pageId }));
  await addConfirmed({ sql, page }, ['reader@example.com']);
  await makeWebhook({ sql, clock }, `${url}/customers`, slug);
  const settings = { url: `${url}/team` };
  const { id } = await makeChannel({ sql, clock }, pageId, { settings, ...(quietHours && { quietHours }) });
  const at = Math.floor(clock.now() / minuteMs) * minuteMs - minuteMs;
  const row = (endpoint: string, status: number, requests: number, service = 'shop') => ({
    ...{ at, endpoint, status, requests, service },
  });
  await insertRequests(clickhouse, pageId, [
    ...[row('/checkout', 503, 1_200), row('/checkout', 200, 800), row('/cart', 500, 500)],
    ...[row('/cart', 200, 4_000), row('/search', 500, 100, 'search'), row('/search', 200, 1_900, 'search')],
    ...[row('/login', 500, 20), row('/login', 200, 1_480), row('/', 200, 1_234), row('/', 404, 900)],
  ]);
  const announced = [
    ...[{ service: 'shop', version: '2.4.1', minutes: 12, environment: 'production' }],
    ...[
      { service: 'blog', version: '7', minutes: 1 },
      { service: 'search', version: '3', minutes: 60 },
    ],
  ];
  for (const { minutes, ...deployment } of announced) {
    const time = new Date(clock.now() - minutes * minuteMs).toISOString();
    await announceDeployment({ sql, clock, by: testActor }, { pageId, ...deployment, at: time });
  }
  await lookAtRules(deps);
  return { pageId, slug, channelId: id, ledger: () => loadLedger({ sql, clock }, pageId) };
}

/** Whether the customers' messages of a page are queued. */
async function customersTold(pageId: string): Promise<{ webhooks: boolean; emails: boolean }> {
  await queueDeliveries({ sql, clock });
  while (await queueEmails({ sql, clock, translates: false }));
  const [row] = await sql<{ webhooks: boolean; emails: boolean }[]>`
    select exists (select 1 from webhook_deliveries where page_id = ${pageId}) as webhooks,
      exists (select 1 from emails where page_id = ${pageId}) as emails`;
  return row ?? { webhooks: false, emails: false };
}
const nobody = { webhooks: false, emails: false };
const everybody = { webhooks: true, emails: true };

t.test('the team gets its message before any customer, with what it needs to act', async (t) => {
  const receiver = await startReceiver(t);
  const { pageId, slug, ledger } = await makeFailing(t, receiver);
  t.equal((await ledger()).length, 1, 'the public page shows the incident at once');
  t.notMatch(JSON.stringify(await ledger()), /2\.4\.1/, 'without the version');
  t.strictSame(await customersTold(pageId), nobody);
  const loop = startTestChannelLoop(t, { sql, clock });
  await waitUntil('the team is told', () => receiver.received.length === 1);
  await loop.stop();
  t.strictSame(await customersTold(pageId), everybody);
  const { title, text, facts, links } = JSON.parse(receiver.received[0]?.body ?? '').data;
  t.equal(title, '15 % of the requests fail');
  t.equal(text, '1,820 of 12,134 requests failed in 5 minutes. Rule: Failure rate');
  const time = (at: number) => new Date(at).toISOString();
  t.strictSame(facts, [
    {
      name: 'Window',
      value: `5 minutes until ${time(begin + minuteMs)
        .slice(0, 16)
        .replace('T', ' ')} UTC`,
    },
    { name: 'Before', value: 'no requests' },
    { name: 'Last deployment', value: 'shop 2.4.1 (production), 12 minutes before' },
    { name: 'Worst endpoint', value: '60 %, 1,200 of 2,000: /checkout of shop' },
    { name: 'Second endpoint', value: '11.1 %, 500 of 4,500: /cart of shop' },
    { name: 'Third endpoint', value: '5 %, 100 of 2,000: /search of search' },
  ]);
  const [answer, screen] = links.map(({ url }: { url: string }) => new URL(url));
  t.equal(answer.pathname, '/manage/alert', 'to answer without a session');
  t.equal(screen.pathname, `/manage/pages/${slug}/alerts`);
  const [alert] = await sql`select id from alerts where page_id = ${pageId}`;
  t.equal(screen.searchParams.get('alert'), alert?.['id']);
});

t.test('customers wait for the first attempt alone, and half a minute at most', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => ({ status: 503 });
  const refused = await makeFailing(t, receiver);
  t.strictSame(await customersTold(refused.pageId), nobody);
  const loop = startTestChannelLoop(t, { sql, clock });
  await waitUntil('the provider refuses', async () => {
    const [message] = await loadMessages(sql, refused.channelId);
    return message?.attempts === 1 && message.reason !== null;
  });
  await loop.stop();
  t.strictSame(await customersTold(refused.pageId), everybody);
  const unsent = await makeFailing(t, receiver);
  t.strictSame(await customersTold(unsent.pageId), nobody);
  clock.advance(30 * secondMs);
  t.strictSame(await customersTold(unsent.pageId), everybody);
  // The looks of the other tests are the first ones of a minute.
  clock.advance(30 * secondMs);
});

t.test('nobody waits for the quiet hours of a team', async (t) => {
  const receiver = await startReceiver(t);
  const fromMinute = Math.floor(clock.now() / minuteMs) % 1_440;
  const quietHours = { fromMinute, toMinute: (fromMinute + 120) % 1_440 };
  const { pageId } = await makeFailing(t, { ...receiver, quietHours });
  t.strictSame(await customersTold(pageId), everybody);
});

/** Ends the outage of a page as a good minute does. */
async function endOutage(pageId: string): Promise<void> {
  await sql`update alerts set resolved_at = ${new Date(clock.now())}, ended_by = 'rule' where page_id = ${pageId}`;
  await sql`delete from rule_groups where rule_id in (select id from rules where page_id = ${pageId})`;
  clock.advance(minuteMs);
}

t.test('an outage that begins again before the end of the last one was told is told', async (t) => {
  const receiver = await startReceiver(t);
  const { pageId, channelId } = await makeFailing(t, receiver);
  await endOutage(pageId);
  await lookAtRules(deps);
  const told = await loadMessages(sql, channelId);
  t.strictSame(
    told.map(({ event }) => event),
    ['failure-rate.high', 'failure-rate.normal', 'failure-rate.high'],
  );
});

t.test('an incident is opened when the endpoints cannot be read', async (t) => {
  const receiver = await startReceiver(t);
  const { pageId, channelId } = await makeFailing(t, receiver);
  await endOutage(pageId);
  const gone = openClickHouse('http://127.0.0.1:1/none');
  t.teardown(() => gone.close());
  await lookAtRules({ ...deps, clickhouseOf: () => gone });
  const [row] = await sql<{ names: string[] }[]>`
    select array(select f ->> 'name' from jsonb_array_elements(message -> 'facts') f) as names
    from channel_messages where channel_id = ${channelId} order by seq desc limit 1`;
  t.strictSame(row?.names, ['Window']);
});

t.test('public texts give the share in every language of the page, and no number of requests', async (t) => {
  const receiver = await startReceiver(t);
  const languages = ['de', 'en', 'fr', 'es', 'ja', 'ko'];
  const { ledger, pageId } = await makeFailing(t, { ...receiver, languages });
  const [opened] = await ledger();
  t.strictSame(opened?.summary, {
    de: 'In den letzten 5 Minuten sind etwa 15 % der Anfragen fehlgeschlagen.',
    en: 'About 15 % of requests failed in the last 5 minutes.',
    fr: 'Environ 15 % des requêtes ont échoué au cours des 5 dernières minutes.',
    es: 'Cerca del 15 % de las solicitudes ha fallado en los últimos 5 minutos.',
    ja: '直近5分間のリクエストの約15%が失敗しました。',
  });
  t.strictSame(Object.keys(opened?.title ?? {}).toSorted(), ['de', 'en', 'es', 'fr', 'ja']);
  const later = clock.now() + 10 * minuteMs;
  clock.advance(10 * minuteMs);
  const at = Math.floor(later / minuteMs) * minuteMs - minuteMs;
  await insertRequests(clickhouse, pageId, [{ at, status: 200, requests: 4_321 }]);
  await lookAtRules(deps);
  const [resolved] = await ledger();
  t.strictSame(Object.keys(resolved?.updates[0]?.body ?? {}).toSorted(), ['de', 'en', 'es', 'fr', 'ja']);
  const published = JSON.stringify([resolved?.title, resolved?.summary, resolved?.updates]);
  t.notMatch(published, /1[.,\s\u202f]?820|12[.,\s\u202f]?134|4[.,\s\u202f]?321/);
});

t.test('a translation that a person wrote for the same text stays', async (t) => {
  const receiver = await startReceiver(t);
  const { pageId, ledger } = await makeFailing(t, { ...receiver, languages: ['en', 'de'] });
  await sql`
    update translations set text = 'Störung' where page_id = ${pageId} and language = 'de' and text = 'Erhöhte Fehlerrate'`;
  await endOutage(pageId);
  await lookAtRules(deps);
  const titles = (await ledger()).map(({ title }) => title['de']);
  t.strictSame(titles, ['Störung', 'Störung']);
});

t.test('the share is rounded, and neither 0 nor 100 % unless it is', async (t) => {
  const receiver = await startReceiver(t);
  const summaries: (string | undefined)[] = [];
  for (const [errors, requests] of [
    [3, 1_000],
    [999, 1_000],
    [50, 50],
  ] as const) {
    const slug = `share-${errors}`;
    const { id: pageId } = await makePage(sql, { slug });
    const rule = { pageId, thresholdPercent: 0.1, windowSeconds: 60, requestsMin: 1 };
    await setAlertRule({ ...deps, by: testActor }, rule);
    t.teardown(() => removeAlertRule({ ...deps, by: testActor }, { pageId }));
    const at = Math.floor(clock.now() / minuteMs) * minuteMs - minuteMs;
    await insertRequests(clickhouse, pageId, [
      { at, status: 500, requests: errors },
      ...(requests > errors ? [{ at, status: 200, requests: requests - errors }] : []),
    ]);
    await lookAtRules(deps);
    summaries.push((await loadLedger({ sql, clock }, pageId))[0]?.summary['en']);
  }
  t.equal(receiver.received.length, 0);
  t.strictSame(summaries, [
    'Less than 1 % of requests failed in the last minute.',
    'About 99 % of requests failed in the last minute.',
    'All requests failed in the last minute.',
  ]);
});
