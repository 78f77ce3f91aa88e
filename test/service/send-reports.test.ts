import t from 'tap';
import type { PutReportSettings } from '../../contract/manage/report-settings.js';
import { startDeliveryLoop } from '../../control/delivery/index.js';
import { createReportCourier, putReportSettings } from '../../control/reports/index.js';
import { startEmailLoop } from '../../control/subscribers/index.js';
import type { PageId } from '../../lib/ids.js';
import { sendReports } from '../../service/jobs/send-reports.js';
import { testActor } from '../support/actor.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { addConfirmed } from '../support/mail-setup.js';
import { makePage } from '../support/pages.js';
import { giveRole, makeUser } from '../support/people.js';
import { insertMonitor } from '../support/points.js';
import { silentLog } from '../support/silent-log.js';
import { startSmtpSink } from '../support/smtp-sink.js';
import { openStores } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';

const { sql, clickhouse } = await openStores(t);
// A Wednesday. The clocks of Berlin go back on the Sunday after.
let now = Date.parse('2026-10-21T12:00:00Z');
const clock = { now: () => now };
const deps = { sql, clock, by: testActor };
const away = new Set<PageId>();
const job = {
  ...{ sql, clickhouse, clock, log: silentLog },
  clickhouseOf(pageId: PageId) {
    if (away.has(pageId)) throw new Error('The store is unavailable.');
    return clickhouse;
  },
};

const page = await makePage(sql, { name: 'Acme', languages: ['en', 'de'], timeZone: 'Europe/Berlin' });
const ada = await makeUser(deps, { email: 'ada@example.com' });
await sql`update users set language = 'de' where id = ${ada.id}`;
await giveRole(deps, { userId: ada.id, slug: 'acme', role: 'viewer' });
await insertMonitor(sql, page.id, { slug: 'shop', name: 'Shop' });
await insertMonitor(sql, page.id, { slug: 'inside', name: 'Inside', hidden: true });
await addConfirmed({ sql, page }, ['sue@example.com', 'ada@example.com', 'gone@example.com']);
await sql`
  insert into suppressions (page_id, email, reason, created_at)
  values (${page.id}, 'gone@example.com', 'unsubscribed', now())`;
await sql`
  insert into subscribers (id, page_id, email, language, created_at, requested_at)
  values (gen_random_uuid(), ${page.id}, 'new@example.com', 'en', now(), now())`;

const settings = { every: 'weekly' as const, recipients: ['ada@example.com'], toSubscribers: true };
const set = (fields: Partial<PutReportSettings> = {}) =>
  putReportSettings(deps, { pageId: page.id, ...settings, ...fields });
const runAt = async (time: string, times = 1) => {
  now = Date.parse(time);
  await Promise.all(Array.from({ length: times }, () => sendReports(job)));
};
const queued = async (pageId = page.id) => {
  const rows = await sql<{ one: string }[]>`
    select r.every || ' ' || r.first_day || ' ' || e.recipient as one
    from report_emails e join reports r on r.id = e.report_id
    where e.page_id = ${pageId} order by r.created_at, e.recipient`;
  return rows.map(({ one }) => one);
};
const firstWeek = ['weekly 2026-10-19 ada@example.com', 'weekly 2026-10-19 sue@example.com'];

t.test(
  'a week is reported on Monday at 8:00 by the clock of the page, once, by several instances',
  async (t) => {
    await set();
    await runAt('2026-10-21T12:00:00Z');
    t.same(await queued(), [], 'the week before was over before it was turned on');
    await runAt('2026-10-26T06:59:59.999Z');
    t.same(await queued(), []);
    await runAt('2026-10-26T07:00:00Z', 3);
    t.same(await queued(), firstWeek);
    await runAt('2026-10-26T07:01:00Z', 2);
    await set({ every: null });
    await set();
    await runAt('2026-10-26T07:02:00Z');
    t.same(await queued(), firstWeek, 'turned off and on again');
  },
);

t.test('a crash between leaves nothing behind, and the next run does all of it', async (t) => {
  await sql`
    create function refuse_report() returns trigger language plpgsql as $$
    begin if new.subscriber_id is not null then raise 'crash'; end if; return new; end $$`;
  await sql`create trigger refuse before insert on report_emails for each row execute function refuse_report()`;
  await runAt('2026-11-02T07:00:00Z');
  t.same(await queued(), firstWeek);
  await sql`drop trigger refuse on report_emails`;
  await runAt('2026-11-02T07:01:00Z', 2);
  t.same(await queued(), [
    ...firstWeek,
    'weekly 2026-10-26 ada@example.com',
    'weekly 2026-10-26 sue@example.com',
  ]);
});

