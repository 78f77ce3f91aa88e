import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { hostileSvg, pngPixel } from '../support/images.js';
import { startReceiver } from '../support/receiver.js';
import { runInProcess } from '../support/run-heartline.js';
import { openTestPostgres } from '../support/stores.js';

// ClickHouse is unavailable: commands on pages do not need it.
const env = environmentFor(await openTestPostgres(t));
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await runInProcess([...args, '--json'], env);
  t.equal(stderr, '');
  t.equal(code, 0);
  t.match(stdout, /^\{.*\}\n$/, 'one JSON object on one line');
  return JSON.parse(stdout);
};

t.test('a page is created, listed, shown and changed', async (t) => {
  t.match((await runInProcess(['page', 'list'], env)).stdout, /^There is no page yet/);
  t.strictSame(await json('page', 'list'), { pages: [] });

  const args = [
    '--slug',
    'acme',
    '--hostname',
    'Acme.localhost',
    '--name',
    'Acme Inc.',
    '--history-days',
    '30',
  ];
  const made = await json('page', 'create', ...args, '--languages', 'EN, fr', '--default-language', 'fr');
  t.match(made, {
    id: /^[0-9a-f-]{36}$/,
    slug: 'acme',
    hostname: 'acme.localhost',
    url: 'http://acme.localhost:8080/',
    name: 'Acme Inc.',
    languages: ['en', 'fr'],
    defaultLanguage: 'fr',
    historyDays: 30,
    monitoringPaused: false,
    databaseHealth: false,
    accent: null,
    footerLinks: [],
    logo: null,
    capabilities: ['incident-writes', 'internal-analytics', 'database-health'],
    createdAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  });
  t.strictSame(await json('page', 'show', 'acme'), made);

  const switches = ['--database-health', 'on', '--monitoring-paused', 'on', '--history-days', '7'];
  const capabilities = ['--capability', 'incident-writes=off', '--capability', 'database-health=off'];
  const changed = await json('page', 'set', 'acme', ...switches, ...capabilities);
  t.strictSame(changed, {
    ...made,
    databaseHealth: true,
    monitoringPaused: true,
    historyDays: 7,
    capabilities: ['internal-analytics'],
  });
  t.strictSame(await json('page', 'list'), { pages: [changed] });
});

t.test('without --json, commands print tables', async (t) => {
  const { code, stdout } = await runInProcess(
    ['page', 'create', '--slug', 'plain', '--hostname', 'p.localhost'],
    env,
  );
  t.equal(code, 0);
  t.match(
    stdout,
    /^slug {14}plain\nid {16}[0-9a-f-]{36}\nname {14}plain\nhostname {10}p\.localhost\naddress {11}http:\/\/p\.localhost:8080\/\n/,
  );
  const list = await runInProcess(['page', 'list'], env);
  t.equal(
    list.stdout,
    'SLUG   HOSTNAME        NAME       LANGUAGES\n' +
      'acme   acme.localhost  Acme Inc.  en,fr\n' +
      'plain  p.localhost     plain      en\n',
  );
});

