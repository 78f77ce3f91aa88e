import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { runHeartline } from '../support/run-heartline.js';
import { openEmptyPostgres } from '../support/stores.js';

t.test('a command migrates an empty database', async (t) => {
  const postgres = await openEmptyPostgres(t);
  t.same(await runHeartline(['page', 'list', '--json'], environmentFor(postgres)), {
    code: 0,
    stdout: '{"pages":[]}\n',
    stderr: '',
  });
});

t.test('an error names an unreachable server without its password', async (t) => {
  const env = { ...environmentFor({}), DATABASE_URL: 'postgres://someone:hidden@127.0.0.1:1/none' };
  t.same(await runHeartline(['page', 'list'], env), {
    code: 1,
    stdout: '',
    stderr: 'heartline: PostgreSQL at 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1\n',
  });
});

t.test('without URLs, the embedded stores run during the command and keep its data', async (t) => {
  const env = { HEARTLINE_DATA_DIR: t.testdir() };
  const args = ['page', 'create', '--slug', 'acme', '--hostname', 'acme.localhost'];
  t.match(await runHeartline(args, env), { code: 0, stderr: '' });
  const { code, stdout } = await runHeartline(['page', 'list', '--json'], env);
  t.equal(code, 0);
  t.match(JSON.parse(stdout), { pages: [{ slug: 'acme' }] });
});
