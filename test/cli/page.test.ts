import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { runInProcess } from '../support/run-heartline.js';
import { openTestPostgres } from '../support/stores.js';

// ClickHouse is not there: commands on pages do not need it.
const env = environmentFor(await openTestPostgres(t));
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await runInProcess([...args, '--json'], env);
  t.equal(stderr, '');
  t.equal(code, 0);
  t.match(stdout, /^\{.*\}\n$/, 'one JSON object on one line');
  return JSON.parse(stdout);
};

t.test('a page is made, listed, shown and changed', async (t) => {
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
    name: 'Acme Inc.',
    languages: ['en', 'fr'],
    defaultLanguage: 'fr',
    historyDays: 30,
    monitoringPaused: false,
    databaseHealth: false,
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

t.test('people read tables', async (t) => {
  const { code, stdout } = await runInProcess(
    ['page', 'create', '--slug', 'plain', '--hostname', 'p.localhost'],
    env,
  );
  t.equal(code, 0);
  t.match(stdout, /^slug {14}plain\nid {16}[0-9a-f-]{36}\nname {14}plain\nhostname {10}p\.localhost\n/);
  const list = await runInProcess(['page', 'list'], env);
  t.equal(
    list.stdout,
    'SLUG   HOSTNAME        NAME       LANGUAGES\n' +
      'acme   acme.localhost  Acme Inc.  en,fr\n' +
      'plain  p.localhost     plain      en\n',
  );
});

t.test('what cannot be done is one sentence and exit 1', async (t) => {
  const refusals: [string[], string][] = [
    [
      ['page', 'create', '--slug', 'acme', '--hostname', 'b.localhost'],
      'The slug "acme" is taken by another page.',
    ],
    [['page', 'show', 'none'], 'There is no page with the slug "none".'],
    [['page', 'set', 'acme', '--history-days', '91'], 'The history of a page must be 7 to 90 days, not 91.'],
  ];
  for (const [args, sentence] of refusals) {
    t.same(await runInProcess(args, env), { code: 1, stdout: '', stderr: `heartline: ${sentence}\n` });
  }
});
