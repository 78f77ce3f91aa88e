import t from 'tap';
import { starterSlugs } from '../../contract/manage/boards.js';
import { openBothWays } from '../support/cli-both.js';

const { service, local, remote, same } = await openBothWays(t);
const page = ['--page', 'acme'];

t.test('ready-made boards are added, listed, shown and deleted, here and over HTTP', async (t) => {
  t.match(
    (await local('board', 'list', ...page)).stdout,
    /^acme has no board yet; add some with: .*board add/,
  );
  t.match(await local('board', 'add', ...page, '--only', 'release'), { code: 2, stderr: /--only must be/ });
  t.match(await remote('board', 'add', ...page, '--only', 'releases'), {
    ...{ code: 0, stderr: '', stdout: 'The board releases is added.\n' },
  });
  const added = await local('board', 'add', ...page, '--json');
  t.equal(JSON.parse(added.stdout).added.length, starterSlugs.length - 1);
  t.match(await remote('board', 'add', ...page, '--only', 'releases'), {
    stdout: 'The board releases is there already and stays as it is.\n',
  });
  t.match((await same(t, 'board', 'list', ...page)).stdout, /^golden-signals +\d+ +Golden signals$/m);
  const { stdout } = await same(t, 'board', 'show', 'golden-signals', ...page);
  t.match(stdout, /^range +24h\nvariables +none\n\nTILE/m);
  t.match(stdout, /^heat +0,10 +6 × 5 +heatmap +SQL +Response times$/m);
  t.match(await local('board', 'show', 'none', ...page), {
    code: 1,
    stderr: /no board with the slug "none"/,
  });
  t.match(await remote('board', 'delete', 'releases', ...page), {
    stdout: 'The board releases is deleted.\n',
  });
});

t.test('a link to a board is made, listed and deleted', async (t) => {
  const share = ['board', 'share', 'golden-signals', ...page];
  t.match(await local(...share), { code: 2, stderr: /--name .*is missing/ });
  const expires = '2099-01-31T00:00:00Z';
  const made = await remote(...share, '--name', 'Kitchen', '--expires', expires, '--json');
  t.equal(made.stderr, '');
  const { id, url } = JSON.parse(made.stdout);
  const asJson = new URL(url).pathname.replace('/boards/', '/api/v1/shared-boards/');
  t.equal((await service.get(asJson)).status, 200);
  t.match(await local(...share, '--name', 'Screen'), {
    stdout: /^http\S+\/boards\/brd_\w+\n\n.*It does not end\. It is not shown again\.\n$/,
  });
  const { stdout } = await same(t, 'board', 'shares', 'golden-signals', ...page);
  t.match(stdout, /2099-01-31T00:00:00\.000Z +Kitchen\n[\s\S]*never +Screen\n/);
  t.notMatch(stdout, /brd_/);
  t.match(await local('board', 'unshare', 'golden-signals', id, ...page), { code: 0, stderr: '' });
  t.match(await remote('board', 'unshare', 'golden-signals', id, ...page), {
    code: 1,
    stderr: /no such link/,
  });
  t.equal((await service.get(asJson)).status, 404);
});
