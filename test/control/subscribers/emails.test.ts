import { createHash } from 'node:crypto';
import t from 'tap';
import { appendUpdate, parseNewUpdate } from '../../../control/incidents/index.js';
import type { PageChanges } from '../../../control/pages/index.js';
import { signToken } from '../../../lib/secrets/secret-box.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { hostileSvg, pngPixel } from '../../support/images.js';
import { makeMonitors } from '../../support/incidents.js';
import { addConfirmed, setUpMail } from '../../support/mail-setup.js';
import { makePage, setPage } from '../../support/pages.js';
import { startSmtpSink } from '../../support/smtp-sink.js';
import { waitUntil } from '../../support/wait-until.js';

const { log, text: logged } = captureLog();
const mail = await setUpMail(t, { log });
const { sql, clock, page } = mail;
const sink = await startSmtpSink(t);
const startLoop = () => mail.startLoop(t, { smtpUrl: `${sink.url}?from=status@example.com` });
let loop = startLoop();

/** Returns the path and query of a link in the text of an email. */
function linkIn(text: string | undefined, purpose: 'confirm' | 'unsubscribe'): string {
  const origin = `https://${page.hostname}`;
  const url = new RegExp(`${origin}(/subscribers/${purpose}\\?token=[\\w.-]+)`).exec(text ?? '')?.[1];
  if (url === undefined) throw new Error(`No link to ${purpose} in:\n${text}`);
  return url;
}

async function latestTo(address: string, count: number) {
  await waitUntil(`${address} has ${count} emails`, () => sink.to(address).length >= count);
  const latest = sink.to(address).at(-1);
  if (latest === undefined) throw new Error('There is no email.');
  return latest;
}

async function isConfirmed(email: string): Promise<boolean> {
  const [row] = await sql<{ confirmed: boolean }[]>`
    select confirmed_at is not null as confirmed from subscribers where email = ${email}`;
  return row?.confirmed === true;
}

/** Runs work that must be complete before the loop sees any of it. */
async function whileNothingIsSent<T>(work: () => Promise<T>): Promise<T> {
  await loop.stop();
  const result = await work();
  loop = startLoop();
  return result;
}

t.test('an address confirms with the button behind the link in its email', async (t) => {
  await mail.signUp({ email: 'ann@example.com', language: 'de' });
  const message = await latestTo('ann@example.com', 1);
  t.equal(message.subject, '[Acme] Bestätigen Sie Ihr Abonnement von Acme');
  t.match(message.from?.value, [{ name: 'Acme', address: 'status@example.com' }]);
  t.equal(message.headers.get('auto-submitted'), 'auto-generated');
  const [row] = await mail.emails();
  t.equal(message.messageId, `<${row?.id}@acme.localhost>`);
  const path = linkIn(message.text, 'confirm');
  t.ok(String(message.html).includes(`https://acme.localhost${path}`));

  const shown = await mail.ask(path);
  t.equal(shown.status, 200);
  t.match(shown.body, /<html lang="de">.*<form method="post"><button type="submit">Abonnement bestätigen</s);
  t.equal((await mail.ask(path, { method: 'HEAD' })).status, 200);
  t.notOk(await isConfirmed('ann@example.com'), 'opening the link changes nothing');
  for (const time of ['first', 'second']) {
    const confirmed = await mail.ask(path, { method: 'POST' });
    t.equal(confirmed.status, 200, time);
    t.match(confirmed.body, 'Abonnement bestätigt</h1>');
    t.ok(await isConfirmed('ann@example.com'));
  }
  t.notMatch((await mail.ask(path)).body, '<form', 'nothing is left to do');
});

t.test('the views behind links are private and may only post to their host', async (t) => {
  const { headers } = await mail.ask('/subscribers/confirm?token=x');
  t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(headers.get('cache-control'), 'no-store');
  t.equal(headers.get('referrer-policy'), 'no-referrer');
  t.equal(headers.get('x-content-type-options'), 'nosniff');
  t.match(headers.get('content-security-policy'), /^default-src 'none'; .*frame-ancestors 'none'$/);
});

