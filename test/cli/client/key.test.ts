import t from 'tap';
import { openBothWays } from '../../support/cli-both.js';

const { local, remote, admin, same, key } = await openBothWays(t);

t.test('keys are made, named, listed and revoked over HTTP as on the stores', async (t) => {
  const made = await remote('key', 'create', '--page', 'acme', '--scope', 'read', '--name', 'one', '--json');
  t.equal(made.stderr, '');
  const created: { id: string; key: string } = JSON.parse(made.stdout);
  t.match(created, { scope: 'read', name: 'one', key: /^key_read_\w{43}$/ });
  await same(t, 'key', 'list', '--page', 'acme');
  await same(t, 'key', 'list', '--page', 'acme', '--json');
  await same(t, 'key', 'set', created.id, '--page', 'acme', '--name', 'two');
  await same(t, 'key', 'revoke', created.id, '--page', 'acme', '--json');
  await same(t, 'key', 'revoke', created.id, '--page', 'acme');
});

t.test('refusals have the same sentences and exit codes', async (t) => {
  await same(t, 'key', 'revoke', 'x', '--page', 'acme');
  await same(t, 'key', 'set', 'x', '--page', 'acme', '--name', 'y');
  await same(t, 'key', 'create', '--page', 'acme');
  t.match(await remote('key', 'list', '--page', 'other'), {
    code: 1,
    stdout: '',
    stderr: 'heartline: Not found\n',
  });
  t.match(await remote('key', 'create', '--page', 'acme', '--scope', 'manage'), {
    code: 1,
    stderr: 'heartline: A key does not manage keys with the scope manage.\n',
  });
});

t.test('a key of the installation makes manage keys, and is listed on the server alone', async (t) => {
  const args = ['key', 'create', '--page', 'acme', '--scope', 'manage', '--access', 'read'];
  const made = await admin(...args, '--expires', '2999-01-01T00:00:00Z', '--json');
  t.match(JSON.parse(made.stdout), {
    scope: 'manage',
    access: 'read',
    expiresAt: '2999-01-01T00:00:00.000Z',
  });
  t.match(await local('key', 'list', '--installation'), { code: 0, stdout: /key_admin_/ });
  t.match(await admin('key', 'list', '--installation'), { code: 1, stderr: /on its server/ });
  t.match(await local('key', 'create', '--scope', 'admin', '--name', 'ci'), {
    code: 0,
    stdout: /^key_admin_\w{43}\n\nThis is the admin key \S+ of the installation\./,
  });
});

t.test('--url and --key stand before the command', async (t) => {
  const { service, local } = await openBothWays(t);
  t.match(await local('--url', service.url, `--key=${key}`, 'key', 'list', '--page', 'acme'), {
    code: 1,
    stderr: 'heartline: Invalid, expired or revoked API key.\n',
  });
});
