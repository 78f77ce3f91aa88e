import t from 'tap';
import { Temporal } from 'temporal-polyfill';
import { contactWayLimits, type PersonPhase } from '../../../contract/manage/contact-ways.js';
import {
  changeWay,
  createWay,
  createWaySender,
  deleteWay,
  listTold,
  queueToPerson,
  type WayInput,
} from '../../../control/contact-ways/index.js';
import type { Clock } from '../../../lib/clock.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import {
  loadPersonMessages,
  makeWay,
  makeWaySender,
  wayDepsOf,
  waySettingsFor,
} from '../../support/contact-ways.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makePage } from '../../support/pages.js';
import { giveRole, makeUser } from '../../support/people.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
let now = Temporal.Instant.from('2026-07-01T12:00:00Z').epochMilliseconds;
const clock: Clock = { now: () => now };
const at = (text: string) => Temporal.ZonedDateTime.from(`${text}[Europe/Berlin]`).epochMilliseconds;
const deps = wayDepsOf(
  { sql, clock },
  makeWaySender(t, { clock, url: 'http://127.0.0.1:1', smtpUrl: 'smtp://127.0.0.1:1' }),
);
const page = await makePage(sql, { slug: 'acme' });
const other = await makePage(sql, { slug: 'other' });
let alerts = 0;

async function newPerson(...ways: Partial<WayInput>[]) {
  const user = await makeUser({ sql, clock });
  await giveRole({ sql, clock }, { userId: user.id, slug: 'acme', role: 'viewer' });
  const owner = { userId: user.id, email: user.email, language: null };
  const made = [];
  for (const way of ways) {
    const settings = { topic: 'ada' };
    made.push(await makeWay(deps, owner, { kind: 'ntfy', settings, ...way }));
  }
  alerts += 1;
  const alertKey = `alert-${alerts}`;
  const queue = (phase: PersonPhase, more: Partial<Parameters<typeof queueToPerson>[1]> = {}) =>
    inTransaction(sql, (tx) =>
      queueToPerson(tx, {
        ...{ pageId: page.id, userId: user.id, severity: 'page', phase, alertKey, now },
        ...{ message: { title: `API ${phase}`, text: '', facts: [] }, ...more },
      }),
    );
  const states = async () =>
    (await loadPersonMessages(sql, user.id)).map(({ phase, state }) => `${phase}: ${state}`);
  return { ...owner, ways: made, alertKey, queue, states };
}

/** As a courier does when a message was taken. */
const deliver = (id: string) => sql`
  update person_messages set state = 'delivered', attempts = 1, finished_at = now()
  where way_id = ${id} and state = 'pending'`;
const night = { fromMinute: 22 * 60, toMinute: 7 * 60, timeZone: 'Europe/Berlin' };

t.test('a message goes to the confirmed ways that take its severity, once', async (t) => {
  const ada = await newPerson({}, { severities: ['ticket'] }, { severities: ['page'] });
  await sql`update contact_ways set confirmed_at = null where id = ${ada.ways[0]?.id ?? ''}`;
  const told = await ada.queue('start');
  t.strictSame(told, { told: [ada.ways[2]?.id], heldUntil: null });
  t.strictSame(await ada.queue('start'), told, 'the same again');
  t.strictSame(await ada.states(), ['start: pending']);
  await ada.queue('reminder', { step: 1 });
  await ada.queue('reminder', { step: 2 });
  t.strictSame(await ada.states(), ['start: pending', 'reminder: pending', 'reminder: pending']);
  t.strictSame(await ada.queue('start', { severity: 'info', step: 1 }), { told: [], heldUntil: null });
});

t.test('repeats at the same time queue once', async (t) => {
  const ada = await newPerson({}, {});
  const all = await Promise.all(Array.from({ length: 5 }, () => ada.queue('start')));
  for (const one of all)
    t.strictSame(
      one.told,
      ada.ways.map(({ id }) => id),
    );
  t.equal((await ada.states()).length, 2);
});

