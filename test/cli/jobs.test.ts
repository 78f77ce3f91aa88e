import t from 'tap';
import { runInProcess } from '../support/run-heartline.js';

t.test('jobs are listed, and an unknown one is refused, without a store', async (t) => {
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const { code, stdout } = await runInProcess(['jobs', 'list', '--json'], env);
  t.equal(code, 0);
  t.ok(Array.isArray(JSON.parse(stdout).jobs));
  t.same(await runInProcess(['jobs', 'run', 'none'], env), {
    code: 1,
    stdout: '',
    stderr: 'heartline: There is no job "none"; see: heartline jobs list\n',
  });
});
