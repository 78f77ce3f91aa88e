import t, { type Test } from 'tap';
import { createInvitation, createUser } from '../../../control/people/index.js';
import { systemClock } from '../../../lib/clock.js';
import {
  type AccountBrowser,
  openAccountBrowser,
  type PageAnswer,
  textIn,
} from '../../support/account-pages.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { startTestProvider } from '../../support/oidc-provider.js';
import { cheapPasswords } from '../../support/passwords.js';
import { startAnother, startTestService, withoutJobs } from '../../support/service.js';

const provider = await startTestProvider(t);
const { log, text } = captureLog();
const oidc = {
  ...provider.settings,
  grants: [
    { group: 'on-call', role: 'responder', pageSlug: 'acme' },
    { group: 'writers', role: 'editor', pageSlug: 'acme' },
    { group: 'writers', role: 'editor', pageSlug: 'nowhere' },
  ],
} as const;
const service = await startTestService(t, { roles: withoutJobs, log, oidc });
const { sql } = service.stores;
const deps = { sql, clock: systemClock, by: testActor };
const password = 'violet harbour tin lamp';
await createUser(
  { ...deps, passwords: cheapPasswords() },
  { email: 'ann@example.com', name: 'Ann', password },
);

const path = (url: string): string => new URL(url).pathname + new URL(url).search;

/** Goes to the provider and comes back. `claims` and `algorithm` are what the provider says this time. */
async function pass(
  browser: AccountBrowser,
  says: Partial<Pick<typeof provider, 'claims' | 'algorithm'>> = {},
): Promise<PageAnswer & { back: string }> {
  Object.assign(provider, { claims: {}, algorithm: 'RS256', ...says });
  const away = await browser.get('/manage/sign-in/provider?to=/manage?x=1');
  const back = path(provider.agree(away.headers.get('location') ?? ''));
  return { ...(await browser.get(back)), back };
}

function refused(t: Test, answer: PageAnswer, status: number, what: string): void {
  t.match([answer.status, answer.session], [status, undefined], what);
  t.not(textIn(answer.html, 'role="alert"'), '', what);
}

