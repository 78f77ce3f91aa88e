import t from 'tap';
import { type CreatePageInput, createPage } from '../../../control/pages/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { openTestPostgres } from '../../support/stores.js';

const deps = { ...(await openTestPostgres(t)), clock: systemClock, by: testActor };

t.test('settings that are left out have defaults', async (t) => {
  const clock = { now: () => Date.UTC(2026, 0, 31) };
  const page = await createPage(
    { ...deps, clock, by: testActor },
    { slug: 'plain', hostname: 'plain.localhost' },
  );
  t.match(page.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const { id: _id, accountId: _accountId, responseTimesSince, ...rest } = page;
  // The database gives the day, so it is the day of the test.
  t.match(responseTimesSince, /^\d{4}-\d\d-\d\d$/);
  t.strictSame(rest, {
    slug: 'plain',
    hostname: 'plain.localhost',
    name: 'plain',
    languages: ['en'],
    defaultLanguage: 'en',
    historyDays: 90,
    timeZone: 'UTC',
    monitoringPaused: false,
    databaseHealthEnabled: false,
    incidentsFromMonitors: false,
    publicMetrics: false,
    isPrivate: false,
    allowedAddresses: [],
    passwordTag: null,
    accent: null,
    footerLinks: [],
    figures: [],
    logoHash: null,
    logoAlone: false,
    ownerEmails: [],
    traceUrl: null,
    createdAt: new Date('2026-01-31T00:00:00.000Z'),
    capabilities: ['incident-writes', 'internal-analytics', 'database-health'],
  });
});

t.test('settings that are given are stored in their canonical form', async (t) => {
  const page = await createPage(deps, {
    slug: 'full',
    hostname: 'Status.EXAMPLE.com.',
    name: 'Zoë’s page',
    languages: ['EN', 'pt-br', 'zh-hant'],
    defaultLanguage: 'PT-BR',
    historyDays: 7,
  });
  t.match(page, {
    hostname: 'status.example.com',
    name: 'Zoë’s page',
    languages: ['en', 'pt-BR', 'zh-Hant'],
    defaultLanguage: 'pt-BR',
    historyDays: 7,
  });
});

t.test('each page has its own account', async (t) => {
  const one = await createPage(deps, { slug: 'one', hostname: 'one.localhost' });
  const two = await createPage(deps, { slug: 'two', hostname: 'two.localhost' });
  t.not(one.accountId, two.accountId);
});

t.test('a taken slug or host name is refused and leaves no account behind', async (t) => {
  await createPage(deps, { slug: 'taken', hostname: 'taken.localhost' });
  const [before] = await deps.sql`select count(*)::integer as accounts from accounts`;
  await t.rejects(createPage(deps, { slug: 'taken', hostname: 'free.localhost' }), {
    name: 'ServiceError',
    kind: 'conflict',
    message: 'The slug "taken" is taken by another page.',
  });
  await t.rejects(createPage(deps, { slug: 'free', hostname: 'TAKEN.localhost' }), {
    name: 'ServiceError',
    kind: 'conflict',
    message: 'The host name "taken.localhost" is taken by another page.',
  });
  const [after] = await deps.sql`select count(*)::integer as accounts from accounts`;
  t.same(after, before);
});

const refusals: [what: string, input: Partial<CreatePageInput>, message: string | RegExp][] = [
  [
    'an upper-case slug',
    { slug: 'Acme' },
    'The slug "Acme" must be 1 to 63 of the characters a-z, 0-9 and "-".',
  ],
  ['an empty slug', { slug: '' }, /^The slug "" must be/],
  ['a slug of 64 characters', { slug: 'a'.repeat(64) }, /must be 1 to 63/],
  ['a slug with a line end', { slug: 'acme\n' }, /must be 1 to 63/],
  ['a URL for a host name', { hostname: 'https://a.example' }, /^"https:\/\/a.example" is not a host name/],
  ['a port', { hostname: 'a.example:8080' }, /is not a host name/],
  ['an empty label', { hostname: 'a..example' }, /is not a host name/],
  ['an empty host name', { hostname: '' }, /is not a host name/],
  ['an empty name', { name: '' }, 'The name of a page must have 1 to 200 characters.'],
  ['a malformed language', { languages: ['en', 'e_n'] }, /^"e_n" is not a language tag/],
  ['an empty language', { languages: [''] }, /^"" is not a language tag/],
  ['no language', { languages: [] }, 'A page needs 1 to 50 languages.'],
  ['a language twice', { languages: ['en-us', 'en-US'] }, 'The language "en-US" is listed twice.'],
  [
    'a default language that the page does not have',
    { languages: ['en', 'fr'], defaultLanguage: 'de' },
    'The default language "de" must be one of the page\'s languages: en, fr.',
  ],
  ['6 days of history', { historyDays: 6 }, 'The history of a page must be 7 to 90 days, not 6.'],
  ['91 days of history', { historyDays: 91 }, /not 91/],
  ['half a day of history', { historyDays: 7.5 }, /not 7.5/],
];

for (const [what, input, message] of refusals) {
  t.test(`${what} is refused`, async (t) => {
    const whole = { slug: 'refused', hostname: 'refused.localhost', ...input };
    await t.rejects(createPage(deps, whole), { name: 'ServiceError', kind: 'invalidBody', message });
  });
}