t.test('a link works for two days, on its host, for its purpose', async (t) => {
  await makePage(sql, { slug: 'other' });
  await mail.signUp({ email: 'slow@example.com' });
  const path = linkIn((await latestTo('slow@example.com', 1)).text, 'confirm');
  const post = (to: string, host = page.hostname) => mail.ask(to, { method: 'POST', host });
  t.equal((await post(path, 'other.localhost')).status, 404, 'another page');
  t.match((await post(path, 'nowhere.localhost')).body, { error: 'Not found', code: 'not_found' }, 'no page');
  t.equal((await post(path.replace('confirm', 'unsubscribe'))).status, 404, 'another purpose');
  const forged = signToken('another secret of forty characters......', 'confirm', path.slice(-80, -44));
  for (const token of ['', 'x', forged, `${path.slice(path.indexOf('=') + 1)}x`]) {
    const answer = await post(`/subscribers/confirm?token=${token}`);
    t.equal(answer.status, 404, token);
    t.match(answer.body, 'This link does not work</h1>');
  }
  clock.advance(48 * hourMs + minuteMs);
  for (const method of ['GET', 'POST']) {
    const late = await mail.ask(path, { method });
    t.equal(late.status, 410);
    t.match(late.body, 'This link has expired</h1>');
  }
  t.notOk(await isConfirmed('slow@example.com'));
  const unknown = signToken(testSecretKey, 'confirm', '01890000-0000-7000-8000-000000000000');
  t.equal((await post(`/subscribers/confirm?token=${unknown}`)).status, 410, 'a sign-up that was deleted');
});