t.test('the sign-in page has the button, and the way there has PKCE, state and nonce', async (t) => {
  const browser = openAccountBrowser(service);
  t.match(
    (await browser.get('/manage/sign-in')).html,
    /href="\/manage\/sign-in\/provider"[^>]*>Continue with 127\.0\.0\.1</,
  );
  const { status, headers, cookie } = await browser.get('/manage/sign-in/provider');
  t.equal(status, 303);
  const asked = new URL(headers.get('location') ?? '').searchParams;
  t.match(Object.fromEntries(asked), {
    client_id: 'heartline',
    response_type: 'code',
    scope: 'openid email profile',
    code_challenge_method: 'S256',
    code_challenge: /^[\w-]{43}$/,
    state: /^[\w-]{43}$/,
    nonce: /^[\w-]{43}$/,
    redirect_uri: `${service.url}/manage/sign-in/answer`,
  });
  t.match(cookie, /^heartline-provider=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  const elsewhere = await browser.get('/manage/sign-in/provider', { 'sec-fetch-site': 'cross-site' });
  t.equal(elsewhere.status, 403, 'another site cannot begin a sign-in');
});

t.test('a verified email leads to its account, later the subject does', async (t) => {
  const browser = openAccountBrowser(service);
  const first = await pass(browser);
  t.match([first.status, first.headers.get('location')], [303, '/manage?x=1']);
  t.match((await browser.get('/manage')).html, /ann@example\.com/);
  const second = await pass(openAccountBrowser(service), {
    algorithm: 'ES256',
    claims: { email: 'new@example.com' },
  });
  t.equal(second.status, 303, 'the email at the provider may change');
});

t.test('tokens that prove nothing are refused', async (t) => {
  const now = Math.floor(Date.now() / 1000);
  const lies: Record<string, Parameters<typeof pass>[1]> = {
    'no signature': { algorithm: 'none' },
    'a signature with the shared secret': { algorithm: 'HS256' },
    'a signature with another key': { algorithm: 'other key' },
    'another nonce': { claims: { nonce: 'another' } },
    'no nonce': { claims: { nonce: undefined } },
    'another audience': { claims: { aud: 'somebody-else' } },
    'another issuer': { claims: { iss: 'https://evil.example' } },
    expired: { claims: { iat: now - 900, exp: now - 600 } },
    'without a subject': { claims: { sub: undefined } },
  };
  for (const [what, says] of Object.entries(lies)) {
    refused(t, await pass(openAccountBrowser(service), says), 401, what);
  }
});

t.test('an answer works once, in the browser that asked', async (t) => {
  const browser = openAccountBrowser(service);
  const away = await browser.get('/manage/sign-in/provider');
  const back = path(provider.agree(away.headers.get('location') ?? ''));
  refused(t, await openAccountBrowser(service).get(back), 400, 'another browser');
  const kept = new Map(browser.cookies);
  provider.claims = {};
  t.equal((await browser.get(back)).status, 303);
  const exchanges = provider.exchanges.length;
  const replaying = openAccountBrowser(service);
  for (const [name, value] of kept) replaying.cookies.set(name, value);
  refused(t, await replaying.get(back), 400, 'the same answer with the same cookie');
  t.equal(provider.exchanges.length, exchanges, 'the provider is not asked');
  const other = openAccountBrowser(service);
  const asked = await other.get('/manage/sign-in/provider');
  const wrong = new URL(provider.agree(asked.headers.get('location') ?? ''));
  wrong.searchParams.set('state', 'another');
  refused(t, await other.get(path(wrong.href)), 401, 'another state');
});

t.test('an email that is not verified leads nowhere', async (t) => {
  const claims = { sub: 'person-2', email: 'ann@example.com', email_verified: false };
  refused(t, await pass(openAccountBrowser(service), { claims }), 403, 'without groups');
  refused(
    t,
    await pass(openAccountBrowser(service), { claims: { ...claims, groups: ['on-call'] } }),
    403,
    'with groups',
  );
});

t.test('groups give roles, the highest counts, and they go with the groups', async (t) => {
  const browser = openAccountBrowser(service);
  const claims = { sub: 'person-3', email: 'grp@example.com', name: 'Grp\r\nX: y' };
  refused(
    t,
    await pass(browser, { claims: { ...claims, groups: ['others'] } }),
    403,
    'nobody knows this person',
  );
  t.equal((await pass(browser, { claims: { ...claims, groups: ['on-call', 'writers'] } })).status, 303);
  t.match((await browser.get('/manage')).html, /"slug":"acme"[^}]*"role":"editor"/);
  await pass(browser, { claims: { ...claims, groups: 'on-call' } });
  t.match((await browser.get('/manage')).html, /"slug":"acme"[^}]*"role":"responder"/);
  await pass(browser, { claims: { ...claims, groups: [] } });
  t.notMatch((await browser.get('/manage')).html, /"slug":"acme"/);
});

t.test('an invited person without an account signs in with the provider and accepts', async (t) => {
  const invited = { pageId: service.otherPageId, role: 'viewer', email: 'inv@example.com' } as const;
  const { token } = await createInvitation(deps, invited);
  const browser = openAccountBrowser(service);
  const shown = await browser.post('/manage/invitation', { token });
  t.match(shown.html, /href="\/manage\/sign-in\/provider\?to=%2Fmanage%2Finvitation%3Fkept%3Dyes"/);
  Object.assign(provider, { claims: { sub: 'person-4', email: 'inv@example.com' }, algorithm: 'RS256' });
  const away = await browser.get('/manage/sign-in/provider?to=%2Fmanage%2Finvitation%3Fkept%3Dyes');
  const back = await browser.get(path(provider.agree(away.headers.get('location') ?? '')));
  t.equal(back.headers.get('location'), '/manage/invitation?kept=yes');
  t.match((await browser.get('/manage/invitation?kept=yes')).html, /action="\/manage\/invitation\/accept"/);
  t.equal((await browser.post('/manage/invitation/accept', { token })).status, 303);
  t.match((await browser.get('/manage')).html, /"slug":"other"[^}]*"role":"viewer"/);
});

t.test('a disabled person stays outside', async (t) => {
  await sql`update users set disabled_at = now() where email = 'grp@example.com'`;
  const claims = { sub: 'person-3', email: 'grp@example.com', groups: ['on-call'] };
  refused(t, await pass(openAccountBrowser(service), { claims }), 403, 'disabled');
});