t.test('a month is reported on the 1st, and weeks that nothing ran for are not made up for', async (t) => {
  await sql`delete from reports`;
  await runAt('2026-11-25T12:00:00Z');
  t.same(await queued(), ['weekly 2026-11-16 ada@example.com', 'weekly 2026-11-16 sue@example.com']);
  await sql`delete from reports`;
  await set({ every: 'monthly', toSubscribers: false });
  await runAt('2026-12-01T06:59:00Z');
  t.same(await queued(), []);
  await runAt('2026-12-01T07:00:00Z');
  t.same(await queued(), ['monthly 2026-11-01 ada@example.com']);
});

t.test('an event store that is unavailable delays the report of its own page only', async (t) => {
  await sql`delete from reports`;
  const other = await makePage(sql, { slug: 'other' });
  await giveRole(deps, { userId: ada.id, slug: 'other', role: 'viewer' });
  await set({ every: 'monthly', toSubscribers: false });
  await putReportSettings(deps, { ...settings, pageId: other.id, every: 'monthly' });
  away.add(page.id);
  await runAt('2027-01-01T09:00:00Z');
  t.same([await queued(), await queued(other.id)], [[], ['monthly 2026-12-01 ada@example.com']]);
  away.delete(page.id);
  await runAt('2027-01-01T09:01:00Z');
  t.same(await queued(), ['monthly 2026-12-01 ada@example.com']);
});

t.test('people get the whole report in their language, and subscribers what the page shows', async (t) => {
  await sql`delete from reports`;
  await set();
  await runAt('2027-01-11T09:00:00Z');
  await sql`
    insert into suppressions (page_id, email, reason, created_at)
    values (${page.id}, 'left@example.com', 'unsubscribed', now())`;
  await sql`
    insert into report_emails (id, page_id, report_id, subscriber_id, recipient, next_attempt_at, created_at)
    select gen_random_uuid(), page_id, report_id, subscriber_id, 'left@example.com', next_attempt_at, created_at
    from report_emails where subscriber_id is not null`;
  const sink = await startSmtpSink(t);
  const originOf = (hostname: string) => `https://${hostname}`;
  const loop = startEmailLoop({
    ...{ sql, clock, log: silentLog, secretKey: testSecretKey, translates: false, originOf, pollMs: 20 },
    smtpUrl: `${sink.url}?from=status@example.com`,
    startOthers: (mail) => [
      startDeliveryLoop(mail, {
        name: 'emails.reports',
        couriers: [
          createReportCourier({
            ...mail,
            originOf,
            reportUrlOf: ({ every }) => `https://run.example.com/${every}`,
          }),
        ],
      }),
    ],
  });
  t.teardown(() => loop.stop());
  await waitUntil('nothing is left', async () => {
    const [row] = await sql`select exists (select 1 from report_emails where state = 'pending') as busy`;
    return row?.['busy'] === false;
  });
  t.equal(sink.messages.length, 2, 'each once');
  const [toAda] = sink.to('ada@example.com');
  const [toSue] = sink.to('sue@example.com');
  t.match(toAda?.subject, /^\[Acme\] Wochenbericht: 4\.–10\. Januar 2027/);
  for (const shown of ['Verfügbarkeit', 'Shop', 'Inside', 'Alarme', 'https://run.example.com/week'])
    t.match(toAda?.text, shown);
  t.match(toAda?.html, /<table[^>]*>[\s\S]*Inside/);
  t.notOk(toAda?.headers.has('list'), 'nobody subscribed');
  t.match(toSue?.subject, /^\[Acme\] Weekly report: /);
  t.match(toSue?.text, 'Shop');
  t.notMatch(`${toSue?.text}${toSue?.html}`, /Inside|Alerts|Requests|run\.example\.com/);
  t.match(toSue?.raw, /List-Unsubscribe: <https:\/\/acme\.localhost\/[^>]*token=/);
  t.match(toSue?.raw, 'List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  t.match(await sql`select reason from report_emails where recipient = 'left@example.com'`, [
    { reason: 'the address has unsubscribed' },
  ]);
});
