import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createPasswords, findSignedIn, resetPassword, signIn } from '../../control/people/index.js';
import { systemClock } from '../../lib/clock.js';
import { environmentFor } from '../support/cli-environment.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { silentLog } from '../support/silent-log.js';
import { openTestPostgres } from '../support/stores.js';

const postgres = await openTestPostgres(t);
const { sql } = postgres;
// ClickHouse is unavailable: people are in PostgreSQL.
const env = { ...environmentFor(postgres), BASE_URL: 'https://status.example.com' };
await makePage(sql, { slug: 'acme' });

const run = (...args: string[]) => runInProcess(['user', ...args], env);
const deps = {
  sql,
  clock: systemClock,
  log: silentLog,
  secretKey: testSecretKey,
  passwords: createPasswords(),
};
const client = { address: '127.0.0.1', userAgent: 'test' };
const password = 'violet harbour tin lamp';
const enter = (email: string, password: string) => signIn(deps, { ...client, email, password });

t.test('a person is created, chooses a password with the link, and has a role', async (t) => {
  t.match((await run('list')).stdout, /^Nobody has an account yet/);
  const { code, stdout } = await run(
    ...'create --email Ann@Example.com --name Ann --page acme --role editor --json'.split(' '),
  );
  t.equal(code, 0);
  const { user, url } = JSON.parse(stdout);
  t.match(user, { email: 'ann@example.com', name: 'Ann', admin: false, hasPassword: false });
  t.match(url, /^https:\/\/status\.example\.com\/manage\/reset#[0-9A-Za-z]{43}$/);
  await resetPassword(deps, { token: new URL(url).hash.slice(1), password, address: '127.0.0.1' });
  const { token } = await enter('ann@example.com', password);
  const person = await findSignedIn(deps, token);
  t.equal(person?.roles.get('acme')?.role, 'editor');
  t.match((await run('list')).stdout, /^ann@example\.com +Ann +yes +no +20/m);
});

t.test('a password comes on the standard input, and in no argument', async (t) => {
  const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  const args = 'user create --email bob@example.com --name Bob --admin --password-stdin'.split(' ');
  const child = spawn(process.execPath, [main, ...args], { env: { PATH: process.env['PATH'], ...env } });
  child.stdin.end(`${password}\n`);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  t.equal(await new Promise((resolve) => child.on('close', resolve)), 0);
  t.equal(stdout, 'bob@example.com has an account.\n');
  t.ok((await enter('bob@example.com', password)).token);
  t.equal((await run('create', '--email', 'x@example.com', '--name', 'X', '--password', 'x')).code, 2);
});

t.test('a person is disabled and enabled again', async (t) => {
  const { token } = await enter('ann@example.com', password);
  t.match((await run('disable', 'ann@example.com')).stdout, 'ann@example.com is disabled.');
  t.equal(await findSignedIn(deps, token), undefined);
  await t.rejects(enter('ann@example.com', password));
  t.match((await run('list', '--json')).stdout, /"disabledAt": ?"20/);
  t.equal((await run('reset-password', 'ann@example.com')).code, 1, 'a disabled person gets no link');
  t.match((await run('enable', 'ann@example.com')).stdout, 'ann@example.com may sign in again.');
  t.ok((await enter('ann@example.com', password)).token);
});

t.test('a reset prints a link, in place of an earlier one', async (t) => {
  const [first, second] = [
    await run('reset-password', 'ann@example.com'),
    await run('reset-password', 'ANN@example.com'),
  ];
  const tokenOf = ({ stdout }: { stdout: string }) => /reset#(\w+)/.exec(stdout)?.[1] ?? '';
  const set = (token: string) =>
    resetPassword(deps, { token, password: 'another tin lamp 7', address: '127.0.0.1' });
  await t.rejects(set(tokenOf(first)));
  await set(tokenOf(second));
  t.ok((await enter('ann@example.com', 'another tin lamp 7')).token);
});

t.test('an invitation is printed', async (t) => {
  const { stdout } = await run(
    ...'invite --email cid@example.com --page acme --role viewer --json'.split(' '),
  );
  t.match(JSON.parse(stdout), {
    email: 'cid@example.com',
    role: 'viewer',
    url: /^https:\/\/status\.example\.com\/manage\/invitation#\w{43}$/,
    expiresAt: /^20/,
    isMailed: false,
  });
  t.match(
    (await run('invite', '--email', 'dan@example.com', '--admin')).stdout,
    /No email was sent; give the person this link\.\n\nhttps:\S+\/manage\/invitation#\w{43}\n/,
  );
});

t.test('an app is removed', async (t) => {
  await sql`update users set totp_secret = '\\x00', totp_confirmed_at = now() where email = 'ann@example.com'`;
  t.match((await run('list')).stdout, /^ann@example\.com +Ann +yes +yes/m);
  t.match((await run('remove-totp', 'ann@example.com')).stdout, 'without an authenticator app');
  t.match((await run('list')).stdout, /^ann@example\.com +Ann +yes +no/m);
});

t.test('mistakes end with a sentence', async (t) => {
  const cases: [string[], number, RegExp][] = [
    [['disable', 'nobody@example.com'], 1, /There is no user with the email "nobody@example\.com"\./],
    [['disable', 'bob@example.com'], 1, /admin/],
    [['create', '--email', 'ann@example.com', '--name', 'A'], 1, /There is a user with the email/],
    [['create', '--email', 'nowhere', '--name', 'A'], 1, /must be an email address/],
    [['create', '--email', 'e@example.com', '--name', 'A', '--page', 'acme'], 2, /belong together/],
    [['invite', '--email', 'e@example.com'], 2, /either --admin, or --page/],
    [['invite', '--email', 'e@example.com', '--page', 'none', '--role', 'viewer'], 1, /none/],
  ];
  for (const [args, code, sentence] of cases) {
    const ended = await run(...args);
    t.equal(ended.code, code, args.join(' '));
    t.match(ended.stderr, sentence);
  }
});

t.test('each change has its row in the audit log, without a secret', async (t) => {
  const rows = await sql<{ action: string; actor: string; text: string }[]>`
    select action, actor_type as actor, coalesce(after, before)::text as text from audit_log where actor_type = 'cli'`;
  const actions = new Set(rows.map(({ action }) => action));
  for (const action of ['user.create', 'user.disable', 'user.enable', 'invitation.create'])
    t.ok(actions.has(action), action);
  t.notMatch(rows.map(({ text }) => text).join(), /violet|#\w{43}/);
});