t.test('providers differ in what they say of a person, and where', async (t) => {
  const usual = { email_verified: true };
  provider.userInfo = {};
  const strict = await startAnother(t, service, { roles: withoutJobs, log, oidc });
  const settings = { scopes: 'openid email groups', trustsEmail: true, groupsClaim: 'realm_access.roles' };
  const trusting = await startAnother(t, service, {
    roles: withoutJobs,
    log,
    oidc: { ...oidc, ...settings },
  });
  const nothing = { email: undefined, email_verified: undefined, name: undefined };
  type Case = {
    on?: typeof strict;
    claims: Record<string, unknown>;
    userInfo?: Record<string, unknown>;
    role?: string;
    text?: RegExp;
    reason?: string;
  };
  const groups = ['on-call'];
  const cases: Record<string, Case> = {
    'all in the ID token (Google with an invitation, Dex)': {
      claims: { ...usual, groups },
      role: 'responder',
    },
    'a thin ID token (Okta, Keycloak)': {
      claims: nothing,
      userInfo: { ...usual, email: 'thin@example.com', name: 'Thin', groups },
      role: 'responder',
    },
    'groups elsewhere alone': { claims: usual, userInfo: { groups: ['/writers'] }, role: 'editor' },
    'the proof elsewhere, for the same email': {
      claims: { email: 'same@example.com', email_verified: undefined, groups },
      userInfo: { ...usual, email: 'same@example.com' },
      role: 'responder',
    },
    'the proof elsewhere, for another email': {
      claims: { email: 'victim@example.com', email_verified: undefined, groups },
      userInfo: { ...usual, email: 'other@example.com' },
      text: /does not say whether/,
      reason: 'emailUnstated',
    },
    'no word about the email (Entra)': {
      claims: { email_verified: undefined, groups },
      text: /HEARTLINE_OIDC_TRUST_EMAIL=on/,
      reason: 'emailUnstated',
    },
    'no word about the email of a trusted issuer (Entra)': {
      on: trusting,
      claims: { email_verified: undefined, realm_access: { roles: groups } },
      role: 'responder',
    },
    'an email that is not verified (authentik, Pocket ID)': {
      claims: { email_verified: false, groups },
      text: /not verified/,
      reason: 'emailDenied',
    },
    'the same of a trusted issuer': {
      on: trusting,
      claims: { email_verified: false, realm_access: { roles: groups } },
      text: /not verified/,
      reason: 'emailDenied',
    },
    'no email at all': { claims: { ...nothing, groups }, text: /did not send your email/, reason: 'noEmail' },
    'more groups than a token holds (Entra)': {
      claims: {
        ...usual,
        _claim_names: { groups: 'src1' },
        _claim_sources: { src1: { endpoint: 'https://x' } },
      },
      text: /more groups than/,
      reason: 'tooManyGroups',
    },
    'groups without a role': {
      claims: { ...usual, groups: ['0a1b-secret'] },
      text: /no account/,
      reason: 'noRole',
    },
  };
  const wrong: unknown[] = [];
  let n = 0;
  for (const [name, { on = strict, claims, userInfo = {}, role, text: says, reason }] of Object.entries(
    cases,
  )) {
    n += 1;
    const person = { sub: `differs-${n}`, email: `differs-${n}@example.com`, ...claims };
    provider.userInfo = { sub: person.sub, ...userInfo };
    const before = text().length;
    const browser = openAccountBrowser(on);
    const answer = await pass(browser, { claims: person });
    const shown = textIn(answer.html, 'role="alert"');
    const home = role === undefined ? '' : (await browser.get('/manage')).html;
    const logged = text().slice(before);
    const isRight =
      answer.status === (role === undefined ? 403 : 303) &&
      (role === undefined || home.includes(`"role":"${role}"`)) &&
      (says === undefined || says.test(shown)) &&
      (reason === undefined || logged.includes(`"reason":"${reason}"`));
    if (!isRight) wrong.push([name, answer.status, shown, logged]);
  }
  t.same(wrong, []);
  t.notMatch(text(), /victim@|0a1b-secret/, 'the log names claims, and nothing in them');
  const away = await openAccountBrowser(trusting).get('/manage/sign-in/provider');
  t.equal(new URL(away.headers.get('location') ?? '').searchParams.get('scope'), settings.scopes);
  provider.userInfo = undefined;
});

