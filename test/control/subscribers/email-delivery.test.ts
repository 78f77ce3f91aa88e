import { fork } from 'node:child_process';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { queueEmails } from '../../../control/subscribers/mail/queue-emails.js';
import { dayMs, minuteMs } from '../../../lib/times.js';
import { captureLog } from '../../support/capture-log.js';
import { addConfirmed, type EmailRow, setUpMail } from '../../support/mail-setup.js';
import { makePage } from '../../support/pages.js';
import { findClosedPort } from '../../support/probe-target.js';
import { startSmtpSink } from '../../support/smtp-sink.js';
import { waitUntil } from '../../support/wait-until.js';

const mail = await setUpMail(t);
const { sql, clock, page } = mail;

/** Runs a subtest on a page without subscribers and emails. */
function test(name: string, run: (t: Test) => Promise<void>): void {
  t.test(name, async (t) => {
    await sql`delete from announcements`;
    await sql`delete from subscribers`;
    await sql`delete from suppressions`;
    await run(t);
  });
}

async function emailTo(address: string): Promise<EmailRow | undefined> {
  return (await mail.emails()).find(({ email }) => email === address);
}

function waitFor(address: string, what: string, condition: (row: EmailRow) => boolean): Promise<void> {
  return waitUntil(`the email to ${address} ${what}`, async () => {
    const row = await emailTo(address);
    return row !== undefined && condition(row);
  });
}

test('a message that was refused for now is repeated later with the same id', async (t) => {
  const sink = await startSmtpSink(t);
  let refusals = 2;
  const refused: string[] = [];
  sink.refuse = (address) => {
    if (address !== 'full@example.com' || refusals-- <= 0) return undefined;
    refused.push(address);
    return '452 4.2.2 Mailbox full';
  };
  await addConfirmed(mail, ['full@example.com', 'fine@example.com']);
  const loop = mail.startLoop(t, { smtpUrl: sink.url });
  await mail.openIncident();
  await waitFor('full@example.com', 'was refused', ({ reason }) => reason?.includes('Mailbox full') === true);
  await waitFor('fine@example.com', 'is delivered', ({ state }) => state === 'delivered');
  clock.advance(6_500);
  await waitFor(
    'full@example.com',
    'was refused again',
    ({ attempts, claimed }) => attempts === 2 && !claimed,
  );
  t.equal(refused.length, 2, 'no attempt before it is due');
  clock.advance(75_000);
  await waitFor('full@example.com', 'is delivered', ({ state }) => state === 'delivered');
  const row = await emailTo('full@example.com');
  t.match(row, { attempts: 3, reason: null });
  t.match(sink.to('full@example.com'), [{ messageId: `<${row?.id}@acme.localhost>` }]);
  t.equal(sink.to('full@example.com').length, 1);
  await loop.stop();
});

test('an address that the server does not know is suppressed, others are not', async (t) => {
  const sink = await startSmtpSink(t);
  const answers: Record<string, string> = {
    'gone@example.com': '550 5.1.1 No such user',
    'plain@example.com': '550 No such user',
    'closed@example.com': '550 5.2.1 Mailbox disabled',
    'relay@example.com': '550 5.7.1 Relaying denied',
    'sender@example.com': '553 5.1.8 Bad sender',
    'big@example.com': '552 5.3.4 Too big',
  };
  sink.refuse = (address) => answers[address];
  await addConfirmed(mail, Object.keys(answers));
  const loop = mail.startLoop(t, { smtpUrl: sink.url });
  await mail.openIncident();
  await waitUntil('all are attempted', async () => {
    const rows = await mail.emails();
    return rows.length === 6 && rows.every(({ reason }) => reason !== null);
  });
  const suppressed = await sql<{ email: string; reason: string }[]>`
    select email, reason from suppressions order by email`;
  t.same(
    suppressed.map(({ email, reason }) => [email, reason]),
    ['closed@example.com', 'gone@example.com', 'plain@example.com'].map((email) => [email, 'bounced']),
  );
  for (const { email, state } of await mail.emails()) {
    t.equal(state, suppressed.some((row) => row.email === email) ? 'parked' : 'pending', email);
  }
  for (let attempt = 2; attempt <= 8; attempt += 1) {
    clock.advance(dayMs);
    await waitUntil(`the others are attempted ${attempt} times`, async () => {
      const rows = await mail.emails();
      const others = rows.filter(({ email }) => !suppressed.some((row) => row.email === email));
      return others.every(({ attempts, claimed }) => attempts === attempt && !claimed);
    });
  }
  await mail.settled();
  t.match(await emailTo('relay@example.com'), { state: 'parked', attempts: 8, reason: /Relaying denied/ });
  t.equal((await sql`select 1 from suppressions`).length, 3);
  await loop.stop();
});

