import fc from 'fast-check';
import t from 'tap';
import type { AlarmSource, Trouble } from '../../../control/alarms/alarm-source.js';
import { watchAlarms } from '../../../control/alarms/index.js';
import { settleAlarms } from '../../../control/alarms/settle-alarms.js';
import { setFigureExport } from '../../../control/figure-exports/index.js';
import type { PageId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel } from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { propertyOf } from '../../support/property.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { makeWebhook } from '../../support/webhooks.js';

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

t.test('figures that a bucket has not taken for a quarter of an hour are behind', async (t) => {
  const { pageId, told, channelId } = await makeTold();
  await setFigureExport(deps, pageId, {
    ...{ endpoint: 'https://bucket.example.com', region: 'auto', bucket: 'figures' },
    ...{ accessKeyId: 'somebody', secretAccessKey: 'hidden from channels' },
  });
  await sql`
    update figure_exports set failures = 1, last_error = 'full', failing_since = ${new Date(clock.now())}
    where page_id = ${pageId}`;
  clock.advance(14 * minuteMs);
  await watchAlarms(deps);
  t.strictSame(await told(), []);
  clock.advance(2 * minuteMs);
  await watchAlarms(deps);
  t.strictSame(await told(), ['deliveries.behind: Hours of the export of figures are behind']);
  await sql`
    update figure_exports set failures = 0, last_error = null, failing_since = null where page_id = ${pageId}`;
  await watchAlarms(deps);
  t.equal((await told())[1], 'deliveries.caught-up: Nothing for the export of figures is behind any more');
  t.notMatch(JSON.stringify(await textOf(channelId)), /hidden/);
});

t.test('for any course of trouble, each begins and ends once, in turn', async (t) => {
  const source: AlarmSource = {
    ...{ topic: 'deliveries', severity: 'critical', screen: 'webhooks' },
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
          expected.set(subject, [...(expected.get(subject) ?? []), 'deliveries.behind']);
        for (const subject of before.filter((one) => !now.includes(one)))
          expected.set(subject, [...(expected.get(subject) ?? []), 'deliveries.caught-up']);
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
