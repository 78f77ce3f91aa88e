import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openBothWays } from '../support/cli-both.js';

const { local, remote, same } = await openBothWays(t);
const page = ['--page', 'acme'];
const url = 'https://hooks.example.com/T0/secret-path';

t.test('a channel is created, changed, tested, listed and deleted, here and over HTTP', async (t) => {
  t.match((await local('channel', 'list', ...page)).stdout, /^acme has no channel yet; create one with/);
  const created = await remote('channel', 'create', ...page, '--kind', 'slack', '--url', url, '--json');
  t.equal(created.stderr, '');
  const { id } = JSON.parse(created.stdout);
  await same(t, 'channel', 'list', ...page);
  const listed = await same(t, 'channel', 'list', ...page, '--json');
  t.match(JSON.parse(listed.stdout), {
    channels: [{ id, kind: 'slack', name: 'Slack', host: 'hooks.example.com' }],
  });
  const hours = ['--quiet-hours', '22:00-07:00', '--topics', 'certificate,monitor'];
  t.match(await remote('channel', 'set', id, ...page, ...hours), {
    code: 0,
    stdout: /topics +monitor,certificate\nquiet hours +22:00-07:00\nstate +on\n/,
  });
  t.match(await local('channel', 'set', id, '--quiet-hours', 'none', '--topics', 'all', '--name', 'Pager'), {
    code: 0,
    stdout: /name +Pager\n.*\ntopics +all\nquiet hours +none\n/,
  });
  t.match(await local('channel', 'test', id), { code: 0, stdout: /^The message \S+ is queued\.\n$/ });
  t.match(await remote('channel', 'test', id, ...page), { code: 0 });
  t.match((await same(t, 'channel', 'messages', id, ...page, '--limit', '1')).stdout, /channel\.test/);
  t.match(await remote('channel', 'set', id, ...page, '--enabled', 'off'), { code: 0, stdout: /state +off/ });
  t.match(await local('channel', 'test', id), { code: 1, stderr: /turned off; turn it on first/ });
  t.match(await remote('channel', 'delete', id, ...page), {
    code: 0,
    stdout: `The channel ${id} is deleted.\n`,
  });
  t.match(await local('channel', 'delete', id), { code: 1, stderr: /no channel with the id/ });
});

t.test('settings may come from a file, so that no token is in a list of processes', async (t) => {
  const file = join(t.testdir(), 'telegram.json');
  await writeFile(file, JSON.stringify({ token: '1:abcdefghijklmnopqrstuvwxyz', chat: '@somewhere' }));
  const create = ['channel', 'create', ...page, '--kind', 'telegram', '--settings', file];
  const created = await local(...create, '--chat=-100123', '--json');
  t.match(JSON.parse(created.stdout), {
    kind: 'telegram',
    host: 'api.telegram.org',
    settings: { chat: '-100123' },
  });
  t.notMatch(created.stdout, /abcdefghij/);
  await writeFile(file, '["token"]');
  t.match(await local(...create), { code: 2, stderr: /--settings: The file must be a JSON object of texts/ });
});

t.test('what is wrong is said, and nothing is created', async (t) => {
  const before = (await local('channel', 'list', ...page)).stdout;
  const create = ['channel', 'create', ...page];
  t.match(await local(...create), { code: 2, stderr: /--kind/ });
  t.match(await local(...create, '--kind', 'fax'), { code: 2, stderr: /fax/ });
  t.match(await local(...create, '--kind', 'slack'), { code: 1, stderr: /Slack needs "url"/ });
  t.match(await remote(...create, '--kind', 'slack'), { code: 1, stderr: /Slack needs "url"/ });
  t.match(await local(...create, '--kind', 'slack', '--url', 'x'), { code: 1, stderr: /not a URL/ });
  t.match(await local(...create, '--kind', 'slack', '--url', url, '--topics', 'monitors'), {
    ...{ code: 1, stderr: /no topic "monitors"[\s\S]*Did you mean monitor/ },
  });
  t.match(await local(...create, '--kind', 'slack', '--url', url, '--quiet-hours', '22-7'), {
    ...{ code: 2, stderr: /two times, such as 22:00-07:00/ },
  });
  t.match(await local('channel', 'set', '01890000-0000-7000-8000-000000000000', '--name', 'A'), { code: 1 });
  t.match(await local('channel', 'set', '01890000-0000-7000-8000-000000000000'), { code: 2 });
  t.equal((await local('channel', 'list', ...page)).stdout, before);
});
