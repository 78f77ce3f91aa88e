import t from 'tap';
import {
  appendUpdate,
  changeIncident,
  parseIncidentChange,
  parseNewUpdate,
  remindOfMaintenance,
} from '../../../control/incidents/index.js';
import { changePreferences, type Preferences } from '../../../control/subscribers/index.js';
import type { SubscriberId } from '../../../lib/ids.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { makeMonitors } from '../../support/incidents.js';
import { addConfirmed, setUpMail } from '../../support/mail-setup.js';
import { silentLog } from '../../support/silent-log.js';
import { startSmtpSink } from '../../support/smtp-sink.js';

const mail = await setUpMail(t);
const { sql, clock, page } = mail;
const sink = await startSmtpSink(t);
mail.startLoop(t, { smtpUrl: `${sink.url}?from=status@example.com` });
await makeMonitors(sql, page.id, ['api', 'web', 'jobs', 'hidden']);
await sql`update monitors set hidden = true where slug = 'hidden'`;
await sql`
  insert into monitor_groups (id, page_id, slug, name, position, created_at)
  values (gen_random_uuid(), ${page.id}, 'shop', 'Shop', 1, now())`;
await sql`update monitors set group_id = (select id from monitor_groups) where slug in ('web', 'jobs')`;

const readers: Record<string, Preferences> = {
  all: { choice: null, reminders: false },
  api: { choice: { services: ['api'], groups: [] }, reminders: false },
  shop: { choice: { services: [], groups: ['shop'] }, reminders: true },
  reminded: { choice: null, reminders: true },
};
for (const [name, preferences] of Object.entries(readers)) {
  await addConfirmed(mail, [`${name}@example.com`]);
  const [row] = await sql<
    { id: SubscriberId }[]
  >`select id from subscribers where email = ${`${name}@example.com`}`;
  if (row === undefined) throw new Error('The subscriber was added.');
  await changePreferences(
    mail,
    { pageId: page.id, subscriberId: row.id },
    { ...preferences, language: 'en' },
  );
}

/** Who got an email since the last call, and how its subject begins. */
async function told(): Promise<Record<string, string>> {
  await mail.settled();
  const got = Object.keys(readers).flatMap((name) => {
    const [message] = sink.to(`${name}@example.com`).slice(seen.get(name) ?? 0);
    seen.set(name, sink.to(`${name}@example.com`).length);
    return message === undefined
      ? []
      : [[name, message.subject?.replace(/^\[Acme\] ([^:]*):.*$/, '$1') ?? '']];
  });
  return Object.fromEntries(got);
}
const seen = new Map<string, number>();
const open = (monitorSlugs: string[], fields: object = {}) => mail.openIncident({ monitorSlugs, ...fields });

t.test('each reader hears of what it has chosen, and of what affects no service that it sees', async (t) => {
  await open(['api']);
  t.same(Object.keys(await told()), ['all', 'api', 'reminded']);
  await open(['jobs']);
  t.same(Object.keys(await told()), ['all', 'shop', 'reminded']);
  await open([]);
  t.same(Object.keys(await told()), ['all', 'api', 'shop', 'reminded']);
  await open(['hidden']);
  t.same(Object.keys(await told()), ['all', 'api', 'shop', 'reminded']);
  await open(['web', 'api']);
  t.same(Object.keys(await told()), ['all', 'api', 'shop', 'reminded']);
});

t.test(
  'whoever has heard of an incident hears of its end, although it affects something else by then',
  async (t) => {
    const incidentId = await open(['api']);
    await told();
    const deps = { sql, clock, by: testActor };
    await changeIncident(deps, {
      pageId: page.id,
      incidentId,
      change: parseIncidentChange({ monitorSlugs: ['web'] }),
    });
    await told();
    await appendUpdate(deps, {
      pageId: page.id,
      incidentId,
      input: parseNewUpdate({ body: 'Over.', status: 'resolved' }),
    });
    t.same(await told(), { all: 'Resolved', api: 'Resolved', shop: 'Resolved', reminded: 'Resolved' });
  },
);

t.test('those who want that are reminded a day and an hour before maintenance, once each', async (t) => {
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  const remind = () => remindOfMaintenance({ sql, clock, log: silentLog });
  const incidentId = await open(['web'], {
    ...{
      type: 'maintenance',
      title: 'New disks',
      startedAt: at(30 * hourMs),
      scheduledEndAt: at(32 * hourMs),
    },
  });
  t.same(await told(), {
    all: 'Maintenance scheduled',
    shop: 'Maintenance scheduled',
    reminded: 'Maintenance scheduled',
  });
  await remind();
  t.same(await told(), {});
  clock.advance(7 * hourMs);
  await Promise.all([remind(), remind()]);
  t.same(await told(), { shop: 'Maintenance begins soon', reminded: 'Maintenance begins soon' });
  const deliveries =
    await sql`select 1 from announcements where reminder_hours is not null and webhooks_queued_at is null`;
  t.same([...deliveries], [], 'webhooks have no part in it');
  clock.advance(20 * hourMs);
  await remind();
  t.same(await told(), {});
  clock.advance(2 * hourMs + minuteMs);
  await remind();
  t.same(await told(), { shop: 'Maintenance begins soon', reminded: 'Maintenance begins soon' });

  const startedAt = at(3 * hourMs);
  const change = parseIncidentChange({ startedAt, scheduledEndAt: at(5 * hourMs), notify: false });
  await changeIncident({ sql, clock, by: testActor }, { pageId: page.id, incidentId, change });
  await told();
  await remind();
  t.same(
    await told(),
    { shop: 'Maintenance begins soon', reminded: 'Maintenance begins soon' },
    'it was moved',
  );
});

t.test('no reminder follows an announcement at once, and none comes when it is called off', async (t) => {
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  const remind = () => remindOfMaintenance({ sql, clock, log: silentLog });
  const fields = {
    type: 'maintenance',
    title: 'New disks',
    startedAt: at(5 * hourMs),
    scheduledEndAt: at(6 * hourMs),
  };
  const incidentId = await open([], fields);
  await told();
  await remind();
  t.same(await told(), {});
  const input = parseNewUpdate({ body: 'Called off.', status: 'resolved', notify: false });
  await appendUpdate({ sql, clock, by: testActor }, { pageId: page.id, incidentId, input });
  clock.advance(4 * hourMs + minuteMs);
  await remind();
  t.same(await told(), {});
});
