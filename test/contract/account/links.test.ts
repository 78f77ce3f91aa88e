import t from 'tap';
import {
  createInvitation,
  createResetLink,
  createSetupLink,
  createUser,
} from '../../../control/people/index.js';
import { systemClock } from '../../../lib/clock.js';
import { openAccountBrowser, textIn, valueIn } from '../../support/account-pages.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { makePage } from '../../support/pages.js';
import { cheapPasswords } from '../../support/passwords.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { startSmtpSink } from '../../support/smtp-sink.js';
import { waitUntil } from '../../support/wait-until.js';

const sink = await startSmtpSink(t);
const { log, text } = captureLog();
const service = await startTestService(t, { roles: withoutJobs, log, smtpUrl: sink.url, deliveryPollMs: 20 });
const { sql } = service.stores;
const deps = { sql, clock: systemClock, by: testActor };
const password = 'violet harbour tin lamp';
await makePage(sql, { slug: 'demo', name: 'Demo', hostname: 'demo.localhost' });
const tokens: string[] = [];

t.test('set-up', async (t) => {
  const browser = openAccountBrowser(service);
  const first = await browser.get('/manage/setup');
  t.equal(first.status, 200);
  t.match(first.html, 'The page “demo” will belong to you.');
  t.match(first.html, /<input[^>]*id="token"[^>]*data-link-code/);
  t.match(first.html, /<input[^>]*id="password"[^>]*autocomplete="new-password"/);
  const early = await browser.get('/manage/sign-in');
  t.match(textIn(early.html, 'role="status"'), /prints the link .*npx heartline user invite --admin/);
  const link = await createSetupLink(deps);
  const token = link?.token ?? '';
  tokens.push(token);
  const form = { token, name: 'Ann Lee', email: 'ann@example.com', password };

  await t.test('400: what is wrong stands beside its field, and the rest stays', async (t) => {
    const cases: [Partial<typeof form>, string, RegExp][] = [
      [{ token: '' }, 'token', /Paste the code/],
      [{ token: 'A'.repeat(43) }, 'token', /expired/],
      [{ email: 'nowhere' }, 'email', /email address/],
      [{ name: 'Ann\r\nSet-Cookie: x=y' }, 'name', /one line/],
      [{ name: '' }, 'name', /one line/],
      [{ password: 'short' }, 'password', /12 to 200/],
      [{ password: 'password1234' }, 'password', /Many people/],
      [{ password: 'ann@example.com' }, 'password', /your email/],
    ];
    for (const [change, field, sentence] of cases) {
      const sent = { ...form, ...change };
      const { status, html, session, headers } = await browser.post('/manage/setup', sent);
      t.match([status, session], [400, undefined], JSON.stringify(change));
      t.match(textIn(html, `id="${field}-error"`), sentence);
      if (field !== 'name') t.equal(valueIn(html, 'name'), 'Ann Lee');
      if (field !== 'token') t.equal(valueIn(html, 'token'), token);
      t.equal(valueIn(html, 'password'), undefined);
      t.equal(headers.get('set-cookie'), null);
    }
  });

  const other = await browser.post('/manage/setup', form, { 'sec-fetch-site': 'cross-site' });
  t.equal(other.status, 403);
  const made = await browser.post('/manage/setup', {
    ...form,
    token: `http://127.0.0.1/manage/setup#${token}`,
  });
  t.match([made.status, made.headers.get('location')], [303, '/manage'], 'people may paste the whole link');
  t.match((await browser.get('/manage')).html, /"name":"Ann Lee"[\s\S]*"slug":"demo"/);
  const again = await openAccountBrowser(service).post('/manage/setup', {
    ...form,
    email: 'eve@example.com',
  });
  t.match([again.status, again.session], [400, undefined]);
  t.match(textIn((await browser.get('/manage/setup')).html, 'role="alert"'), 'set up already');
});

