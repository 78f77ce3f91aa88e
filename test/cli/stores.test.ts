import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { runHeartline, runInProcess } from '../support/run-heartline.js';
import { openEmptyPostgres, openTestPostgres } from '../support/stores.js';

t.test('a command migrates an empty database', async (t) => {
  const postgres = await openEmptyPostgres(t);
  t.same(await runHeartline(['page', 'list', '--json'], environmentFor(postgres)), {
    code: 0,
    stdout: '{"pages":[]}\n',
    stderr: '',
  });
});

t.test('an error names the unreachable server and its variable, without the password', async (t) => {
  const { databaseUrl } = await openTestPostgres(t);
  const wrong = (change: (url: URL) => void) => {
    const url = new URL(databaseUrl);
    change(url);
    return url.href;
  };
  // The folder of a socket has `/` as `%2F` there.
  const host = decodeURIComponent(new URL(databaseUrl).host);
  const cases: [Record<string, string>, string | RegExp][] = [
    [
      { DATABASE_URL: 'postgres://someone:hidden@127.0.0.1:1/none' },
      'PostgreSQL at 127.0.0.1:1, from DATABASE_URL, cannot be used: nothing listens there (ECONNREFUSED). Start it, or correct DATABASE_URL.',
    ],
    [
      { DATABASE_URL: 'postgres://someone:hidden@db.invalid/none' },
      /^PostgreSQL at db\.invalid, from DATABASE_URL, cannot be used: .*(ENOTFOUND|EAI_AGAIN).* DATABASE_URL\.$/,
    ],
    [
      { DATABASE_URL: wrong((url) => (url.password = 'hidden')) },
      `PostgreSQL at ${host}, from DATABASE_URL, cannot be used: it refuses the user or the password (28P01). Correct them in DATABASE_URL.`,
    ],
    [
      { DATABASE_URL: databaseUrl, CLICKHOUSE_URL: 'http://someone:hidden@127.0.0.1:1/none' },
      'ClickHouse at 127.0.0.1:1, from CLICKHOUSE_URL, cannot be used: nothing listens there (ECONNREFUSED). Start it, or correct CLICKHOUSE_URL.',
    ],
  ];
  for (const [urls, sentence] of cases) {
    const { code, stdout, stderr } = await runInProcess(['sql', 'SELECT 1'], {
      ...environmentFor({}),
      ...urls,
    });
    t.same({ code, stdout }, { code: 1, stdout: '' });
    t.match(stderr.replace(/^heartline: /, '').trimEnd(), sentence);
    t.notMatch(stderr, 'hidden');
  }
});

t.test('the service names a store that it cannot reach', async (t) => {
  const { databaseUrl } = await openTestPostgres(t);
  const serve = (urls: Record<string, string>) =>
    runHeartline(['serve'], { ...environmentFor({}), PORT: '0', HEARTLINE_OTLP_GRPC_PORT: '0', ...urls });
  t.match(await serve({}), {
    code: 1,
    stderr: /^heartline: PostgreSQL at 127\.0\.0\.1:1, from DATABASE_URL, /,
  });
  t.match(await serve({ DATABASE_URL: databaseUrl }), {
    code: 1,
    stderr: /^heartline: ClickHouse at 127\.0\.0\.1:1, from CLICKHOUSE_URL, /,
  });
});

t.test('without URLs, the embedded stores run during the command and keep its data', async (t) => {
  const dataDir = t.testdir();
  const env = { HEARTLINE_DATA_DIR: dataDir };
  const args = ['page', 'create', '--slug', 'acme', '--hostname', 'acme.localhost'];
  t.match(await runHeartline(args, env), {
    code: 0,
    stderr: `No service is running on ${dataDir}; creating its stores.\n`,
  });
  const { code, stdout, stderr } = await runHeartline(['page', 'list', '--json'], env);
  t.equal(code, 0);
  t.equal(stderr, `No service is running on ${dataDir}; starting its stores for this command.\n`);
  t.match(JSON.parse(stdout), { pages: [{ slug: 'acme' }] });
});

t.test('only page create makes stores in a folder that has none', async (t) => {
  const parent = t.testdir({ empty: {} });
  const reading = [
    ['page', 'list'],
    ['page', 'set', 'acme', '--name', 'Acme'],
    ['sql', 'SELECT 1'],
    ['demo', '--once'],
  ];
  for (const folder of ['missing', 'empty']) {
    for (const args of reading) {
      const dataDir = join(parent, folder);
      t.same(await runInProcess(args, { HEARTLINE_DATA_DIR: dataDir }), {
        code: 1,
        stdout: '',
        stderr: `heartline: There are no stores in ${dataDir}, so there is nothing to read or change. Set HEARTLINE_DATA_DIR to the folder of your service, or start a service there with: HEARTLINE_DATA_DIR=${dataDir} npx heartline serve\n`,
      });
    }
  }
  t.strictSame(await readdir(parent, { recursive: true }), ['empty'], 'nothing was created');
});
