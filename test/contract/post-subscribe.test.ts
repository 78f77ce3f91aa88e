import t from 'tap';
import { subscriberLimits } from '../../contract/subscribers.js';
import { addConfirmed, setUpMail } from '../support/mail-setup.js';
import { makePage } from '../support/pages.js';

const mail = await setUpMail(t, { name: 'Acme' });
const { sql, page } = mail;
/** The address of a new client behind a trusted proxy. */
let clients = 0;
const newClient = () => `198.51.100.${++clients}`;
type Sent = { headers?: Record<string, string>; host?: string; from?: string };

const post = (form: Record<string, string> | string, { headers = {}, host, from = newClient() }: Sent = {}) =>
  mail.ask('/subscribe', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': from, ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    ...(host !== undefined && { host }),
  });
const emailsTo = async (address: string) => (await mail.emails()).filter(({ email }) => email === address);
const countSubscribers = async () => (await sql`select 1 from subscribers`).length;
const langOf = (body: unknown) => /<html lang="([^"]*)"/.exec(String(body))?.[1];

t.test('200: the address gets a confirmation in the language of the form', async (t) => {
  for (const [form, language] of [
    [{ email: ' Ann@Example.COM ' }, 'en'],
    [{ email: 'de@example.com', language: 'de' }, 'de'],
    [{ email: 'br@example.com', language: 'pt-br' }, 'pt-BR'],
    [{ email: 'ja@example.com', language: 'ja' }, 'en'],
  ] as const) {
    const answer = await post(form);
    const email = form.email.trim().toLowerCase();
    t.equal(answer.status, 200);
    t.equal(langOf(answer.body), language);
    t.match(await sql`select language from subscribers where email = ${email}`, [{ language }]);
    t.match(await emailsTo(email), [{ kind: 'confirmation', state: 'pending' }]);
    const { headers } = answer;
    t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    t.equal(headers.get('cache-control'), 'no-store');
    t.equal(headers.get('content-language'), language);
    t.match(headers.get('content-security-policy'), /^default-src 'none'.*form-action 'self'/);
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(headers.get('access-control-allow-origin'), null);
  }
});

t.test('200: says nothing about the address', async (t) => {
  await addConfirmed(mail, ['confirmed@example.com', 'bounced@example.com']);
  await sql`
    insert into suppressions (page_id, email, reason, created_at)
    values (${page.id}, 'bounced@example.com', 'bounced', now())`;
  const plain = ({ headers }: { headers: Headers }) =>
    [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  const first = await post({ email: 'new@example.com' });
  for (const email of ['new@example.com', 'confirmed@example.com', 'bounced@example.com']) {
    const answer = await post({ email });
    t.strictSame(
      [answer.status, answer.body, plain(answer)],
      [first.status, first.body, plain(first)],
      email,
    );
  }
  t.notMatch(first.body, 'new@example.com');
  t.strictSame(await emailsTo('confirmed@example.com'), []);
});

t.test('400: invalid addresses, and tricks with them', async (t) => {
  const before = await countSubscribers();
  for (const form of [
    '',
    '{"email":"a@example.com"}',
    'email=',
    'email=a',
    'email=a%40example.com%0d%0aBcc%3a%20b%40example.com',
    'email=a%40example.com%0abcc%3ab%40example.com',
    'email=%0d%0aSubject:x%0d%0aa%40example.com%2c',
    'email=a%40example.com%00',
    'email=a%40example.com%2cb%40example.com',
    'email=%3ca%40example.com%3e',
    'email=a%40example.com&email=b%40example.com',
    'email=a%40example.com&language=not+a+tag',
    'email=a%40example.com&language=de%0d%0aSet-Cookie%3a+a%3db',
    'email=%3Cscript%3Ealert(1)%3C/script%3E',
  ]) {
    const { status, headers, body } = await post(form);
    t.equal(status, 400, form);
    t.equal(headers.get('set-cookie'), null);
    t.notMatch(body, '<script>');
    t.notMatch(body, 'Bcc');
    t.match(headers.get('content-security-policy'), "default-src 'none'");
  }
  t.equal(await countSubscribers(), before);
});

t.test('400: a form from another site', async (t) => {
  const before = await countSubscribers();
  const form = { email: 'victim@example.com' };
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://acme.localhost' },
    { origin: 'https://evil.example' },
    { origin: 'https://acme.localhost.evil.example' },
    { origin: 'null' },
    { origin: 'x' },
  ]) {
    t.equal((await post(form, { headers })).status, 400, JSON.stringify(headers));
  }
  t.equal(await countSubscribers(), before);
  for (const headers of [
    { 'sec-fetch-site': 'same-origin', origin: 'null' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://acme.localhost' },
    { origin: 'http://ACME.localhost:8080' },
  ]) {
    t.equal((await post(form, { headers })).status, 200, JSON.stringify(headers));
  }
});

t.test('nothing in the form redirects the visitor', async (t) => {
  const sent =
    'email=go%40example.com&next=https%3A%2F%2Fevil.example&redirect=//evil.example&return_to=%2f%2fevil';
  const { status, headers, body } = await post(sent, { headers: { referer: 'https://evil.example/' } });
  t.equal(status, 200);
  t.equal(headers.get('location'), null);
  t.equal(headers.get('refresh'), null);
  t.notMatch(body, 'evil');
});

t.test('404, 405 and 413', async (t) => {
  const other = await makePage(sql, { slug: 'other' });
  const form = { email: 'a@example.com' };
  const nowhere = await post(form, { host: 'nobody.example' });
  t.strictSame([nowhere.status, nowhere.body], [404, { error: 'Not found', code: 'not_found' }]);
  t.equal((await post({ ...form, more: 'x'.repeat(5_000) })).status, 413);
  t.equal((await mail.ask('/subscribe', { method: 'PUT' })).status, 405);
  t.equal((await post({ email: 'there@example.com' }, { host: other.hostname })).status, 200);
  t.match(await sql`select page_id from subscribers where email = 'there@example.com'`, [
    { page_id: other.id },
  ]);
});

t.test('429: the form and the API count together', async (t) => {
  const from = '203.0.113.9';
  for (let i = 0; i < subscriberLimits.signUpsPerClientPerHour; i += 1) {
    const email = `n${i}@example.com`;
    const answer =
      i % 2 === 0
        ? await post({ email }, { from })
        : await mail.signUp({ email }, { 'x-forwarded-for': from });
    t.ok(answer.status < 300);
  }
  const refused = await post({ email: 'one@example.com', language: 'de' }, { from });
  t.equal(refused.status, 429);
  t.ok(Number(refused.headers.get('retry-after')) > 3_500);
  t.equal(langOf(refused.body), 'de');
  t.match(refused.body, 'Es gab viele Anmeldungen.');
  t.equal((await mail.signUp({ email: 'one@example.com' }, { 'x-forwarded-for': from })).status, 429);
  t.equal((await sql`select 1 from subscribers where email = 'one@example.com'`).length, 0);
});