t.test('an invitation of somebody new', async (t) => {
  const invited = { pageId: service.pageId, role: 'editor', email: 'bob@example.com' } as const;
  const { token } = await createInvitation(deps, invited);
  tokens.push(token);
  const browser = openAccountBrowser(service);
  t.match((await browser.get('/manage/invitation')).html, /id="token"/);
  t.equal((await browser.post('/manage/invitation', { token: 'nonsense' })).status, 400);
  const shown = await browser.post('/manage/invitation', { token });
  t.equal(shown.status, 200);
  t.match(shown.html, /bob@example\.com/);
  t.match(shown.html, /Editor/);
  t.match(
    (await browser.get('/manage/invitation?kept=yes')).html,
    /bob@example\.com/,
    'the cookie keeps the code',
  );
  t.notMatch((await browser.get('/manage/invitation')).html, /bob@/, 'another link takes its own code');
  const refused = await browser.post('/manage/invitation/accept', { token, name: 'Bob', password: 'short' });
  t.equal(refused.status, 400);
  t.equal(valueIn(refused.html, 'name'), 'Bob');
  const accepted = await browser.post('/manage/invitation/accept', { token, name: 'Bob', password });
  t.match([accepted.status, accepted.headers.get('location')], [303, '/manage']);
  t.match((await browser.get('/manage')).html, /"slug":"acme","name":"acme","role":"editor"/);
  const late = await openAccountBrowser(service).post('/manage/invitation/accept', {
    token,
    name: 'Eve',
    password,
  });
  t.match([late.status, late.session], [400, undefined], 'it works once');
});

t.test('an invitation of somebody with an account', async (t) => {
  const passwords = cheapPasswords();
  await createUser({ ...deps, passwords }, { email: 'cid@example.com', name: 'Cid', password });
  const invited = { pageId: service.otherPageId, role: 'viewer', email: 'cid@example.com' } as const;
  const { token } = await createInvitation(deps, invited);
  const bob = openAccountBrowser(service);
  await bob.post('/manage/sign-in', { email: 'bob@example.com', password });
  const shown = await bob.post('/manage/invitation', { token });
  t.match(textIn(shown.html, 'role="alert"'), 'signed in as bob@example.com');
  const taken = await bob.post('/manage/invitation/accept', { token });
  t.equal(taken.status, 403, 'it is for somebody else');

  const cid = openAccountBrowser(service);
  t.match(
    (await cid.post('/manage/invitation', { token })).html,
    /href="\/manage\/sign-in\?to=[^"]*kept%3Dyes"/,
  );
  t.equal((await cid.post('/manage/invitation/accept', { token, password: 'wrong' })).status, 401);
  t.equal((await cid.post('/manage/invitation/accept', { token, password })).status, 303);
  t.match((await cid.get('/manage')).html, /"slug":"other","name":"other","role":"viewer"/);
});

t.test('who signs in to accept an invitation that ends meanwhile is signed in, and sees why', async (t) => {
  const passwords = cheapPasswords();
  await createUser({ ...deps, passwords }, { email: 'dan@example.com', name: 'Dan', password });
  const invited = { pageId: service.pageId, role: 'owner', email: 'dan@example.com' } as const;
  const { token } = await createInvitation(deps, invited);
  await sql`
    create function revoke_all() returns trigger language plpgsql as $$
    begin update invitations set revoked_at = now() where accepted_at is null; return new; end $$`;
  await sql`create trigger revoke_all after insert on user_sessions for each row execute function revoke_all()`;
  t.teardown(() => sql`drop function revoke_all cascade`);
  const browser = openAccountBrowser(service);
  const { status, session, html } = await browser.post('/manage/invitation/accept', { token, password });
  t.equal(status, 400);
  t.ok(session);
  t.match(html, /id="token-error"/);
  t.match((await browser.get('/manage')).html, /dan@example\.com/);
});