test('a server that is down is tried again', async (t) => {
  const port = await findClosedPort();
  const { log, text } = captureLog();
  await addConfirmed(mail, ['down@example.com']);
  const loop = mail.startLoop(t, {
    smtpUrl: `smtp://me:pass%20word@127.0.0.1:${port}?tls=insecure`,
    log,
  });
  await mail.openIncident();
  await waitFor('down@example.com', 'failed', ({ reason }) => reason?.includes('ECONNREFUSED') === true);
  await loop.stop();
  t.notMatch(text(), 'pass');
  const sink = await startSmtpSink(t);
  const next = mail.startLoop(t, { smtpUrl: sink.url });
  clock.advance(6_500);
  await waitFor('down@example.com', 'is delivered', ({ state }) => state === 'delivered');
  await next.stop();
});

test('a server that hangs costs one attempt', async (t) => {
  const sink = await startSmtpSink(t);
  sink.beforeTaking = () => new Promise(() => {});
  await addConfirmed(mail, ['hangs@example.com']);
  const loop = mail.startLoop(t, { smtpUrl: sink.url, sendTimeoutMs: 300 });
  await mail.openIncident();
  await waitFor('hangs@example.com', 'failed', ({ attempts, reason }) => attempts === 1 && reason !== null);
  t.match(await emailTo('hangs@example.com'), { state: 'pending' });
  await loop.stop();
});