t.test('a person without a confirmed way gets email to the account', async (t) => {
  const ada = await newPerson();
  t.strictSame(await ada.queue('start', { severity: 'info' }), { told: [ada.userId], heldUntil: null });
  t.match(await loadPersonMessages(sql, ada.userId), [{ way_id: ada.userId, kind: 'email' }]);
});

t.test('a person without a role on the page, or who is disabled, is told nothing', async (t) => {
  const ada = await newPerson({});
  const nobody = { told: [], heldUntil: null };
  t.strictSame(await ada.queue('start', { pageId: other.id }), nobody);
  await sql`update users set disabled_at = now() where id = ${ada.userId}`;
  t.strictSame(await ada.queue('start'), nobody);
  t.strictSame(await ada.states(), []);
});

t.test('an end goes only to the ways that were sent the start', async (t) => {
  const ada = await newPerson({}, { severities: ['ticket'] });
  t.strictSame(await ada.queue('end'), { told: [], heldUntil: null }, 'nobody was told');
  await ada.queue('start');
  const late = await makeWay(deps, ada, { kind: 'ntfy', settings: { topic: 'late' } });
  t.strictSame((await ada.queue('end')).told, [ada.ways[0]?.id], 'neither the other nor the new way');
  t.equal((await loadPersonMessages(sql, ada.userId)).filter(({ way_id }) => way_id === late.id).length, 0);
});

t.test('a start that was given up has no end', async (t) => {
  const ada = await newPerson({});
  await ada.queue('start');
  await sql`
    update person_messages set state = 'parked', reason = 'x', finished_at = now() where user_id = ${ada.userId}`;
  t.strictSame((await ada.queue('end')).told, []);
});

t.test('the end goes where the start went, though the way takes other severities by now', async (t) => {
  const ada = await newPerson({});
  await ada.queue('start');
  await changeWay(deps, ada, { id: ada.ways[0]?.id ?? '', severities: ['info'] });
  t.strictSame((await ada.queue('end')).told, [ada.ways[0]?.id]);
});

t.test('quiet hours hold what does not wake, and what is over by their end is not sent', async (t) => {
  const ada = await newPerson({ quietHours: night });
  now = at('2026-07-01T23:00');
  const told = await ada.queue('start', { severity: 'ticket' });
  t.strictSame(told, { told: [ada.ways[0]?.id], heldUntil: new Date(at('2026-07-02T07:00')) });
  now = at('2026-07-02T02:00');
  t.strictSame(await ada.queue('end', { severity: 'ticket' }), { told: [], heldUntil: null });
  t.match(await loadPersonMessages(sql, ada.userId), [
    { phase: 'start', state: 'parked', reason: /^over: / },
  ]);
});

t.test('a page passes through quiet hours, and a message at their end leaves at once', async (t) => {
  const ada = await newPerson({ quietHours: night });
  now = at('2026-07-01T23:00');
  t.equal((await ada.queue('start')).heldUntil, null);
  const bob = await newPerson({ quietHours: night });
  now = at('2026-07-02T07:00');
  t.equal((await bob.queue('start', { severity: 'ticket' })).heldUntil, null);
});

t.test('one way that is not quiet tells at once', async (t) => {
  now = at('2026-07-01T23:00');
  const ada = await newPerson({ quietHours: night }, {});
  const told = await ada.queue('start', { severity: 'info' });
  t.strictSame(told, { told: ada.ways.map(({ id }) => id), heldUntil: null });
  const [held, free] = await loadPersonMessages(sql, ada.userId);
  t.ok(held?.held_until && free?.held_until === null);
});