t.test('a forgotten password: the answer is the same, and only an account gets mail', async (t) => {
  const browser = openAccountBrowser(service);
  t.match((await browser.get('/manage/sign-in')).html, /\/manage\/forgot/);
  t.equal((await browser.post('/manage/forgot', { email: 'x' })).status, 400);
  const [known, unknown] = [
    await browser.post('/manage/forgot', { email: 'bob@example.com' }),
    await browser.post('/manage/forgot', { email: 'nobody@example.com' }),
  ];
  t.equal(known.status, 200);
  t.equal(known.html, unknown.html);
  await waitUntil('the mail came', () => sink.to('bob@example.com').length === 1);
  t.equal(sink.to('nobody@example.com').length, 0);
  const mail = sink.to('bob@example.com')[0]?.text ?? '';
  const token = /\/manage\/reset#([0-9A-Za-z]{43})/.exec(mail)?.[1] ?? '';
  t.not(token, '');
  tokens.push(token);
  const [row] = await sql`select state, content from account_emails`;
  await waitUntil('the link is forgotten', async () => {
    const rows = await sql`select 1 from account_emails where content is not null`;
    return rows.length === 0;
  });
  t.ok(row);

  const held = openAccountBrowser(service);
  await held.post('/manage/sign-in', { email: 'bob@example.com', password });
  t.equal((await browser.post('/manage/reset', { token: '', password })).status, 400);
  t.equal((await browser.post('/manage/reset', { token, password: 'short' })).status, 400);
  const changed = await browser.post('/manage/reset', { token, password: 'another tin lamp 7' });
  t.match([changed.status, changed.headers.get('location')], [303, '/manage/sign-in?done=password']);
  t.equal((await held.get('/manage')).status, 303, 'the sessions of before are over');
  t.equal((await browser.post('/manage/reset', { token, password: 'a third tin lamp 8' })).status, 400);
  const entered = await browser.post('/manage/sign-in', {
    email: 'bob@example.com',
    password: 'another tin lamp 7',
  });
  t.equal(entered.status, 303);

  const proves =
    /proves for the first time that this address is yours: .* authenticator app and recovery codes/;
  t.match(mail.replaceAll(/\s+/g, ' '), proves);
  await browser.post('/manage/forgot', { email: 'bob@example.com' });
  await waitUntil('the second mail came', () => sink.to('bob@example.com').length === 2);
  const second = sink.to('bob@example.com')[1]?.text ?? '';
  t.match(second, '/manage/reset#');
  t.notMatch(second.replaceAll(/\s+/g, ' '), proves, 'a proven email keeps them');
});

/** Invites with the session of Ann, and returns the answer and the codes of both links. */
async function inviteByApi(email: string, page = 'acme') {
  const ann = openAccountBrowser(service);
  await ann.post('/manage/sign-in', { email: 'ann@example.com', password });
  const cookie = `heartline-session=${ann.cookies.get('heartline-session')}`;
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const before = sink.to(email).length;
  const invited = { email, role: 'viewer' };
  const { status, body } = await service.post(`/api/v1/pages/${page}/invitations`, invited, {
    key: null,
    headers,
  });
  await waitUntil('the mail came', () => sink.to(email).length > before);
  const mail = sink.to(email).at(-1);
  const { url } = body as { url: string };
  const shown = new URL(url).hash.slice(1);
  const mailed = /\/manage\/invitation#([0-9A-Za-z]{43})/.exec(mail?.text ?? '')?.[1] ?? '';
  tokens.push(shown, mailed);
  return { status, body, mail, shown, mailed };
}

t.test('an invitation by the API is mailed, in one line whatever the names are', async (t) => {
  await sql`update pages set name = ${'Acme\r\nBcc: eve@example.com'} where slug = 'acme'`;
  const { status, body, mail, shown, mailed } = await inviteByApi('dan@example.com');
  t.equal(status, 201, JSON.stringify(body));
  t.notOk(mail?.text?.includes(shown), 'the email has a link of its own');
  t.match(mailed, /^[0-9A-Za-z]{43}$/);
  t.match(mail?.subject, 'You are invited to Acme Bcc: eve@example.com');
  t.equal(mail?.headers.has('bcc'), false);
});