t.test('subscribers get an incident in their language', async (t) => {
  await addConfirmed(mail, ['eve@example.com']);
  await addConfirmed(mail, ['rui@example.com'], 'pt-BR');
  await makeMonitors(sql, page.id, ['api']);
  await sql`update monitors set name = 'Public API', names = '{"pt-BR": "API pública"}'`;
  const incidentId = await whileNothingIsSent(async () => {
    const id = await mail.openIncident({
      title: 'Database <outage>',
      summary: 'First line.\nSecond line.\n\nAnother paragraph & more.',
      monitorSlugs: ['api'],
    });
    await sql`
      update translations set text = 'Banco de dados fora', translated_at = now()
      where source_hash = sha256(convert_to('Database <outage>', 'UTF8')) and language = 'pt-BR'`;
    return id;
  });
  await mail.settled();
  const message = await latestTo('eve@example.com', 1);
  t.equal(message.subject, '[Acme] New incident: Database <outage>');
  t.match(message.from?.value, [{ name: 'Acme', address: 'status@example.com' }]);
  for (const line of [
    'New incident: Database <outage>',
    'First line.\nSecond line.',
    'Another paragraph & more.',
    'Affected: Public API',
    'Started: Nov 20, 2026, 10:00 AM UTC',
    `https://acme.localhost/en/incidents/${incidentId}`,
    'You get this email because you subscribed to Acme.',
  ]) {
    t.ok(message.text?.includes(line), line);
  }
  const html = String(message.html);
  t.match(html, '<html lang="en">');
  t.match(html, 'Database &lt;outage></h1>');
  t.match(html, 'First line.<br/>Second line.</p>');
  t.match(html, 'Another paragraph &amp; more.</p>');

  const unsubscribe = linkIn(message.text, 'unsubscribe');
  t.ok(html.includes(`href="https://acme.localhost${unsubscribe}"`));
  t.match(message.raw, `List-Unsubscribe: <https://acme.localhost${unsubscribe}>\r\n`);
  t.match(message.raw, 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
  t.match(message.raw, 'List-ID: <incidents.acme.localhost>\r\n');
  t.match(message.raw, 'Auto-Submitted: auto-generated\r\n');
  t.equal(message.inReplyTo, `<incident-${incidentId}@acme.localhost>`);
  t.equal(message.references, `<incident-${incidentId}@acme.localhost>`);

  const translated = await latestTo('rui@example.com', 1);
  t.equal(translated.subject, '[Acme] Novo incidente: Banco de dados fora');
  t.ok(translated.text?.includes('First line.'), 'a text without a translation stays in its language');
  t.ok(translated.text?.includes('10:00 UTC'));
  t.ok(
    translated.text?.includes(`https://acme.localhost/pt-BR/incidents/${incidentId}`),
    'the language is kept',
  );
  t.ok(translated.text?.includes('Afetado: API pública'));

  await appendUpdate(
    { sql, clock, by: testActor },
    { pageId: page.id, incidentId, input: parseNewUpdate({ body: 'A disk is full.', status: 'identified' }) },
  );
  const update = await latestTo('eve@example.com', 2);
  t.equal(update.subject, '[Acme] Identified: Database <outage>');
  t.ok(update.text?.includes('A disk is full.'));
  t.equal(update.inReplyTo, message.inReplyTo);
  t.not(update.messageId, message.messageId);
});

t.test('an email has the looks of its page, and links in the language of its reader', async (t) => {
  const confirmation = async (address: string, looks: PageChanges, language = 'de') => {
    await setPage({ sql, clock }, { slug: page.slug, ...looks });
    await mail.signUp({ email: address, language });
    const { html, text } = await latestTo(address, 1);
    const view = await mail.ask(linkIn(text, 'confirm'));
    return { email: String(html), view: String(view.body), headers: view.headers };
  };
  const plain = await confirmation('plain@example.com', {});
  t.match(plain.email, /<a class="soft" href="https:\/\/acme\.localhost\/de\/"[^>]*>Acme<\/a>/);
  t.match(plain.email, 'background:#3346d3;color:#fff');
  t.notMatch(plain.email + plain.view, '<img');
  t.match(plain.view, '<a href="/de/"><span>Acme</span></a>');

  const png = await confirmation('png@example.com', { accent: '#b5123e', logo: pngPixel });
  const path = /<img src="(\/logo\/[0-9a-f]{32})" alt width="160" height="40"\/><span>Acme<\/span>/.exec(
    png.view,
  )?.[1];
  t.match(
    png.email,
    new RegExp(`<img src="https://acme\\.localhost${path}" alt height="32" style="[^"]*"/>Acme</a>`),
  );
  t.match(png.email, 'background:#b5123e;color:#fff');
  t.match(png.view, ':root{--act:#b5123e;--on-act:#fff;');
  const style = /<style>(.*?)<\/style>/s.exec(png.view)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  t.match(png.headers.get('content-security-policy'), `style-src 'sha256-${hash}'; img-src 'self';`);

  const alone = await confirmation('alone@example.com', { logoAlone: true });
  t.match(alone.email, /<img src="[^"]+" alt="Acme" height="32" style="[^"]*"\/><\/a>/);
  t.match(alone.view, /<img src="[^"]+" alt="Acme" width="160" height="40"\/><\/a>/);

  const svg = await confirmation('svg@example.com', { logo: Buffer.from(hostileSvg) });
  t.match(svg.view, '<img src="/logo/');
  t.notMatch(svg.email, '<img', 'mail programs show no SVG');
  t.match(svg.email, /<a class="soft"[^>]*>Acme<\/a>/, 'so the name is there');

  await addConfirmed(mail, ['ida@example.com'], 'it');
  const incidentId = await mail.openIncident();
  const { text } = await latestTo('ida@example.com', 1);
  t.ok(text?.includes(`https://acme.localhost/incidents/${incidentId}`), 'a language that the page lacks');
  await mail.settled();
  await setPage({ sql, clock }, { slug: page.slug, accent: null, logo: null, logoAlone: false });
});

t.test('the Markdown of a text is drawn in the HTML, and readable in the text', async (t) => {
  await addConfirmed(mail, ['mark@example.com']);
  await mail.openIncident({
    summary:
      'We **restart** [the nodes](https://example.com/nodes):\n\n- one\n- <b>two</b>\n\n`x` [y](javascript:z)',
  });
  const message = await latestTo('mark@example.com', 1);
  t.ok(
    message.text?.includes(
      'We restart the nodes (https://example.com/nodes):\n\n- one\n- <b>two</b>\n\nx [y](javascript:z)\n',
    ),
  );
  const html = String(message.html).replaceAll(/ style="[^"]*"/g, '');
  t.match(
    html,
    'We <strong>restart</strong> <a href="https://example.com/nodes" rel="nofollow noopener ugc">the nodes</a>:</p>',
  );
  t.match(html, '<ul><li>one</li><li>&lt;b>two&lt;/b></li></ul><p><code>x</code> [y](javascript:z)</p>');
  await mail.settled();
});

t.test('an email about maintenance shows its times', async (t) => {
  await addConfirmed(mail, ['plan@example.com']);
  const incidentId = await mail.openIncident({
    type: 'maintenance',
    title: 'New disks',
    startedAt: '2999-01-01T10:00:00Z',
    scheduledEndAt: '2999-01-01T12:00:00Z',
  });
  const message = await latestTo('plan@example.com', 1);
  t.equal(message.subject, '[Acme] Maintenance scheduled: New disks');
  const planned = 'Planned: Jan 1, 2999, 10:00 AM UTC – Jan 1, 2999, 12:00 PM UTC';
  t.ok(message.text?.includes(planned));
  await appendUpdate(
    { sql, clock, by: testActor },
    { pageId: page.id, incidentId, input: parseNewUpdate({ body: 'No disks came.', status: 'resolved' }) },
  );
  const calledOff = await latestTo('plan@example.com', 2);
  t.equal(calledOff.subject, '[Acme] Maintenance called off: New disks');
  t.ok(calledOff.text?.includes(planned), 'without a start and an end');
  t.ok(calledOff.text?.includes('No disks came.'));
  await mail.settled(); // The other subscribers get theirs, too.
});

t.test('one click unsubscribes an address until it confirms again', async (t) => {
  const address = 'eve@example.com';
  const path = linkIn(sink.to(address).at(-1)?.text, 'unsubscribe');
  t.match((await mail.ask(path)).body, /<form method="post"><button type="submit">Unsubscribe</);
  t.ok(await isConfirmed(address), 'opening the link changes nothing');
  clock.advance(400 * 24 * hourMs);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const body of ['List-Unsubscribe=One-Click', '']) {
    const answer = await mail.ask(path, { method: 'POST', headers: form, body });
    t.equal(answer.status, 200);
    t.match(answer.body, 'You are unsubscribed</h1>');
  }
  t.same(await sql`select reason from suppressions where email = ${address}`, [{ reason: 'unsubscribed' }]);
  const before = sink.to(address).length;
  await mail.openIncident();
  await mail.settled();
  t.equal(sink.to(address).length, before, 'no further email is sent');

  await mail.signUp({ email: address });
  const confirm = linkIn((await latestTo(address, before + 1)).text, 'confirm');
  t.equal((await mail.ask(confirm, { method: 'POST' })).status, 200);
  await mail.openIncident();
  await latestTo(address, before + 2);
  t.same(await sql`select 1 from suppressions where email = ${address}`, []);

  await mail.ask(path, { method: 'POST' });
  t.equal((await mail.ask(confirm, { method: 'POST' })).status, 410, 'a used link does not confirm again');
  await sql`delete from subscribers where email = ${address}`;
  t.equal(
    (await mail.ask(path, { method: 'POST' })).status,
    200,
    'no error after the subscriber was deleted',
  );
});