t.test('page create takes every setting of page set, and both take the slug in two forms', async (t) => {
  const options = (help: string) => [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name).sort();
  const helpOf = async (verb: string) => (await runInProcess(['page', verb, '--help'])).stdout;
  t.strictSame(options(await helpOf('create')), options(await helpOf('set')));
  const looks = ['--accent', '#3346D3', '--footer-link', 'Imprint=https://example.com/'];
  const switches = '--database-health on --monitoring-paused on --incidents-from-monitors on'.split(' ');
  const rest = ['--capability', 'incident-writes=off', '--name', 'Full', '--history-days', '9'];
  const made = await json(
    'page',
    'create',
    'full',
    '--hostname',
    'full.localhost',
    ...looks,
    ...switches,
    ...rest,
  );
  t.match(made, {
    ...{ slug: 'full', name: 'Full', historyDays: 9, accent: '#3346d3', monitoringPaused: true },
    footerLinks: [{ label: 'Imprint', url: 'https://example.com/' }],
    ...{ databaseHealth: true, incidentsFromMonitors: true },
    capabilities: ['internal-analytics', 'database-health'],
  });
  t.strictSame(await json('page', 'set', '--slug', 'full', ...looks, ...switches, ...rest), made);
  t.strictSame(await json('page', 'show', '--slug', 'full'), made);
  const moved = await json('page', 'set', 'full', '--hostname', 'Status.localhost');
  t.match(moved, { hostname: 'status.localhost', url: 'http://status.localhost:8080/' });
  const taken = ['page', 'set', 'full', '--hostname', 'acme.localhost'];
  t.match(await runInProcess(taken, env), { code: 1, stderr: /"acme\.localhost" is taken by another page/ });
  const wrong = ['page', 'create', 'half', '--hostname', 'half.localhost', '--accent', 'red'];
  t.match(await runInProcess(wrong, env), { code: 1, stderr: /must be like #3346d3/ });
  t.match(await runInProcess(['page', 'show', 'half'], env), { code: 1 }, 'a refused page is not created');
});

t.test('page create prints commands that work as they stand', async (t) => {
  const away = { ...env, HEARTLINE_DATA_DIR: "/tmp/it's here", BASE_URL: 'https://heartline.example.com' };
  const { stdout } = await runInProcess(['page', 'create', 'next', '--hostname', 'next.example.com'], away);
  t.match(stdout, /^address +https:\/\/next\.example\.com\/$/m);
  const prefix = `HEARTLINE_DATA_DIR='/tmp/it'\\''s here' npx heartline `;
  const [, monitor = '', key = '', curl = ''] =
    /^Next, .*:\n {2}(.*)\n {2}(.*)\n {2}(.*)\n$/m.exec(stdout) ?? [];
  t.ok(monitor.startsWith(prefix));
  t.match(await runInProcess(monitor.slice(prefix.length).split(' '), env), { code: 0 });
  const [, inner = ''] = /^export INGEST_KEY=\$\((.*) \| head -n 1\)$/.exec(key) ?? [];
  t.ok(inner.startsWith(prefix));
  const made = await runInProcess(inner.slice(prefix.length).split(' '), env);
  t.match(made, { code: 0, stdout: /^key_ingest_\w{43}\n/ });
  t.match(
    curl,
    /^curl -s https:\/\/heartline\.example\.com\/api\/v1\/events -H "Authorization: Bearer \$INGEST_KEY" -d /,
  );
});

t.test('a refusal is one sentence and exit code 1', async (t) => {
  const today = new Date().toISOString().slice(0, 10);
  const refusals: [string[], string][] = [
    [
      ['page', 'create', '--slug', 'acme', '--hostname', 'b.localhost'],
      'The slug "acme" is taken by another page.\nChoose another slug, or change that page with: npx heartline page set acme',
    ],
    [
      ['page', 'show', 'none'],
      'There is no page with the slug "none".\nList the pages with: npx heartline page list',
    ],
    [
      ['page', 'set', 'acme', '--history-days', '91'],
      '--history-days must be at most 90; it was the number 91.',
    ],
    [
      ['page', 'set', 'acme', '--response-times-since', '2999-01-01'],
      `Response times cannot begin after today, which is ${today} in UTC; 2999-01-01 is later.`,
    ],
  ];
  for (const [args, sentence] of refusals) {
    t.same(await runInProcess(args, env), { code: 1, stdout: '', stderr: `heartline: ${sentence}\n` });
  }
  for (const day of ['2026-02-30', 'yesterday']) {
    const refused = await runInProcess(['page', 'set', 'acme', '--response-times-since', day], env);
    t.match(refused, { code: 2, stdout: '' });
    t.match(refused.stderr, `--response-times-since must be a day such as 2026-01-31, not "${day}".`);
  }
});

t.test('the looks of a page are set and removed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'heartline-logo-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'logo.txt');
  await writeFile(file, pngPixel);
  const before = await json('page', 'show', 'plain');
  const links = ['--footer-link', 'Imprint=https://example.com/?a=b', '--footer-link', 'Help=mailto:a@b.c'];
  const looks = ['--name', 'Plain Ltd', '--languages', 'en,DE', '--accent', '#3346D3', '--logo', file];
  const set = await json('page', 'set', 'plain', ...looks, ...links);
  t.match(set, {
    name: 'Plain Ltd',
    languages: ['en', 'de'],
    accent: '#3346d3',
    logo: /^\/logo\/[0-9a-f]{32}$/,
    footerLinks: [
      { label: 'Imprint', url: 'https://example.com/?a=b' },
      { label: 'Help', url: 'mailto:a@b.c' },
    ],
  });
  const text = (await runInProcess(['page', 'show', 'plain'], env)).stdout;
  t.match(
    text,
    /\naccent {12}#3346d3\nlogo {14}\/logo\/.*\nlogo shown {8}with the name\nfooter link {7}Imprint=https:.*\nfooter link {7}Help=/,
  );
  const owners = ['--owner-email', 'ann@example.com', '--owner-email', 'Bob@example.com'];
  t.match(await json('page', 'set', 'plain', ...owners), {
    ownerEmails: ['ann@example.com', 'bob@example.com'],
  });
  t.match(
    (await runInProcess(['page', 'show', 'plain'], env)).stdout,
    /\nowner emails {6}ann@example.com, bob@example.com\n/,
  );
  t.match(await json('page', 'set', 'plain', '--no-owner-emails'), { ownerEmails: [] });
  t.match(await json('page', 'set', 'plain', '--logo-alone', 'on'), { logoAlone: true });
  t.match((await runInProcess(['page', 'show', 'plain'], env)).stdout, /\nlogo shown {8}alone\n/);
  await json('page', 'set', 'plain', '--logo-alone', 'off');
  t.strictSame(await json('page', 'set', 'plain', '--history-days', '90'), set, 'other settings stay');
  const none = '--accent none --logo none --no-footer-links --languages en --name plain'.split(' ');
  t.strictSame(await json('page', 'set', 'plain', ...none), before);
});

