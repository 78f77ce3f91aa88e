import t from 'tap';
import { changeIncident, parseIncidentChange } from '../../control/incidents/index.js';
import { type AlertId, newId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { pruneNotifications } from '../../service/jobs/prune-notifications.js';
import { testActor } from '../support/actor.js';
import { makeAlert } from '../support/alert-links.js';
import { makePage } from '../support/pages.js';
import { silentLog } from '../support/silent-log.js';
import { openTestPostgres } from '../support/stores.js';
import { announceIncident, announceUpdate, makeWebhook } from '../support/webhooks.js';

const { sql } = await openTestPostgres(t);
const begin = Date.parse('2026-06-01T12:00:00.000Z');
let now = begin;
const deps = { sql, clock: { now: () => now }, log: silentLog, by: testActor };
const page = await makePage(sql, { languages: ['en', 'de'] });

async function pruneAtDay(days: number): Promise<void> {
  now = begin + days * dayMs;
  await pruneNotifications(deps);
}

/** Makes an announcement on day 0 with a delivery and an email, which end on the given days; `null` keeps them pending. */
async function announceAndEnd(ended: { delivery: number | null; email: number | null }, queued = true) {
  now = begin;
  const incidentId = await announceIncident(deps, page.id);
  const [announcement] = await sql<{ id: string; seq: string }[]>`
    update announcements set webhooks_queued_at = ${new Date(now)}, emails_queued_at = ${queued ? new Date(now) : null}
    where incident_id = ${incidentId} returning id, seq`;
  const webhook = await makeWebhook(deps, 'https://hooks.test/');
  const end = (day: number | null) => (day === null ? null : new Date(begin + day * dayMs));
  const common = { page_id: page.id, announcement_id: announcement?.id ?? '', created_at: new Date(now) };
  const delivery = {
    ...{ ...common, id: newId(now), webhook_id: webhook.id, queue: incidentId, seq: announcement?.seq ?? 0 },
    ...{ kind: 'incident.created', next_attempt_at: new Date(now) },
    ...{ state: ended.delivery === null ? 'pending' : 'delivered', finished_at: end(ended.delivery) },
  };
  await sql`insert into webhook_deliveries ${sql(delivery)}`;
  await sql`
    insert into webhook_attempts (delivery_id, attempt, at, duration_ms) values (${delivery.id}, 1, now(), 1)`;
  const subscriber = { id: newId(now), page_id: page.id, email: `${newId(now)}@example.com`, language: 'en' };
  await sql`
    insert into subscribers ${sql({ ...subscriber, created_at: new Date(now), requested_at: new Date(now) })}`;
  const email = {
    ...{ ...common, id: newId(now), subscriber_id: subscriber.id, kind: 'announcement' },
    ...{ next_attempt_at: new Date(now), finished_at: end(ended.email) },
    ...{ state: ended.email === null ? 'pending' : 'parked' },
  };
  await sql`insert into emails ${sql(email)}`;
  const left = async () => {
    const [row] = await sql<
      { announcements: number; deliveries: number; emails: number; attempts: number }[]
    >`
      select (select count(*)::int from announcements where incident_id = ${incidentId}) as announcements,
        (select count(*)::int from webhook_deliveries where id = ${delivery.id}) as deliveries,
        (select count(*)::int from emails where id = ${email.id}) as emails,
        (select count(*)::int from webhook_attempts where delivery_id = ${delivery.id}) as attempts`;
    return { ...row };
  };
  return { left, remove: () => sql`delete from incidents where id = ${incidentId}` };
}

t.test(
  'deliveries and emails are deleted 30 days after their end, an announcement when it has none left',
  async (t) => {
    const both = await announceAndEnd({ delivery: 0, email: 0 });
    const replayed = await announceAndEnd({ delivery: 20, email: 0 });
    const emailWaits = await announceAndEnd({ delivery: 0, email: null });
    const webhookWaits = await announceAndEnd({ delivery: null, email: 0 });
    const notQueued = await announceAndEnd({ delivery: 0, email: 0 }, false);
    const all = [both, replayed, emailWaits, webhookWaits, notQueued];
    await pruneAtDay(30);
    for (const { left } of all) {
      t.strictSame(await left(), { announcements: 1, deliveries: 1, emails: 1, attempts: 1 });
    }
    await pruneAtDay(31);
    t.strictSame(await both.left(), { announcements: 0, deliveries: 0, emails: 0, attempts: 0 });
    t.strictSame(await replayed.left(), { announcements: 1, deliveries: 1, emails: 0, attempts: 1 });
    t.strictSame(await emailWaits.left(), { announcements: 1, deliveries: 0, emails: 1, attempts: 0 });
    t.strictSame(await webhookWaits.left(), { announcements: 1, deliveries: 1, emails: 0, attempts: 1 });
    t.strictSame(await notQueued.left(), { announcements: 1, deliveries: 0, emails: 0, attempts: 0 });
    await pruneAtDay(51);
    t.strictSame(await replayed.left(), { announcements: 0, deliveries: 0, emails: 0, attempts: 0 });
    t.match(await emailWaits.left(), { announcements: 1, emails: 1 }, 'a pending email stays');
    for (const { remove } of all) await remove();
  },
);

t.test('more rows than one statement deletes are all deleted', async (t) => {
  now = begin;
  const incidentId = await announceIncident(deps, page.id);
  await sql`
    insert into announcements (id, page_id, incident_id, kind, entry, created_at, webhooks_queued_at, emails_queued_at)
    select gen_random_uuid(), ${page.id}, ${incidentId}, 'incident.updated', '{}', ${new Date(now)}, now(), now()
    from generate_series(1, 2500)`;
  await pruneAtDay(31);
  const [row] =
    await sql`select count(*)::int as rows from announcements where webhooks_queued_at is not null`;
  t.equal(row?.['rows'], 0);
});

t.test(
  'texts are deleted with the last announcement that shows them, and stored again when needed',
  async (t) => {
    now = begin;
    const { id: pageId } = await makePage(sql, { slug: 'texts' });
    const incidentId = await announceIncident(deps, pageId);
    const change = (title: string) =>
      changeIncident(deps, { pageId, incidentId, change: parseIncidentChange({ title }) });
    const texts = async () =>
      (
        await sql<{ text: string }[]>`
        select text from announced_texts where incident_id = ${incidentId} order by text collate "C"`
      ).map(({ text }) => text);
    await change('Another title');
    await sql`
    update announcements set webhooks_queued_at = now(), emails_queued_at = now() where incident_id = ${incidentId}`;
    now = begin + 20 * dayMs;
    await change('Database outage');
    t.strictSame(await texts(), ['Another title', 'Connections time out.', 'Database outage', '[]']);
    await pruneAtDay(31);
    t.strictSame(await texts(), ['Connections time out.', 'Database outage', '[]']);
    await Promise.all([pruneNotifications(deps), change('Another title'), pruneNotifications(deps)]);
    t.strictSame(await texts(), ['Another title', 'Connections time out.', 'Database outage', '[]']);
  },
);

t.test('translations are deleted when their text is old and no longer shown', async (t) => {
  now = begin;
  const incidentId = await announceIncident(deps, page.id, 1);
  const change = (fields: object) =>
    changeIncident(deps, { pageId: page.id, incidentId, change: parseIncidentChange(fields) });
  await change({ title: 'First title' });
  await change({ title: 'Second title' });
  const other = await makePage(sql, { slug: 'other', languages: ['en', 'de'] });
  await announceIncident(deps, other.id);
  await sql`
    update translations t set text = s.text, translated_at = t.created_at from translation_sources s
    where (s.page_id, s.hash) = (t.page_id, t.source_hash) and s.text <> 'First title'`;
  const texts = async (pageId: string) =>
    (
      await sql<{ text: string }[]>`
        select s.text from translation_sources s join translations t on (s.page_id, s.hash) = (t.page_id, t.source_hash)
        where s.page_id = ${pageId} order by s.text collate "C"`
    ).map(({ text }) => text);
  const shown = ['Connections time out.', 'Second title', 'Update 1.'];
  // Other incidents of this page, opened by the tests above, still show the first title of this one.
  await sql`delete from incidents where page_id = ${page.id} and id <> ${incidentId}`;
  await pruneAtDay(30);
  t.strictSame(await texts(page.id), [shown[0], 'Database outage', 'First title', ...shown.slice(1)]);

  now = begin + 40 * dayMs;
  await change({ title: 'Third title' });
  await pruneNotifications(deps);
  t.strictSame(await texts(page.id), [shown[0], 'Third title', shown[2]], 'a new text stays');
  const sources = await sql`select 1 from translation_sources where page_id = ${page.id}`;
  t.equal(sources.length, 3, 'a text goes with its last translation');
  t.strictSame(
    await texts(other.id),
    ['Connections time out.', 'Database outage'],
    'a text that its own page shows stays',
  );
});

t.test(
  'a text that comes into use again during the deletion keeps its translations or is requested again',
  async (t) => {
    for (let round = 0; round < 5; round += 1) {
      now = begin;
      const incidentId = await announceIncident(deps, page.id);
      await announceUpdate(deps, page.id, incidentId, 'Other text.');
      const change = (title: string) =>
        changeIncident(deps, { pageId: page.id, incidentId, change: parseIncidentChange({ title }) });
      await change(`Back again ${round}`);
      await change('Away');
      now = begin + 40 * dayMs;
      await Promise.all([pruneNotifications(deps), change(`Back again ${round}`), pruneNotifications(deps)]);
      const rows = await sql`
      select 1 from translations t join translation_sources s on (s.page_id, s.hash) = (t.page_id, t.source_hash)
      where t.page_id = ${page.id} and s.text = ${`Back again ${round}`}`;
      t.equal(rows.length, 1);
    }
  },
);

t.test('alerts and silences are deleted 400 days after their end, with who was told of them', async (t) => {
  const clock = { now: () => begin };
  const ended = async (day: number | null, batch?: AlertId) => {
    const id = await makeAlert({ sql, clock }, page.id, batch === undefined ? {} : { batch });
    const end = day === null ? null : new Date(begin + day * dayMs);
    await sql`
      update alerts set resolved_at = ${end}, ended_by = ${end && 'rule'}, told_batch = coalesce(told_batch, id)
      where id = ${id}`;
    if (batch !== undefined) return id;
    const notice = {
      id: newId<AlertId>(begin),
      batch_id: id,
      page_id: page.id,
      at: new Date(begin),
      step: 0,
      round: 0,
    };
    await sql`insert into alert_notices ${sql({ ...notice, recipient_type: 'nobody', recipient_name: '', reason: 'x' })}`;
    await sql`
      insert into escalations (batch_id, page_id, policy, step, round, next_at)
      values (${id}, ${page.id}, 'night', 0, 0, now())`;
    return id;
  };
  const first = await ended(0);
  const together = await ended(0);
  await ended(10, together);
  const lasting = await ended(null);
  await sql`
    insert into silences (id, page_id, note, created_by, created_at, ends_at)
    values (${newId<AlertId>(begin)}, ${page.id}, '', 'ann', ${new Date(begin - dayMs)}, ${new Date(begin)})`;
  const left = async () => {
    const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort();
    const [silences] = await sql<{ count: number }[]>`select count(*)::int as count from silences`;
    return {
      alerts: (await sql`select 1 from alerts`).count,
      notices: ids(await sql<{ id: string }[]>`select batch_id as id from alert_notices`),
      escalations: ids(await sql<{ id: string }[]>`select batch_id as id from escalations`),
      silences: silences?.count,
    };
  };
  const known = (...ids: string[]) => ({ notices: ids.sort(), escalations: ids.sort() });
  await pruneAtDay(400);
  t.strictSame(await left(), { alerts: 4, ...known(first, together, lasting), silences: 1 });
  await pruneAtDay(401);
  t.strictSame(await left(), { alerts: 2, ...known(together, lasting), silences: 0 });
  await pruneAtDay(411);
  t.strictSame(await left(), { alerts: 1, ...known(lasting), silences: 0 });
});