test('a message that a killed process was sending is repeated with the same id', async (t) => {
  const sink = await startSmtpSink(t);
  const seen: (string | undefined)[] = [];
  sink.beforeTaking = async ({ messageId }) => {
    seen.push(messageId);
    if (seen.length === 1) await new Promise(() => {});
  };
  await addConfirmed(mail, ['killed@example.com']);
  const child = fork(new URL('./email-loop-process.js', import.meta.url), [mail.databaseUrl, sink.url]);
  t.teardown(() => child.kill('SIGKILL'));
  await mail.openIncident({}, page.id);
  await waitUntil('the message is in flight', async () => {
    // The child has the system's clock. The clock of the test is days ahead, so its due emails are not due for the child.
    await sql`update emails set next_attempt_at = to_timestamp(0)`;
    return seen.length === 1;
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const [{ claimed_until: until } = {}] = await sql<{ claimed_until: Date }[]>`
    select claimed_until from emails`;
  t.ok(until !== undefined && until.getTime() > Date.now(), 'it is still claimed');
  await sql`update emails set claimed_until = ${new Date(clock.now() + minuteMs)}`;
  const loop = mail.startLoop(t, { smtpUrl: sink.url });
  await addConfirmed(mail, ['later@example.com']);
  await mail.openIncident();
  await waitUntil('the next incident is delivered to both', () =>
    ['later@example.com', 'killed@example.com'].every((address) => sink.to(address).length === 1),
  );
  t.equal(seen.length, 3, 'no repetition while the claim holds');
  clock.advance(minuteMs + 1);
  await mail.settled();
  t.equal(seen.filter((id) => id === seen[0]).length, 2);
  t.match(
    (await mail.emails()).filter(({ email, attempts }) => email === 'killed@example.com' && attempts === 2),
    [{ state: 'delivered' }],
  );
  await loop.stop();
});

test('a loop that stops releases the emails that it has not started', async (t) => {
  const sink = await startSmtpSink(t);
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let waiting = 0;
  sink.beforeTaking = () => {
    waiting += 1;
    return held;
  };
  const addresses = Array.from({ length: 20 }, (_, i) => `stop${i}@example.com`);
  await addConfirmed(mail, addresses);
  const loop = mail.startLoop(t, { smtpUrl: sink.url });
  await mail.openIncident();
  await waitUntil('eight messages are in flight', () => waiting === 8);
  const stopped = loop.stop();
  release();
  await stopped;
  const rows = await mail.emails();
  t.equal(rows.filter(({ state }) => state === 'delivered').length, 8);
  t.equal(rows.filter(({ state, attempts }) => state === 'pending' && attempts === 0).length, 12);
  const next = mail.startLoop(t, { smtpUrl: sink.url });
  await mail.settled();
  for (const address of addresses) t.equal(sink.to(address).length, 1, address);
  await next.stop();
});

test('what is delivered while PostgreSQL refuses to record it is sent once', async (t) => {
  const sink = await startSmtpSink(t);
  await addConfirmed(mail, ['once@example.com', 'too@example.com']);
  await sql.unsafe(`
    create sequence refused;
    create function refuse() returns trigger language plpgsql as $$
      begin
        if nextval('refused') <= 3 then raise exception 'Refused.'; end if;
        return null;
      end $$;
    create trigger refuse before update on emails for each statement execute function refuse();
    alter table emails disable trigger refuse`);
  sink.beforeTaking = async () => {
    await sql`alter table emails enable trigger refuse`;
  };
  const loop = mail.startLoop(t, { smtpUrl: sink.url });
  await mail.openIncident();
  await waitFor('once@example.com', 'is delivered', ({ state }) => state === 'delivered');
  await loop.stop();
  await sql.unsafe('drop trigger refuse on emails; drop function refuse; drop sequence refused');
  const rows = await mail.emails();
  t.match(rows, [
    { state: 'delivered', attempts: 1 },
    { state: 'delivered', attempts: 1 },
  ]);
  t.equal(sink.messages.length, 2);
});

test('without a server, emails are parked and the log says so', async (t) => {
  const { log, entries } = captureLog();
  await addConfirmed(mail, ['parked@example.com']);
  const loop = mail.startLoop(t, { log });
  await mail.openIncident();
  await mail.settled();
  const reason = 'no SMTP server is configured (HEARTLINE_SMTP_URL)';
  t.match(await emailTo('parked@example.com'), { state: 'parked', attempts: 0, reason });
  t.match(entries(), [{ msg: `Emails are parked, not sent: ${reason}.` }]);
  t.equal(entries().length, 1);
  await loop.stop();
});

test('emails are queued in short transactions that continue where the last one ended', async (t) => {
  const addresses = Array.from({ length: 60 }, (_, i) => `n${i}@many.example`);
  await addConfirmed(mail, addresses);
  await mail.openIncident();
  const deps = { sql, clock, translates: false };
  const counts: number[] = [];
  while (await queueEmails(deps)) counts.push((await mail.emails()).length);
  t.same(counts, [25, 50, 60]);
  await sql`update announcements set emails_queued_at = null`;
  while (await queueEmails(deps));
  t.equal((await mail.emails()).length, 60, 'none is queued twice');
  await mail.openIncident();
  const both = await Promise.all([queueEmails(deps), queueEmails(deps)]);
  t.ok(both.includes(true));
  while (await queueEmails(deps));
  t.equal((await mail.emails()).length, 120, 'nor by two concurrent calls');
});

test('a confirmation and another page do not wait for a page with many subscribers', async (t) => {
  const sink = await startSmtpSink(t);
  const other = await makePage(sql, { slug: 'small' });
  await addConfirmed(
    mail,
    Array.from({ length: 200 }, (_, i) => `n${i}@many.example`),
  );
  await addConfirmed({ sql, page: other }, ['small@example.com']);
  await mail.openIncident();
  while (await queueEmails({ sql, clock, translates: false }));
  clock.advance(1_000);
  await mail.openIncident({}, other.id);
  while (await queueEmails({ sql, clock, translates: false }));
  await mail.signUp({ email: 'asks@example.com' });
  const loop = mail.startLoop(t, { smtpUrl: sink.url });
  await mail.settled();
  t.equal(sink.messages.length, 202);
  const places = ['small@example.com', 'asks@example.com'].map((address) =>
    sink.messages.findIndex((message) => sink.to(address).includes(message)),
  );
  for (const place of places) t.ok(place >= 0 && place < 40, `in the first batch: ${place}`);
  await loop.stop();
});

test('emails wait up to a minute for translations', async (t) => {
  await addConfirmed(mail, ['wait@example.com']);
  const other = await makePage(sql, { slug: 'english' });
  await addConfirmed({ sql, page: other }, ['english@example.com']);
  const deps = { sql, clock, translates: true };
  await sql`delete from translations`;
  await mail.openIncident({ title: 'Translated', summary: 'Soon.' });
  t.notOk(await queueEmails(deps));
  await mail.openIncident({}, other.id);
  t.ok(await queueEmails(deps), 'an announcement on a page with one language does not wait');
  t.same(
    (await mail.emails()).map(({ email }) => email),
    ['english@example.com'],
  );
  t.notOk(await queueEmails(deps));
  await sql`
    update translations set text = 'Da', translated_at = now()
    where source_hash = sha256(convert_to('Translated', 'UTF8'))`;
  t.notOk(await queueEmails(deps), 'one text is still missing');
  await sql`update translations set text = 'Da', translated_at = now()`;
  t.ok(await queueEmails(deps));
  t.equal((await mail.emails()).length, 2);

  await mail.openIncident({ title: 'Never translated' });
  t.notOk(await queueEmails(deps));
  clock.advance(minuteMs);
  t.ok(await queueEmails(deps), 'after a minute');
  await mail.openIncident({ title: 'Also not translated' });
  t.ok(await queueEmails({ ...deps, translates: false }), 'at once without a translator');
});