t.test(
  'the link in the email gives the person an account that somebody made with the other link',
  async (t) => {
    const { shown, mailed } = await inviteByApi('vera@example.com');
    const eve = openAccountBrowser(service);
    const form = { token: shown, name: 'Not Vera', password };
    t.equal((await eve.post('/manage/invitation/accept', form)).status, 303);
    t.equal((await eve.get('/manage')).status, 200);
    const vera = openAccountBrowser(service);
    const offered = await vera.post('/manage/invitation', { token: mailed });
    t.match(offered.html, /autocomplete="new-password"/);
    t.match(offered.html, /There is an account for this address/);
    t.notMatch(offered.html, /\/manage\/sign-in/, 'she has nothing to sign in with');
    const own = 'nine patient herons';
    const taken = await vera.post('/manage/invitation/accept', {
      token: mailed,
      name: 'Vera',
      password: own,
    });
    t.match([taken.status, taken.headers.get('location')], [303, '/manage']);
    t.match((await vera.get('/manage')).html, /"name":"Vera"/);
    t.equal((await eve.get('/manage')).status, 303, 'the session of before is over');
    const signIn = (with_: string) =>
      openAccountBrowser(service).post('/manage/sign-in', { email: 'vera@example.com', password: with_ });
    t.equal((await signIn(password)).status, 401);
    t.equal((await signIn(own)).status, 303);
    t.equal((await vera.post('/manage/invitation', { token: mailed })).status, 400, 'it works once');
  },
);

t.test('a session of before the proof does not keep the account', async (t) => {
  const { shown, mailed } = await inviteByApi('walt@example.com');
  const browser = openAccountBrowser(service);
  await browser.post('/manage/invitation/accept', { token: shown, name: 'Walt', password });
  const first = browser.cookies.get('heartline-session');
  const offered = await browser.post('/manage/invitation', { token: mailed });
  t.match(offered.html, /autocomplete="new-password"/, 'also who is signed in chooses a password');
  const proven = await browser.post('/manage/invitation/accept', { token: mailed, name: 'Walt', password });
  t.equal(proven.status, 303);
  t.not(browser.cookies.get('heartline-session'), first);
});

t.test('the form for the link that the inviter sees is the same with and without an account', async (t) => {
  const seen: unknown[] = [];
  for (const email of ['cid@example.com', 'nobody@example.com']) {
    const { status, body, shown } = await inviteByApi(email, 'demo');
    const { id, email: to, url, createdAt, expiresAt, ...rest } = body as Record<string, unknown>;
    const browser = openAccountBrowser(service);
    const plain = (answer: { status: number; html: string }) => [
      answer.status,
      answer.html.replaceAll(email, 'EMAIL').replaceAll(shown, 'TOKEN'),
    ];
    const accept = async (form: Record<string, string>) =>
      plain(await browser.post('/manage/invitation/accept', { token: shown, ...form }));
    seen.push({
      api: [status, rest, Object.keys(body as object)],
      shown: plain(await browser.post('/manage/invitation', { token: shown })),
      kept: plain(await browser.get('/manage/invitation?kept=yes')),
      wrongPassword: await accept({ password: 'a wrong password' }),
      shortPassword: await accept({ name: 'Eve', password: 'short' }),
      badName: await accept({ name: 'Eve\nEve', password }),
      commonPassword: await accept({ name: 'Eve', password: 'password1234' }),
    });
    if (email === 'nobody@example.com') continue;
    const made = await browser.post('/manage/invitation/accept', { token: shown, name: 'Eve', password });
    t.match([made.status, made.session], [409, undefined], 'the account stays its owner’s');
    t.match(textIn(made.html, 'role="alert"'), /No account was created/);
  }
  t.strictSame(seen[0], seen[1]);
});

t.test('a link that an admin makes works without mail', async (t) => {
  const [user] = await sql<{ id: string }[]>`select id from users where email = 'cid@example.com'`;
  const { token } = await createResetLink(deps, user?.id ?? '');
  const answer = await openAccountBrowser(service).post('/manage/reset', {
    token,
    password: 'another tin lamp 7',
  });
  t.equal(answer.status, 303);
});

t.test('no log has the code of a link', async (t) => {
  for (const token of tokens) t.notOk(text().includes(token));
});
