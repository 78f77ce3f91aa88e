import t from 'tap';
import { subscriberLimits } from '../../contract/subscribers.js';
import { forgetUnconfirmedSubscribers } from '../../control/subscribers/index.js';
import { hourMs } from '../../lib/times.js';
import { addConfirmed, setUpMail } from '../support/mail-setup.js';
import { makePage } from '../support/pages.js';

const mail = await setUpMail(t);
const { sql, clock, page } = mail;
/** The address of a new client behind a trusted proxy. */
let clients = 0;
const newClient = () => ({ 'x-forwarded-for': `198.51.100.${++clients}` });
const signUp = (body: unknown) => mail.signUp(body, newClient());
const emailsTo = async (address: string) => (await mail.emails()).filter(({ email }) => email === address);

t.test('202 queues a confirmation in the requested language', async (t) => {
  for (const [sent, stored] of [
    [{ email: 'plain@example.com' }, { email: 'plain@example.com', language: 'en' }],
    [{ email: ' Ann.B+x@Example.COM ' }, { email: 'ann.b+x@example.com', language: 'en' }],
    [{ email: 'idn@bücher.example' }, { email: 'idn@xn--bcher-kva.example', language: 'en' }],
    [
      { email: 'de@example.com', language: 'DE-at' },
      { email: 'de@example.com', language: 'de' },
    ],
    [
      { email: 'pt@example.com', language: 'pt-br' },
      { email: 'pt@example.com', language: 'pt-BR' },
    ],
    [
      { email: 'ja@example.com', language: 'ja', other: 1 },
      { email: 'ja@example.com', language: 'en' },
    ],
  ] as const) {
    const answer = await signUp(sent);
    t.equal(answer.status, 202);
    t.same(answer.body, { accepted: true });
    const [row] = await sql`select email, language from subscribers where email = ${stored.email}`;
    t.same(row, stored);
    t.match(await emailsTo(stored.email), [{ kind: 'confirmation', state: 'pending' }]);
  }
});

