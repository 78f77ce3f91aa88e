import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { fillPage } from '../../../cli/demo/fill.js';
import { systemClock } from '../../../lib/clock.js';
import { makeDemoPage } from '../../../service/demo-page.js';
import { testActor } from '../../support/actor.js';
import { environmentFor } from '../../support/cli-environment.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { runInProcess } from '../../support/run-heartline.js';
import { openStores, openTestPostgres } from '../../support/stores.js';

t.test('the export of the demo page, applied to an empty installation, exports the same file', async (t) => {
  const [first, second] = [await openStores(t), await openTestPostgres(t)];
  await makeDemoPage(first.databaseUrl, { clock: systemClock, url: 'http://127.0.0.1:8080' });
  const deps = {
    sql: first.sql,
    clickhouse: first.clickhouse,
    clock: systemClock,
    secretKey: testSecretKey,
    by: testActor,
  };
  await fillPage(deps, 'demo');
  const exported = await runInProcess(['export', 'demo'], environmentFor(first));
  t.equal(exported.stderr, '');
  t.match(exported.stdout, /^# yaml-language-server: \$schema=http:\/\/[^/]+\/apply\.schema\.json\n/);
  t.match(exported.stdout, /^ {2}website:\n {4}type: http\n/m);

  const file = join(t.testdir(), 'demo.yml');
  await writeFile(file, exported.stdout);
  t.match(await runInProcess(['apply', file, '--plan', '--prune'], environmentFor(first)), { code: 0 });
  t.match(await runInProcess(['apply', file], environmentFor(second)), { code: 0, stderr: '' });
  t.equal((await runInProcess(['export', 'demo'], environmentFor(second))).stdout, exported.stdout);

  const json = await runInProcess(['export', 'demo', '--json'], environmentFor(first));
  await writeFile(file, json.stdout);
  t.match(await runInProcess(['apply', file, '--plan', '--prune'], environmentFor(second)), { code: 0 });
});

t.test('a page without anything, and with secrets', async (t) => {
  const env = environmentFor(await openTestPostgres(t));
  await runInProcess(['page', 'create', 'acme', '--hostname', 'acme.example'], env);
  const exported = await runInProcess(['export', 'acme'], env);
  t.match(exported.stdout, 'groups: {}\nmonitors: {}\nwebhooks: []\nconnections: []\n');
  const create = ['monitor', 'create', '--page', 'acme', '--slug', 'api', '--name', 'API', '--type', 'http'];
  await runInProcess([...create, '--url', 'https://a.example', '--header', 'X-Key: hidden'], env);
  const { stdout } = await runInProcess(['export', 'acme'], env);
  t.match(stdout, '# It has request headers or a body');
  t.notMatch(stdout, 'hidden');
  const file = join(t.testdir(), 'acme.yml');
  await writeFile(file, stdout);
  t.match(await runInProcess(['apply', file, '--prune', '--plan'], env), { code: 0 });
});

t.test('a disabled webhook stays disabled in the file and where it is applied', async (t) => {
  const [env, other] = [environmentFor(await openTestPostgres(t)), environmentFor(await openTestPostgres(t))];
  await runInProcess(['page', 'create', 'acme', '--hostname', 'acme.example'], env);
  const url = 'https://hooks.example.com/a';
  const { stdout: made } = await runInProcess(
    ['webhook', 'create', '--page', 'acme', '--url', url, '--json'],
    env,
  );
  await runInProcess(['webhook', 'disable', JSON.parse(made).id], env);
  const { stdout } = await runInProcess(['export', 'acme'], env);
  t.match(stdout, `  - url: ${url}\n    enabled: false\n`);
  const file = join(t.testdir(), 'acme.yml');
  await writeFile(file, stdout);
  t.match(await runInProcess(['apply', file, '--prune', '--plan'], env), { code: 0 });
  t.match(await runInProcess(['apply', file], other), { code: 0 });
  t.equal((await runInProcess(['export', 'acme'], other)).stdout, stdout);
  await writeFile(file, stdout.replace('    enabled: false\n', ''));
  t.match(await runInProcess(['apply', file], other), { stdout: /enabled {2}false → true/ });
});

t.test('stored names that are no lines are exported, and applied with other changes', async (t) => {
  const { sql, ...stores } = await openTestPostgres(t);
  const env = environmentFor({ sql, ...stores });
  const file = join(t.testdir(), 'acme.yml');
  await writeFile(
    file,
    `
page: { slug: acme, hostname: acme.example, footerLinks: [{ label: Terms, url: 'https://a.example' }] }
monitors: { api: { type: manual, name: API, description: Text } }
channels: { Team: { kind: webhook, settings: { url: 'https://hooks.example.com/a' } } }
templates: { outage: { name: Outage, title: Down } }
`,
  );
  t.match(await runInProcess(['apply', file], env), { code: 0, stderr: '' });
  const [name, other] = ['\u2068A\u2028B', 'a\u202eb'];
  await sql`update pages set name = ${'two\nlines'}, footer_links = ${sql.json([{ label: name, url: 'https://a.example/' }])}`;
  await sql`update monitors set description = ${name}`;
  await sql`update channels set name = ${other}`;
  await sql`update incident_templates set name = ${name}, title = ${other}`;
  const { stdout } = await runInProcess(['export', 'acme'], env);
  t.match(stdout, 'two');
  const changed = stdout
    .replace('historyDays: 90', 'historyDays: 30')
    .replace('type: manual', 'type: manual\n    hidden: true')
    .replace('kind: webhook', 'kind: webhook\n    topics: [monitor]')
    .replace('title: ', 'type: maintenance\n    title: ');
  await writeFile(file, changed);
  t.match(await runInProcess(['apply', file], env), { code: 0, stderr: '' });
  const [page] = await sql`
    select pages.name, history_days, hidden, channels.name as channel, topics, incident_templates.type, incident_templates.name as template
    from pages, monitors, channels, incident_templates`;
  t.strictSame(page, {
    ...{ name: 'two\nlines', history_days: 30, hidden: true, channel: other, topics: ['monitor'] },
    ...{ type: 'maintenance', template: name },
  });
  t.match(
    await runInProcess(['apply', file, '--plan', '--prune'], env),
    { code: 0 },
    'nothing is left to do',
  );
});
