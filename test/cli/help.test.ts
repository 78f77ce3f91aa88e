import { readFile } from 'node:fs/promises';
import t from 'tap';
import { commands } from '../../cli/commands.js';
import { runHeartline, runInProcess } from '../support/run-heartline.js';

t.test('--help lists every command, and needs neither configuration nor stores', async (t) => {
  const { code, stdout, stderr } = await runHeartline(['--help'], { DATABASE_URL: 'nonsense' });
  t.equal(stderr, '');
  t.equal(code, 0);
  for (const { name, summary } of commands) {
    t.ok(
      stdout.split('\n').some((line) => line.startsWith(`  ${name} `) && line.endsWith(` ${summary}`)),
      name,
    );
  }
  t.same(await runInProcess(['help']), { code, stdout, stderr });
});

t.test('each command prints its help, also after other arguments', async (t) => {
  t.plan(commands.length * 3 + 1);
  for (const command of commands) {
    t.match(command.help, new RegExp(`^heartline ${command.name}`));
    const { code, stdout } = await runInProcess([...command.name.split(' '), '--slug', 'x', '--help']);
    t.equal(stdout, command.help);
    t.equal(code, 0);
  }
  const { stdout } = await runInProcess(['key', '--help']);
  t.match(stdout, /key create .*\n.*key set .*\n.*key revoke .*\n.*key list/);
});

t.test('--version prints the version of the package', async (t) => {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  t.same(await runInProcess(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
});
