import type { Configuration } from 'oidc-provider';
import t from 'tap';
import type { OidcSettings } from '../../../../control/people/index.js';
import { systemClock } from '../../../../lib/clock.js';
import { openAccountBrowser, textIn } from '../../../support/account-pages.js';
import { captureLog } from '../../../support/capture-log.js';
import { startAnother, startTestService, type TestService, withoutJobs } from '../../../support/service.js';
import { type Claims, clientSecret, makeSigningKey, startCertifiedProvider } from './certified-provider.js';

const provider = await startCertifiedProvider(t);
const { log, text } = captureLog();
/** Entra names groups like this. */
const groupId = '7c1e6f0a-4a55-4e8b-9a5e-0d2f6a0b9c11';
const oidc: OidcSettings = {
  ...{ issuer: provider.issuer, clientId: 'heartline', clientSecret },
  ...{ scopes: 'openid email profile', trustsEmail: false, groupsClaim: 'groups' },
  grants: [
    { group: 'on-call', role: 'responder', pageSlug: 'acme' },
    { group: groupId, role: 'editor', pageSlug: 'acme' },
  ],
};
const strict = await startTestService(t, { roles: withoutJobs, log, oidc });
const startWith = (changed: Partial<OidcSettings> = {}): Promise<TestService> =>
  startAnother(t, strict, { roles: withoutJobs, log, oidc: { ...oidc, ...changed } });
const scopes = 'openid email groups';
const trusting = await startWith({ scopes, trustsEmail: true, groupsClaim: 'realm_access.roles' });

type Try = {
  on: TestService;
  /** Claims of the provider about the person. */
  person?: Claims;
  /** Settings of the provider besides. */
  settings?: Partial<Parameters<typeof provider.configure>[0]>;
  answer?: 'refuses';
};
type Outcome = { status: number; role: string | undefined; alert: string; logged: string };

let logins = 0;

/** Signs in as somebody new. */
async function signIn({ on, person = {}, settings = {}, answer }: Try): Promise<Outcome> {
  const redirectUris = [`${on.url}/manage/sign-in/answer`];
  provider.configure({ redirectUris, person, ...settings });
  logins += 1;
  const before = text().length;
  const browser = openAccountBrowser(on);
  const away = await browser.get('/manage/sign-in/provider');
  const back = await provider.walk(away.headers.get('location') ?? '', `person-${logins}`, answer);
  const { status, html } = await browser.get(back);
  const home = status === 303 ? (await browser.get('/manage')).html : '';
  const [, role] = /"slug":"acme"[^}]*"role":"(\w+)"/.exec(home) ?? [];
  return { status, role, alert: textIn(html, 'role="alert"'), logged: text().slice(before) };
}

type Wanted = { role: string } | { status: number; alert: RegExp; logged: RegExp };

function isWanted(outcome: Outcome, wanted: Wanted): boolean {
  if ('role' in wanted) return outcome.status === 303 && outcome.role === wanted.role;
  return (
    outcome.status === wanted.status && wanted.alert.test(outcome.alert) && wanted.logged.test(outcome.logged)
  );
}

/** A refusal by the service of somebody whom the provider has signed in. */
const refusal = (reason: string, alert: RegExp): Wanted => ({
  ...{ status: 403, alert },
  logged: new RegExp(`"reason":"${reason}","advice":"[^"]`),
});
const unstated = refusal('emailUnstated', /does not say whether.*HEARTLINE_OIDC_TRUST_EMAIL=on/);
const denied = refusal('emailDenied', /not verified\. Ask your administrator/);
const tooMany = refusal('tooManyGroups', /more groups than.*Ask your administrator/);

/** By what the provider says. Those that say so by default, or once their groups are switched on, are in brackets. */
const people: Record<string, [Claims, Wanted, TestService?]> = {
  'a verified email and names of groups (Okta, Dex)': [
    { email_verified: true, groups: ['others', 'on-call'] },
    { role: 'responder' },
  ],
  'a path (Keycloak)': [{ email_verified: true, groups: ['/on-call'] }, { role: 'responder' }],
  'ids of groups (Entra)': [{ email_verified: true, groups: [groupId] }, { role: 'editor' }],
  objects: [{ email_verified: true, groups: [{ id: 'g1', name: 'on-call' }] }, { role: 'responder' }],
  'no group that gives a role (Google)': [
    { email_verified: true },
    refusal('noRole', /no account for you here\. Ask an admin/),
  ],
  'a word in place of the groups (Entra)': [{ email_verified: true, hasgroups: true }, tooMany],
  'an address in place of the groups (Entra)': [
    {
      email_verified: true,
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.example/groups' } },
    },
    tooMany,
  ],
  'an email that is not verified (authentik, Pocket ID)': [
    { email_verified: false, groups: ['on-call'] },
    denied,
  ],
  'no word about the email (Entra)': [{ groups: ['on-call'] }, unstated],
  'no email': [
    { email: undefined, groups: ['on-call'] },
    refusal('noEmail', /did not send your email.*Ask your administrator/),
  ],
  'no word about the email, a scope for nested groups, and no name': [
    { realm_access: { roles: ['on-call'] } },
    { role: 'responder' },
    trusting,
  ],
  'an email that is not verified, of an issuer with trust': [
    { email_verified: false, realm_access: { roles: ['on-call'] } },
    denied,
    trusting,
  ],
};