t.test('a logo is fetched from a URL, within bounds', async (t) => {
  const receiver = await startReceiver(t);
  const replies = new Map([
    ['/logo', { status: 200, body: hostileSvg }],
    ['/moved', { status: 302, headers: { location: '/logo' } }],
    ['/large', { status: 200, body: `<svg>${' '.repeat(200_000)}` }],
    ['/page', { status: 200, headers: { 'content-type': 'image/png' }, body: '<html>' }],
  ]);
  receiver.answer = ({ path }) => replies.get(path) ?? { status: 404 };
  const open: Record<string, string> = { ...env, HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on' };
  const setLogo = (source: string, environment = open) =>
    runInProcess(['page', 'set', 'plain', '--logo', source], environment);
  t.match(await setLogo(`${receiver.url}/logo`), { code: 0, stdout: /\nlogo +\/logo\/[0-9a-f]{32}\n/ });
  const logo = (await json('page', 'show', 'plain')).logo;

  const refusals: [string, RegExp][] = [
    [`${receiver.url}/moved`, /status 302. Give the address that it redirects to/],
    [`${receiver.url}/large`, /larger than 100 KiB/],
    [`${receiver.url}/page`, /must be a PNG, JPEG, GIF, WebP or SVG image/],
    [`${receiver.url}/none`, /status 404\.\n/],
    ['http://127.0.0.1:1/', /could not be fetched \(ECONNREFUSED\)/],
    ['javascript:alert(1)', /must start with http:\/\/ or https:\/\/, not "javascript:"/],
    ['data:image/png;base64,AAAA', /not "data:"/],
    ['file:///etc/passwd', /not "file:"/],
    ['https://me:secret@example.com/', /must not hold a user name or password/],
    ['/nowhere/logo.png', /There is no file/],
    ['/dev/zero', /larger than 100 KiB/],
  ];
  for (const [source, sentence] of refusals) {
    t.match(await setLogo(source), { code: 1, stdout: '', stderr: sentence }, source);
  }
  const asked = receiver.received.length;
  const port = new URL(receiver.url).port;
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '169.254.169.254', '[::ffff:127.0.0.1]']) {
    const refused = await setLogo(`http://${host}:${port}/logo`, {
      ...env,
      HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'off',
    });
    const stderr = host.startsWith('169.') ? /metadata service of a cloud/ : /an address that is not public/;
    t.match(refused, { code: 1, stderr }, host);
  }
  t.equal(receiver.received.length, asked, 'none of the requests arrived');
  t.equal((await json('page', 'show', 'plain')).logo, logo, 'the logo stays');
});