t.test('quiet hours end by the clock on the wall, where it is put forward and back', async (t) => {
  const hours = { fromMinute: 60, toMinute: 150, timeZone: 'Europe/Berlin' };
  const spring = await newPerson({ quietHours: hours });
  now = at('2026-03-29T01:30');
  const { heldUntil } = await spring.queue('start', { severity: 'ticket' });
  t.equal(heldUntil?.getTime(), at('2026-03-29T03:30'), '02:30 does not exist');
  const autumn = await newPerson({ quietHours: hours });
  now = at('2026-10-25T01:30');
  const back = await autumn.queue('start', { severity: 'ticket' });
  t.equal(back.heldUntil?.toISOString(), '2026-10-25T00:30:00.000Z', '02:30 of summer, the first one');
  now = Temporal.Instant.from('2026-10-25T01:15:00Z').epochMilliseconds;
  const again = await newPerson({ quietHours: hours });
  t.equal((await again.queue('start', { severity: 'ticket' })).heldUntil, null, '02:15 for the second time');
});

t.test('changed quiet hours release what they held', async (t) => {
  now = at('2026-07-01T23:00');
  const ada = await newPerson({ quietHours: night });
  await ada.queue('start', { severity: 'ticket' });
  await changeWay(deps, ada, { id: ada.ways[0]?.id ?? '', quietHours: null });
  t.match(await loadPersonMessages(sql, ada.userId), [{ held_until: null, next_attempt_at: new Date(now) }]);
});

t.test('a way that has too many waiting messages gives up the oldest', async (t) => {
  const ada = await newPerson({});
  const most = contactWayLimits.waitingPerWay;
  await ada.queue('reminder');
  await sql`
    insert into person_messages (id, page_id, user_id, way_id, kind, name, alert_key, phase, step, severity, message,
      next_attempt_at, created_at)
    select gen_random_uuid(), page_id, user_id, way_id, kind, name, alert_key, phase, more, severity, message,
      next_attempt_at, created_at
    from person_messages, generate_series(1, ${most - 1}) more where user_id = ${ada.userId}`;
  t.equal((await ada.states()).filter((state) => state === 'reminder: pending').length, most);
  await ada.queue('reminder', { step: most });
  const rows = await loadPersonMessages(sql, ada.userId);
  t.match(rows[0], { state: 'parked', reason: /^full: More than 100 messages/ });
  t.equal(rows.filter(({ state }) => state === 'pending').length, most);
});

t.test('what waits is given up with its way, and stays in the list of who was told', async (t) => {
  const ada = await newPerson({});
  await ada.queue('start');
  await deliver(ada.ways[0]?.id ?? '');
  await ada.queue('reminder', { step: 1 });
  await deleteWay(deps, ada, { id: ada.ways[0]?.id ?? '' });
  t.strictSame(await ada.states(), ['start: delivered', 'reminder: parked']);
  const told = await listTold(sql, { pageId: page.id, alertKeys: [ada.alertKey] });
  t.match(told, [
    { email: ada.email, personName: 'Ada', kind: 'ntfy', phase: 'start', state: 'delivered', reason: null },
    { phase: 'reminder', step: 1, state: 'parked', reason: /^off: / },
  ]);
  t.strictSame([...(await listTold(sql, { pageId: other.id, alertKeys: [ada.alertKey] }))], []);
});

t.test('a kind that the installation cannot send is refused, and says what its operator sets', async (t) => {
  const sender = createWaySender({ clock, allowPrivateAddresses: false });
  const ada = await newPerson();
  for (const [kind, name] of [
    ['sms', 'HEARTLINE_SMS_URL and HEARTLINE_SMS_FORM'],
    ['voice', 'HEARTLINE_VOICE_URL and HEARTLINE_VOICE_FORM'],
    ['email', 'HEARTLINE_SMTP_URL'],
  ] as const) {
    const settings = waySettingsFor('')[kind];
    const message = new RegExp(`its operator sets ${name}\\.$`);
    await t.rejects(
      createWay({ ...deps, sender }, ada, { kind, settings }),
      likeServiceError('conflict', { message }),
    );
  }
});
