import t from 'tap';
import { pageScopes, scopePrefix } from '../../contract/scopes.js';
import { newKey } from '../../control/keys/index.js';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { openTestPostgres } from '../support/stores.js';

const postgres = await openTestPostgres(t);
// ClickHouse is unavailable: a key can be revoked without it.
const env = environmentFor(postgres);
await makePage(postgres.sql, { slug: 'acme' });

t.test('a key of each scope is created, listed and revoked', async (t) => {
  t.match((await runInProcess(['key', 'list', '--page', 'acme'], env)).stdout, /^acme has no key yet/);
  const made: { id: string; scope: string; key: string }[] = [];
  for (const scope of pageScopes) {
    const { code, stdout } = await runInProcess(
      ['key', 'create', '--page', 'acme', '--scope', scope, '--name', `for ${scope}`, '--json'],
      env,
    );
    t.equal(code, 0);
    const created = JSON.parse(stdout);
    t.match(created, { scope, name: `for ${scope}`, access: scope === 'manage' ? 'write' : null });
    t.match(created.key, new RegExp(`^key_${scopePrefix[scope]}_[0-9A-Za-z]{43}$`));
    made.push(created);
  }
  const [first] = made;
  const revoked = await runInProcess(['key', 'revoke', first?.id ?? ''], env);
  t.equal(revoked.code, 0);
  t.match(revoked.stdout, `(${first?.id}) is revoked since 20`);

  const { stdout } = await runInProcess(['key', 'list', '--page', 'acme', '--json'], env);
  t.match(JSON.parse(stdout), {
    keys: made.map(({ id, scope, key }) => ({
      id,
      scope,
      name: `for ${scope}`,
      prefix: key.slice(0, -39),
      lastUsedAt: null,
      revokedAt: id === first?.id ? /^20/ : null,
    })),
  });
  const table = (await runInProcess(['key', 'list', '--page', 'acme'], env)).stdout.split('\n');
  t.match(table[0], /^ID +NAME +SCOPE +KEY +CREATED +LAST USED +EXPIRES +REVOKED$/);
  t.equal(table.length, 1 + made.length + 1);
  t.match(table[2], new RegExp(`^${made[1]?.id}  for ingest +ingest +key_ingest_\\w{4}…  +20\\S+Z  never$`));
});

t.test('the text says that a key is shown only once', async (t) => {
  const { stdout } = await runInProcess(['key', 'create', '--page', 'acme', '--scope', 'read'], env);
  t.match(
    stdout,
    /^key_read_\w{43}\n\nThis is the read key [0-9a-f-]{36} of acme\. It is not shown again\.\n$/,
  );
});

t.test('a key has a name that is changed, within bounds, and is never a key', async (t) => {
  const create = ['key', 'create', '--page', 'acme', '--scope', 'read', '--json'];
  const nameless = JSON.parse((await runInProcess(create, env)).stdout);
  t.equal(nameless.name, null);
  const named = await runInProcess(['key', 'set', nameless.id, '--name', ' Grafana ', '--json'], env);
  t.match(JSON.parse(named.stdout), { id: nameless.id, scope: 'read', name: 'Grafana' });
  const refusals: [string, string][] = [
    ['', '--name must have at least 1 character; it was the text "".'],
    ['a'.repeat(121), '--name must have at most 120 characters; it has 121.'],
    ['one; two', 'The name of a key must be letters, digits, spaces and - _ . , : / # + ( ) ~ | only.'],
    [nameless.key, 'The name of a key looks like a secret; send a name that says nothing of how to connect.'],
  ];
  for (const [name, sentence] of refusals) {
    for (const args of [create, ['key', 'set', nameless.id]]) {
      const refused = await runInProcess([...args, '--name', name], env);
      t.same(refused, { code: 1, stdout: '', stderr: `heartline: ${sentence}\n` });
    }
  }
});

t.test('an unknown page or key is refused with one sentence and exit code 1', async (t) => {
  const list = 'List the keys of a page with: npx heartline key list';
  const refusals: [string[], string][] = [
    [
      ['key', 'create', '--page', 'none', '--scope', 'read'],
      'There is no page with the slug "none".\nList the pages with: npx heartline page list',
    ],
    [
      ['key', 'list', '--page', 'none'],
      'There is no page with the slug "none".\nList the pages with: npx heartline page list',
    ],
    [['key', 'revoke', 'x'], `There is no key with the id "x".\n${list}`],
    [['key', 'set', 'x', '--name', 'y'], `There is no key with the id "x".\n${list}`],
    [['key', 'revoke', newKey('read')], `A key is named by its id, not by itself.\n${list}`],
  ];
  for (const [args, sentence] of refusals) {
    t.same(await runInProcess(args, env), { code: 1, stdout: '', stderr: `heartline: ${sentence}\n` });
  }
});