t.test('people enter and are refused alike, wherever the provider sends its claims', async (t) => {
  const wrong: unknown[] = [];
  for (const conformIdTokenClaims of [true, false]) {
    for (const [name, [person, wanted, on = strict]] of Object.entries(people)) {
      const outcome = await signIn({ on, person, settings: { conformIdTokenClaims } });
      const where = conformIdTokenClaims ? 'at userinfo' : 'in the ID token';
      if (!isWanted(outcome, wanted)) wrong.push([name, where, outcome]);
    }
  }
  t.same(wrong, []);
});

t.test('the service asks for the scopes of its setting', async (t) => {
  const away = await openAccountBrowser(trusting).get('/manage/sign-in/provider');
  t.equal(new URL(away.headers.get('location') ?? '').searchParams.get('scope'), scopes);
});

const member = { email_verified: true, groups: ['on-call'] };

t.test('the secret of the client is sent in the way that the provider takes', async (t) => {
  const wrong: unknown[] = [];
  const ways = ['client_secret_basic', 'client_secret_post'] as const;
  for (const clientAuthMethods of [ways, ...ways.map((way) => [way])]) {
    for (const authMethod of clientAuthMethods) {
      const on = await startWith();
      const settings = { authMethod, clientAuthMethods: [...clientAuthMethods] };
      const outcome = await signIn({ on, person: member, settings });
      if (!isWanted(outcome, { role: 'responder' })) wrong.push([authMethod, clientAuthMethods, outcome]);
    }
  }
  t.same(wrong, []);
});

t.test('a refusal has a code for the administrator, and a reason in the log', async (t) => {
  const hourSeconds = 3600;
  const now = Math.floor(systemClock.now() / 1000);
  const tokenSeconds = 300;
  const lasting = (seconds: number) => () => seconds;
  /** Tokens as from a provider whose clock is ahead by an amount. */
  const clockAhead = (seconds: number): Pick<Try, 'person' | 'settings'> => ({
    person: { ...member, iat: now + seconds },
    settings: {
      claims: { openid: ['sub', 'iat'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      ttl: { IdToken: lasting(tokenSeconds + seconds) },
    } satisfies Configuration,
  });
  const failure = (code: string, reason: RegExp): Wanted => ({
    ...{ status: 401, alert: new RegExp(`\\(.*${code}.*\\).*tell your administrator this code`) },
    logged: new RegExp(`"reason":".*${reason.source}.*"code":"[^"]*${code}`),
  });
  const cases: Record<string, [Try, Wanted]> = {
    'another secret': [
      { on: await startWith({ clientSecret: 'a secret of before, which ended' }), person: member },
      failure('invalid_client', /./),
    ],
    'refused consent': [
      { on: await startWith(), person: member, answer: 'refuses' },
      failure('access_denied', /./),
    ],
    'a clock an hour behind': [
      { on: await startWith(), ...clockAhead(-hourSeconds) },
      failure('OAUTH_JWT_TIMESTAMP_CHECK_FAILED', /expiration is past/),
    ],
    'a clock an hour ahead': [{ on: await startWith(), ...clockAhead(hourSeconds) }, { role: 'responder' }],
  };
  const wrong: unknown[] = [];
  for (const [name, [asked, wanted]] of Object.entries(cases)) {
    const outcome = await signIn(asked);
    if (!isWanted(outcome, wanted)) wrong.push([name, outcome]);
  }
  t.same(wrong, []);
});

t.test('a new key for signatures refuses one person at most', async (t) => {
  const on = await startWith();
  const before = await signIn({ on, person: member });
  const settings = { jwks: { keys: [makeSigningKey()] } };
  const first = await signIn({ on, person: member, settings });
  const next = await signIn({ on, person: member, settings });
  t.match(
    [before, first, next],
    [
      { status: 303, role: 'responder' },
      { status: 401, alert: /OAUTH_KEY_SELECTION_FAILED/, logged: /no applicable keys/ },
      { status: 303, role: 'responder' },
    ],
  );
});

t.test('no log has a code, a token or the secret of the client', async (t) => {
  t.notMatch(text(), /eyJ|code=|both sides know|of before/);
});
