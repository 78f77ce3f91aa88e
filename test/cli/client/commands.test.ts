import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openBothWays } from '../../support/cli-both.js';
import { runInProcess } from '../../support/run-heartline.js';

const { service, local, withoutSecrets, remote, admin, same, key } = await openBothWays(t);
const page = ['--page', 'acme'];
/** The id of nothing. */
const newId = '01890000-0000-7000-8000-000000000000';

t.test('pages', async (t) => {
  await same(t, 'page', 'show', 'acme');
  await same(t, 'page', 'show', 'acme', '--json');
  t.equal((await remote('page', 'set', 'acme', '--name', 'Acme', '--history-days', '30')).stderr, '');
  await same(t, 'page', 'show', 'acme');
  t.match(await remote('page', 'list'), { code: 0, stdout: /^SLUG.*\nacme .*\n$/ });
  t.same((await admin('page', 'list')).stdout, (await local('page', 'list')).stdout);
  const logo = join(t.testdir(), 'logo.svg');
  await writeFile(logo, '<svg xmlns="http://www.w3.org/2000/svg"/>');
  t.match(await remote('page', 'set', 'acme', '--logo', logo), { code: 0, stdout: /logo +\/logo\// });
  t.match(await remote('page', 'set', 'acme', '--logo', 'none'), { code: 0, stdout: /logo +none/ });
  const create = ['page', 'create', 'third', '--hostname', 'third.localhost'];
  const notes = join(t.testdir(), 'notes.txt');
  await writeFile(notes, 'No picture.');
  const refused = { code: 1, stdout: '', stderr: /must be a PNG, JPEG, GIF, WebP or SVG image/ };
  t.match(await local(...create, '--logo', notes), refused, 'and there is no page');
  t.match(await local('page', 'set', 'acme', '--name', 'Other', '--logo', notes), refused);
  t.match(await local('page', 'show', 'acme'), { stdout: /name +Acme/ });
  t.match(await withoutSecrets('page', 'show', 'none'), {
    code: 1,
    stderr: /with: HEARTLINE_DATA_DIR=\S+ npx heartline page list\n$/,
  });
  t.match(await remote(...create), { code: 1, stderr: /needs the permission installation\.write/ });
  t.match(await admin(...create), { code: 0 });
  t.match(await admin('page', 'set', 'third', '--capability', 'database-health=off'), { code: 0 });
  t.match(await admin('page', 'delete', 'third', '--confirm', 'x'), { code: 2 });
  t.match(await admin('page', 'delete', 'third', '--confirm', 'third'), {
    code: 0,
    stdout: 'third is deleted.\n',
  });
  t.match(await local('page', 'show', 'third'), { code: 1 });
});

t.test('monitors', async (t) => {
  const create = ['monitor', 'create', ...page, '--slug', 'api', '--name', 'API', '--type', 'http'];
  t.match(await remote(...create, '--url', service.url, '--header', 'X-Key: a', '--json'), {
    code: 0,
    stderr: '',
  });
  const job = [
    'monitor',
    'create',
    ...page,
    ...'--slug job --name Job --type heartbeat --period 60'.split(' '),
  ];
  t.match(await remote(...job), { code: 0, stdout: /^http:\S+\/ping\/ping_\w{43}\n/ });
  const api = [...page, '--slug', 'api'];
  await same(t, 'monitor', 'list', ...page);
  await same(t, 'monitor', 'show', ...api);
  t.match(await remote('monitor', 'set', ...api, '--every', '30'), { code: 0, stdout: /every +30 s/ });
  const shown = await same(t, 'monitor', 'show', ...api, '--json');
  const { id } = JSON.parse(shown.stdout);
  await same(t, 'monitor', 'show', id);
  t.match(await admin('monitor', 'show', id), { code: 2, stderr: /--page/ });
  t.match(await remote('monitor', 'check', ...api), { code: 0, stdout: /^outcome +\w+/ });
  t.match(await remote('monitor', 'pause', ...api), { code: 0, stdout: 'api is paused.\n' });
  t.match(await remote('monitor', 'resume', ...api), { code: 0 });
  t.match(await withoutSecrets('monitor', 'pause', ...api), { code: 0, stdout: 'api is paused.\n' });
  t.match(await withoutSecrets('monitor', 'resume', ...api), { code: 0, stderr: '' });
  t.match(await withoutSecrets('monitor', 'set', ...api, '--header', 'X-Key: b'), { code: 1 });
  await same(t, 'monitor', 'show', ...page, '--slug', 'none');
  t.match(await remote('monitor', 'delete', ...page, '--slug', 'job'), {
    code: 0,
    stdout: 'job is deleted.\n',
  });
});

t.test('a file moves a monitor to another server when it has the headers', async (t) => {
  const file = join(t.testdir(), 'heartline.yml');
  const apply = async (host: string, headers: string) => {
    const monitor = `{ type: http, name: Moved, url: 'https://${host}/'${headers} }`;
    await writeFile(file, `page: { slug: acme }\nmonitors:\n  moved: ${monitor}\n`);
    return remote('apply', file);
  };
  const headers = ", headers: { Authorization: 'Bearer hush' }";
  t.match(await apply('a.example', headers), { code: 0, stderr: '' });
  t.match(await apply('b.example', ''), { code: 1, stderr: /Send "headers" with the new address/ });
  t.match(await apply('b.example', headers), { code: 0, stderr: '' });
  t.match(await local('monitor', 'show', ...page, '--slug', 'moved'), { stdout: /https:\/\/b\.example\// });
  await remote('monitor', 'delete', ...page, '--slug', 'moved');
});

t.test('incidents', async (t) => {
  const create = [
    'incident',
    'create',
    ...page,
    '--title',
    'Down',
    '--summary',
    'We look.',
    '--monitor',
    'api',
  ];
  const opened = await remote(...create, '--json');
  t.equal(opened.stderr, '');
  const { id } = JSON.parse(opened.stdout);
  await same(t, 'incident', 'list', ...page);
  await same(t, 'incident', 'list', ...page, '--open', '--json');
  await same(t, 'incident', 'create', ...page, '--title', 'x', '--summary', 'y', '--monitor', 'apo');
  const posted = await remote(
    'incident',
    'update',
    id,
    '--body',
    'Found.',
    '--status',
    'identified',
    '--json',
  );
  t.match(JSON.parse(posted.stdout), { incidentId: id, status: 'identified', body: 'Found.', notify: true });
  t.match(await remote('incident', 'resolve', id, '--quiet'), { code: 0, stdout: /resolved +20/ });
  t.match(
    (await remote('incident', 'list', ...page, '--open')).stdout,
    'acme has no incident without an end.',
  );
});

t.test('subscribers', async (t) => {
  const add = ['subscriber', 'add', ...page, '--email', 'a@example.com'];
  t.match(await remote(...add, '--confirmed'), {
    code: 0,
    stdout: 'a@example.com gets email of acme, in en.\n',
  });
  await same(t, 'subscriber', 'list', ...page);
  await same(t, 'subscriber', 'list', ...page, '--json');
  await same(t, 'subscriber', 'emails', ...page, '--json');
  await same(t, 'subscriber', 'unsuppress', ...page, '--email', 'b@example.com');
  t.match(await remote('subscriber', 'remove', ...page, '--email', 'A@example.com'), { code: 0 });
  t.match(await local('subscriber', 'add', ...page, '--email', 'me@münchen.de'), { code: 0 });
  t.match(await local('subscriber', 'remove', ...page, '--email', 'me@münchen.de'), { code: 0 });
  t.match(await local('subscriber', 'remove', ...page, '--email', 'me'), {
    code: 2,
    stderr: /is not an email/,
  });
  await same(t, 'subscriber', 'remove', ...page, '--email', 'a@example.com');
});

t.test('webhooks', async (t) => {
  const create = ['webhook', 'create', ...page, '--url', `${service.url}/hook`];
  const made = await remote(...create, '--events', 'incident.*', '--json');
  t.equal(made.stderr, '');
  const { id, secret } = JSON.parse(made.stdout);
  t.match(secret, /^whsec_/);
  await same(t, 'webhook', 'list', ...page);
  await same(t, 'webhook', 'list', ...page, '--json');
  t.match(await remote('webhook', 'set', id, '--events', 'all'), { code: 0, stdout: /events +all/ });
  t.match(await withoutSecrets('webhook', 'disable', id), { code: 0, stdout: /is disabled since/ });
  t.match(await withoutSecrets('webhook', 'enable', id), { code: 0, stderr: '' });
  t.match(await withoutSecrets('webhook', 'rotate', id), { code: 1 });
  t.match(await remote('webhook', 'rotate', id, '--json'), { code: 0, stdout: /"previousSecretUntil"/ });
  t.match(await remote('webhook', 'disable', id), { code: 0 });
  t.match(await remote('webhook', 'test', id), { code: 1, stderr: /disabled/ });
  t.match(await remote('webhook', 'enable', id), { code: 0 });
  t.match(await remote('webhook', 'test', id), { code: 0, stdout: /is queued/ });
  t.match((await remote('webhook', 'deliveries', id)).stdout, 'webhook.test');
  await same(t, 'webhook', 'delete', newId);
  t.match(await remote('webhook', 'delete', id), { code: 0 });
});

t.test('the alert rule and connections', async (t) => {
  await same(t, 'alert', 'show', ...page);
  const set = ['alert', 'set', ...page, '--threshold', '5', '--window', '300', '--minimum-requests', '10'];
  t.match(await remote(...set), { code: 0, stderr: '' });
  t.match(await remote('alert', 'set', ...page, '--threshold', '7'), { code: 0 });
  await same(t, 'alert', 'show', ...page, '--json');
  t.match(await remote('alert', 'off', ...page), { stdout: 'The alert rule is off.\n' });
  await same(t, 'alert', 'off', ...page);
  const made = await remote('connection', 'create', ...page, '--engine', 'mysql', '--name', 'orders');
  await same(t, 'connection', 'list', ...page);
  t.match(await remote('connection', 'delete', made.stdout.trim()), { stdout: 'orders is deleted.\n' });
  await same(t, 'connection', 'delete', newId);
});

t.test('event stores and the audit log', async (t) => {
  await same(t, 'store', 'test', ...page);
  await same(t, 'store', 'reset', ...page);
  t.match(await remote('store', 'show', ...page), {
    stdout: 'events go to  the store of the installation\n',
  });
  t.match(await remote('store', 'show'), { code: 1, stderr: /on its server/ });
  t.match(await remote('audit', 'list', ...page), { code: 1, stderr: /audit\.read/ });
  const listed = await admin('audit', 'list', ...page, '--limit', '5', '--json');
  t.equal(JSON.parse(listed.stdout).entries.length, 5);
  t.same(listed, await local('audit', 'list', ...page, '--limit', '5', '--json'));
  t.match((await local('audit', 'list', '--action', 'webhook.delete')).stdout, /\bkey .*webhook\.delete/);
  t.equal((await local('page', 'set', 'acme', '--accent', '#654321')).stderr, '');
  const changed = await local('audit', 'list', '--action', 'page.update', '--limit', '1', '--json');
  t.match(JSON.parse(changed.stdout).entries, [
    { actor: { type: 'cli', id: 'cli' }, page: 'acme', address: null },
  ]);
});

t.test('a file is applied and exported over HTTP', async (t) => {
  const file = join(t.testdir(), 'acme.yml');
  await writeFile(
    file,
    `page: { slug: acme, accent: '#123456' }
monitors:
  web: { type: http, name: Web, url: 'https://example.com', headers: { X-Key: { env: X_KEY } } }
  nightly: { type: heartbeat, name: Nightly, periodSeconds: 3600 }
webhooks: [{ url: 'https://hooks.example.com' }]
alertRule: { thresholdPercent: 5, windowSeconds: 60, minimumRequests: 1 }
connections: [{ name: db, engine: mysql }]
`,
  );
  t.match(await remote('apply', file), { code: 1, stderr: /The variable X_KEY \(.*:3:\d+\) is not set\./ });
  const withKey = (...args: string[]) =>
    runInProcess(args, { HEARTLINE_URL: service.url, HEARTLINE_KEY: key, X_KEY: 'secret' });
  const applied = await withKey('apply', file, '--prune');
  t.equal(applied.stderr, '');
  t.match(applied.stdout, /The job of nightly must call this address.*\/ping\/ping_/);
  t.match(await withKey('apply', file, '--prune', '--plan'), { code: 0 });
  await same(t, 'export', 'acme');
  await same(t, 'export', 'acme', '--json');
  t.equal((await fetch(`${service.url}/apply.schema.json`)).status, 200);
});

t.test('what works on stores alone is refused, and so is an address without encryption', async (t) => {
  for (const args of [
    ['serve'],
    ['demo'],
    ['backup', 'folder'],
    ['jobs', 'list'],
    ['sql', 'SELECT 1'],
    ['log', 'show'],
  ]) {
    t.match(
      await remote(...args),
      { code: 1, stderr: /^heartline: .* works on the stores of an installation, and not over HTTP/ },
      args.join(' '),
    );
  }
  const refused: [string, RegExp][] = [
    ['http://status.example.com', /must start with https:\/\//],
    ['ftp://status.example.com', /must be a URL that starts with/],
    ['https://user:hidden@status.example.com', /must be an address alone/],
  ];
  for (const [url, sentence] of refused) {
    const { code, stderr } = await local(
      '--url',
      url,
      '--key',
      `key_manage_${'a'.repeat(43)}`,
      'page',
      'list',
    );
    t.equal(code, 1);
    t.match(stderr, sentence);
    t.notMatch(stderr, /hidden|aaaa/);
  }
  t.match(await local('--url', 'https://a.example', 'page', 'list'), {
    code: 1,
    stderr: /HEARTLINE_KEY is missing/,
  });
  t.match(await local('--key', 'x', 'page', 'list'), {
    code: 1,
    stderr: /HEARTLINE_KEY needs HEARTLINE_URL/,
  });
  t.match(
    await local('--url', 'http://127.0.0.1:2', '--key', `key_manage_${'a'.repeat(43)}`, 'page', 'list'),
    {
      code: 1,
      stderr: 'heartline: http://127.0.0.1:2 does not answer: ECONNREFUSED.\n',
    },
  );
});
