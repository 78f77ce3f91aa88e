import t from 'tap';
import { createPasswords, findSetupLink, setUp } from '../../control/people/index.js';
import { systemClock } from '../../lib/clock.js';
import { welcome } from '../../service/demo-page.js';
import { makeSetupUrl } from '../../service/setup-url.js';
import { openTestPostgres } from '../support/stores.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const url = 'http://127.0.0.1:8080';
const pages = { addresses: [], more: 0 };
const shown = { pages, acknowledgedFrom: 'the log', prefix: 'npx heartline' };
const demo = { slug: 'demo', hostname: 'localhost', keys: { ingest: 'a', read: 'b', incident: 'c' } };

t.test('while nobody has an account each start makes a link, and they work side by side', async (t) => {
  const [first = '', second = ''] = [
    await makeSetupUrl(databaseUrl, url),
    await makeSetupUrl(databaseUrl, url),
  ];
  t.not(first, second);
  for (const link of [first, second]) {
    t.match(link, /^http:\/\/127\.0\.0\.1:8080\/manage\/setup#[0-9A-Za-z]{43}$/);
    t.equal(await findSetupLink({ sql, clock: systemClock }, new URL(link).hash.slice(1)), true);
  }
  const printed = welcome(url, { ...shown, demo, setupUrl: first });
  t.match(printed, `Nobody can sign in yet. Create your account within a day:\n  ${first}\n`);
  t.match(printed, 'The page "demo" then belongs to the person who sets up.');
  t.notMatch(welcome(url, { ...shown, demo: undefined, setupUrl: first }), 'then belongs');

  const person = { email: 'ann@example.com', name: 'Ann', password: 'violet harbour tin lamp' };
  const client = { address: '127.0.0.1', userAgent: 'test' };
  const token = new URL(first).hash.slice(1);
  await setUp({ sql, clock: systemClock, passwords: createPasswords() }, { ...person, ...client, token });
  t.equal(await makeSetupUrl(databaseUrl, url), undefined, 'afterwards none is made');
  t.equal(await findSetupLink({ sql, clock: systemClock }, new URL(second).hash.slice(1)), false);
});

t.test('a start says where people sign in', async (t) => {
  t.match(
    welcome(url, { ...shown, demo: undefined }),
    /^ {2}sign in {6}http:\/\/127\.0\.0\.1:8080\/manage$/m,
  );
  t.notMatch(welcome(url, { ...shown, demo: undefined }), 'Nobody can sign in');
});