t.test('the code of a refusal by the provider is on the screen and in the log', async (t) => {
  const browser = openAccountBrowser(service);
  const away = await browser.get('/manage/sign-in/provider');
  const back = new URL(provider.agree(away.headers.get('location') ?? ''));
  back.searchParams.delete('code');
  back.searchParams.set('error', 'access_denied');
  back.searchParams.set('error_description', "AADSTS50105: The user 'ann@secret.example' is not assigned.");
  const answer = await browser.get(path(back.href));
  refused(t, answer, 401, 'denied');
  t.match(textIn(answer.html, 'role="alert"'), /access_denied/);
  t.match(textIn(answer.html, 'role="alert"'), /AADSTS50105/);
  t.notMatch(answer.html + text(), 'secret.example');
});

t.test('the secret of the client is sent where the provider takes it', async (t) => {
  const answers: unknown[] = [];
  for (const takesSecretIn of ['header', 'header', 'body', 'body', 'nowhere'] as const) {
    provider.takesSecretIn = takesSecretIn;
    const before = provider.exchanges.length;
    const { status, html } = await pass(openAccountBrowser(service));
    const shown = textIn(html, 'role="alert"');
    answers.push([status, provider.exchanges.length - before, /invalid_client/.test(shown)]);
  }
  provider.takesSecretIn = undefined;
  t.same(answers, [
    [303, 2, false],
    [303, 1, false],
    [303, 2, false],
    [303, 1, false],
    [401, 2, true],
  ]);
});

t.test('503: while the provider is down a password works', async (t) => {
  const fresh = await startAnother(t, service, { roles: withoutJobs, oidc });
  await createUser(
    { ...deps, passwords: cheapPasswords() },
    { email: 'bob@example.com', name: 'Bob', password },
  );
  const faults = [
    'cut',
    { status: 500, body: 'no' },
    { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    { status: 200, headers: { 'content-type': 'application/json' }, body: `"${'x'.repeat(600_000)}"` },
    {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"issuer":"https://evil.example"}',
    },
  ] as const;
  for (const fault of faults) {
    provider.fault = fault;
    const browser = openAccountBrowser(fresh);
    refused(t, await browser.get('/manage/sign-in/provider'), 503, JSON.stringify(fault).slice(0, 60));
    t.match((await browser.get('/manage/sign-in')).html, /id="password"/);
    t.equal((await browser.post('/manage/sign-in', { email: 'bob@example.com', password })).status, 303);
  }
  provider.fault = undefined;
  t.equal((await pass(openAccountBrowser(fresh))).status, 303, 'it comes back by itself');
});

t.test('429: a network begins 60 sign-ins a minute, and has two answers checked at once', async (t) => {
  const fresh = await startAnother(t, service, { roles: withoutJobs, oidc });
  const browsers = Array.from({ length: 11 }, () => openAccountBrowser(fresh));
  const backs = await Promise.all(
    browsers.map(async (browser) => {
      const away = await browser.get('/manage/sign-in/provider');
      return path(provider.agree(away.headers.get('location') ?? ''));
    }),
  );
  provider.claims = {};
  const answers = await Promise.all(browsers.map((browser, n) => browser.get(backs[n] ?? '')));
  const refusals = answers.filter(({ status }) => status === 429);
  t.equal(answers.filter(({ status }) => status === 303).length, 11 - refusals.length);
  const late = answers.findIndex(({ status }) => status === 429);
  if (late >= 0)
    t.equal((await browsers[late]?.get(backs[late] ?? ''))?.status, 303, 'the same answer, again');
  for (let n = 11; n < 60; n += 1) await openAccountBrowser(fresh).get('/manage/sign-in/provider');
  const last = await openAccountBrowser(fresh).get('/manage/sign-in/provider');
  refused(t, last, 429, 'the 61st');
  t.match(last.headers.get('retry-after'), /^\d+$/);
});

t.test('with HEARTLINE_LOCAL_SIGN_IN=off no password is taken', async (t) => {
  const only = await startAnother(t, service, { roles: withoutJobs, oidc, localSignIn: false });
  const browser = openAccountBrowser(only);
  t.notMatch((await browser.get('/manage/sign-in')).html, /id="password"/);
  refused(t, await browser.post('/manage/sign-in', { email: 'ann@example.com', password }), 403, 'the form');
  const body = { email: 'ann@example.com', password };
  t.equal((await only.post('/api/v1/session', body, { key: null })).status, 403, 'the API');
  t.equal((await pass(browser)).status, 303);
});

t.test('no log has a code, a token or the secret of the client', async (t) => {
  t.notMatch(text(), /eyJ|code=|both sides know/);
});
