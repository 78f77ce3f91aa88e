import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { runInProcess } from '../support/run-heartline.js';
import { openStores } from '../support/stores.js';

t.test('jobs are listed, and an unknown one is refused, without a store', async (t) => {
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const { code, stdout } = await runInProcess(['jobs', 'list', '--json'], env);
  t.equal(code, 0);
  t.ok(Array.isArray(JSON.parse(stdout).jobs));
  t.same(await runInProcess(['jobs', 'run', 'none'], env), {
    code: 1,
    stdout: '',
    stderr: 'heartline: There is no job "none"; see: npx heartline jobs list\n',
  });
});

t.test('a run is in the audit log with who asked', async (t) => {
  const stores = await openStores(t);
  const ran = await runInProcess(['jobs', 'run', 'prune-rejections'], environmentFor(stores));
  t.same(ran, { code: 0, stdout: 'prune-rejections has run.\n', stderr: '' });
  const rows = await stores.sql`select action, actor_type as type, target_name as target from audit_log`;
  t.same([...rows], [{ action: 'job.run', type: 'cli', target: 'prune-rejections' }]);
});