t.test('a page publishes figures, and export and apply keep them', async (t) => {
  const figures = ['--figure', 'Checkout=shop', '--figure', 'Orders=shop,requests,/orders/,7d,p95'];
  const set = await json('page', 'set', 'plain', ...figures);
  t.same(set.figures, [
    {
      ...{ title: 'Checkout', service: 'shop', endpoint: null, window: '24h' },
      shows: ['p95', 'requests', 'successRate'],
    },
    { title: 'Orders', service: 'shop', endpoint: '/orders', window: '7d', shows: ['p95', 'requests'] },
  ]);
  const shown = await runInProcess(['page', 'show', 'plain'], env);
  t.match(shown.stdout, /^figure +Orders=shop,\/orders,7d,p95,requests$/m);
  const exported = await runInProcess(['export', 'plain'], env);
  t.match(exported.stdout, /figures:\n/);
  const file = join(t.testdir(), 'plain.yml');
  await writeFile(file, exported.stdout);
  t.match(await runInProcess(['apply', file, '--plan'], env), { code: 0 }, 'nothing would change');
  await writeFile(file, exported.stdout.replace('endpoint: /orders', 'endpoint: /carts/'));
  t.match(await runInProcess(['apply', file], env), { code: 0 });
  t.match(await json('page', 'show', 'plain'), { figures: [{}, { endpoint: '/carts' }] });
  t.same((await json('page', 'set', 'plain', '--no-figures')).figures, []);
});

t.test('bad usage ends with exit code 2', async (t) => {
  const cases: [string[], RegExp][] = [
    [['--footer-link', 'Imprint'], /must be like Imprint=https:\/\/example.com, not "Imprint"/],
    [['--footer-link', 'a=https://a.b', '--no-footer-links'], /cannot be used together/],
    [['--figure', 'Checkout'], /must be like Checkout=checkout,\/orders,7d,p95, not "Checkout"/],
    [['--figure', 'a=b,1y'], /"1y" is no endpoint such as \/orders, and none of 24h, 7d, 14d, p95/],
    [['--figure', 'a=b,/x,/y'], /one endpoint and one time/],
    [['--figure', 'a=b', '--no-figures'], /cannot be used together/],
    [[], /nothing to change/],
  ];
  for (const [options, stderr] of cases) {
    t.match(await runInProcess(['page', 'set', 'plain', ...options], env), { code: 2, stdout: '', stderr });
  }
});

t.test('a page is private, with a password that nobody sees again', async (t) => {
  const folder = t.testdir({ 'password.txt': 'correct horse\n', 'short.txt': 'short' });
  const set = (...args: string[]) => json('page', 'set', 'plain', ...args);
  const changed = await set(
    ...['--private', 'on', '--allow', '10.0.0.0/8', '--password-file', join(folder, 'password.txt')],
  );
  t.match(changed, { private: true, allowedAddresses: ['10.0.0.0/8'], hasPassword: true });
  t.notMatch(JSON.stringify(changed), 'correct horse');
  const { stdout } = await runInProcess(['page', 'show', 'plain'], env);
  t.match(stdout, /readers +with the password, 10\.0\.0\.0\/8, signed in/);
  t.match(await set('--no-password', '--no-allowed'), { hasPassword: false, allowedAddresses: [] });
  for (const [args, sentence] of [
    [['--allow', '10.0.0.0/40'], /neither an address nor a network/],
    [['--password-file', join(folder, 'short.txt')], /must have 8 to 200 characters/],
    [['--password-file', join(folder, 'none.txt')], /could not be read/],
    [['--password-file', 'x', '--no-password'], /cannot be used together/],
  ] as const) {
    const { code, stderr } = await runInProcess(['page', 'set', 'plain', ...args], env);
    t.ok(code === 1 || code === 2, `${code}`);
    t.match(stderr, sentence);
  }
  t.match(await set('--private', 'off'), { private: false });
});