t.test('202 says nothing about the address', async (t) => {
  await addConfirmed(mail, ['confirmed@example.com', 'bounced@example.com']);
  await sql`
    insert into suppressions (page_id, email, reason, created_at) values
      (${page.id}, 'bounced@example.com', 'bounced', now()), (${page.id}, 'gone@example.com', 'unsubscribed', now())`;
  const plain = ({ headers }: { headers: Headers }) =>
    [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  const first = await signUp({ email: 'new@example.com' });
  for (const email of [
    'new@example.com',
    'confirmed@example.com',
    'bounced@example.com',
    'gone@example.com',
  ]) {
    const answer = await signUp({ email });
    t.same([answer.status, answer.body, plain(answer)], [first.status, first.body, plain(first)], email);
  }
  t.same(await emailsTo('confirmed@example.com'), []);
  t.same(await emailsTo('bounced@example.com'), []);
  t.equal((await emailsTo('gone@example.com')).length, 1, 'an unsubscribed address may sign up again');
});

t.test('an address gets three confirmations a day from a page, and none while one is pending', async (t) => {
  const email = 'often@example.com';
  const asked = async () => (await emailsTo(email)).length;
  await Promise.all([signUp({ email }), signUp({ email }), signUp({ email })]);
  t.equal(await asked(), 1, 'at once');
  for (const expected of [2, 3, 3]) {
    await sql`update emails set state = 'delivered'`;
    t.equal((await signUp({ email })).status, 202);
    t.equal(await asked(), expected);
  }
  const neighbour = await makePage(sql, { slug: 'neighbour' });
  const { hostname: host } = neighbour;
  const sent = { method: 'POST', headers: newClient(), host, body: JSON.stringify({ email }) };
  t.equal((await mail.ask('/api/public/neighbour/subscribers', sent)).status, 202);
  t.equal(await asked(), 4, 'no page uses up the confirmations of another one');
  clock.advance(24 * hourMs + 1);
  await signUp({ email });
  t.equal(await asked(), 5, 'the next day');
});

t.test('400', async (t) => {
  for (const body of [
    '{',
    '"a@example.com"',
    {},
    { email: 7 },
    ...['', 'a', 'a@', '@example.com', 'a@b', 'a@127.0.0.1', 'a@[::1]', 'a b@example.com', 'a@exa mple.com'],
    ...[
      'a@b@example.com.',
      '.a@example.com',
      'a@example.com\nbcc: b@example.com',
      `${'a'.repeat(65)}@b.example`,
    ],
  ].map((sent) => (typeof sent === 'string' && !/^[{"]/.test(sent) ? { email: sent } : sent))) {
    t.equal((await signUp(body)).status, 400, JSON.stringify(body));
  }
  for (const language of ['', 'e', 'en_US', 'not a tag', 7]) {
    t.equal((await signUp({ email: 'a@example.com', language })).status, 400, String(language));
  }
});

t.test('404 unless the host is that of the page', async (t) => {
  await makePage(sql, { slug: 'other' });
  const body = JSON.stringify({ email: 'a@example.com' });
  for (const [slug, host] of [
    ['acme', 'other.localhost'],
    ['other', 'acme.localhost'],
    ['nowhere', 'acme.localhost'],
    ['acme', 'localhost'],
  ] as const) {
    const answer = await mail.ask(`/api/public/${slug}/subscribers`, { method: 'POST', host, body });
    t.match(answer, { status: 404, body: { error: 'Not found', code: 'not_found' } }, `${slug} at ${host}`);
  }
});

t.test('413 and 405', async (t) => {
  t.equal((await signUp({ email: 'a@example.com', more: 'x'.repeat(5_000) })).status, 413);
  t.equal((await mail.ask('/api/public/acme/subscribers')).status, 405);
});

t.test('429 for an hour, for a client that signs many addresses up', async (t) => {
  const headers = { 'x-forwarded-for': '203.0.113.5' };
  const statuses: number[] = [];
  for (let i = 0; i <= subscriberLimits.signUpsPerClientPerHour; i += 1) {
    statuses.push((await mail.signUp({ email: `n${i}@example.com` }, headers)).status);
  }
  t.same(statuses, [...Array(subscriberLimits.signUpsPerClientPerHour).fill(202), 429]);
  const refused = await mail.signUp({ email: 'one@example.com' }, headers);
  t.same(refused.body, { error: 'Too many sign-ups; wait and retry.', code: 'sign_up.too_many' });
  const retryAfter = Number(refused.headers.get('retry-after'));
  t.ok(retryAfter > 3_500 && retryAfter <= 3_600, String(retryAfter));
  t.equal((await mail.signUp({ email: 'one@example.com' }, newClient())).status, 202, 'not for others');
  clock.advance(hourMs);
  t.equal((await mail.signUp({ email: 'one@example.com' }, headers)).status, 202);
});

t.test('429 counts an IPv6 network as one client', async (t) => {
  const from = (address: string) => mail.signUp({ email: 'six@example.com' }, { 'x-forwarded-for': address });
  for (let i = 0; i < subscriberLimits.signUpsPerClientPerHour; i += 1) {
    t.equal((await from(`2001:db8:0:1::${i}:1`)).status, 202);
  }
  t.equal((await from('2001:db8::1:ffff:0:0:1')).status, 429, 'the same network');
  t.equal((await from('2001:db8:0:2::1')).status, 202, 'another one');
});

t.test('an unconfirmed subscriber is forgotten after a week', async (t) => {
  const deps = { sql, clock };
  const left = async () => (await sql`select 1 from subscribers where email like '%@week.example'`).length;
  await addConfirmed(mail, ['yes@week.example']);
  await signUp({ email: 'old@week.example' });
  await signUp({ email: 'again@week.example' });
  clock.advance(6.9 * 24 * hourMs);
  await signUp({ email: 'again@week.example' });
  await forgetUnconfirmedSubscribers(deps);
  t.equal(await left(), 3);
  clock.advance(0.2 * 24 * hourMs);
  t.ok((await forgetUnconfirmedSubscribers(deps)) > 0);
  t.equal(await left(), 2, 'confirmed addresses and repeated requests stay');
  t.equal(await forgetUnconfirmedSubscribers(deps), 0);
});

t.test('429 for all clients while too many subscribers of a page are unconfirmed', async (t) => {
  await sql`
    insert into subscribers (id, page_id, email, language, created_at, requested_at)
    select gen_random_uuid(), ${page.id}, 'n' || n || '@flood.example', 'en', now(), now()
    from generate_series(1, ${subscriberLimits.unconfirmedPerPage}) as n`;
  for (const email of ['late@example.com', 'confirmed@example.com']) {
    const answer = await signUp({ email });
    t.equal(answer.status, 429);
    t.equal(answer.headers.get('retry-after'), '3600');
  }
});

t.test('429 for all clients when a page has used up its sign-ups of the hour', async (t) => {
  await sql`delete from subscribers where page_id = ${page.id}`;
  clock.advance(hourMs);
  let taken = 0;
  for (let i = 0; taken === i && i <= subscriberLimits.signUpsPerPagePerHour; i += 1) {
    const headers = { 'x-forwarded-for': `10.1.${i >> 8}.${i & 255}` };
    if ((await mail.signUp({ email: 'same@example.com' }, headers)).status === 202) taken += 1;
  }
  t.equal(taken, subscriberLimits.signUpsPerPagePerHour);
});