t.test('addresses that may not get email get none', async (t) => {
  const { id: otherId } = await makePage(sql, { slug: 'third' });
  await addConfirmed(mail, ['no1@example.com', 'no2@example.com', 'no3@example.com', 'yes@example.com']);
  await addConfirmed({ sql, page: { ...page, id: otherId } }, ['no4@example.com']);
  await sql`update subscribers set confirmed_at = null where email = 'no1@example.com'`;
  await sql`
    insert into suppressions (page_id, email, reason, created_at) values
      (${page.id}, 'no2@example.com', 'bounced', now()), (${otherId}, 'yes@example.com', 'bounced', now())`;
  // Queued while the address was confirmed; due again after a failure, when it no longer is.
  sink.refuse = (address) => (address === 'no3@example.com' ? '451 4.7.1 Later' : undefined);
  await mail.openIncident();
  await latestTo('yes@example.com', 1);
  await waitUntil('the email is attempted', async () =>
    (await mail.emails()).some(({ email, reason }) => email === 'no3@example.com' && reason !== null),
  );
  sink.refuse = () => undefined;
  await sql`update subscribers set confirmed_at = null where email = 'no3@example.com'`;
  clock.advance(10_000);
  await mail.settled();
  for (const address of ['no1@example.com', 'no2@example.com', 'no3@example.com', 'no4@example.com']) {
    t.equal(sink.to(address).length, 0, address);
  }
  const parked = (await mail.emails()).filter(({ email }) => email === 'no3@example.com');
  t.match(parked, [{ state: 'parked', reason: 'the address is not confirmed' }]);
});

t.test('no name or title reaches another header', async (t) => {
  await addConfirmed(mail, ['hdr@example.com']);
  const evil = 'A"\r\nBcc: all@example.com\r\n\r\n<b>"@x';
  await sql`update pages set name = ${evil} where id = ${page.id}`;
  await whileNothingIsSent(async () => {
    const id = await mail.openIncident({ title: 'fine' });
    await sql`
      update announced_texts set text = ${evil} where incident_id = ${id} and text = 'fine'`;
  });
  await waitUntil('the email is sent', () =>
    sink.to('hdr@example.com').some(({ subject }) => subject?.endsWith('"@x')),
  );
  await mail.settled();
  for (const message of sink.to('hdr@example.com')) {
    t.notOk(message.bcc);
    t.equal(message.headerLines.filter(({ key }) => key === 'bcc').length, 0);
    t.equal(message.from?.value.length, 1);
    t.match(message.from?.value[0], {
      address: 'status@example.com',
      name: /^A" Bcc: all@example\.com <b>"@x$/,
    });
    t.notMatch(String(message.html), '<b>');
  }
});

t.test('the log holds no address, token or title', async (t) => {
  t.match(logged(), 'Emails were not delivered');
  for (const secret of ['@example.com', 'outage', 'token=', 'Bcc'])
    t.notOk(logged().includes(secret), secret);
});
