import { readFile } from 'node:fs/promises';
import t from 'tap';
import { findCommand, loadCommands } from '../../cli/commands.js';
import { withPrintedCommands } from '../../lib/printed-commands.js';
import { runInProcess } from '../support/run-heartline.js';

const commands = await loadCommands();

t.test('--help lists every command, and needs neither configuration nor stores', async (t) => {
  const { code, stdout, stderr } = await runInProcess(['--help'], { DATABASE_URL: 'nonsense' });
  t.equal(stderr, '');
  t.equal(code, 0);
  const lines = stdout.split('\n');
  const missing = commands.filter(
    ({ name, summary }) =>
      !lines.some((line) => line.startsWith(`  ${name} `) && line.endsWith(` ${summary}`)),
  );
  t.strictSame(
    missing.map(({ name }) => name),
    [],
  );
  t.same(await runInProcess(['help']), { code, stdout, stderr });
});

t.test('each command prints its help, also after other arguments', async (t) => {
  const wrong: string[] = [];
  for (const { name, help } of commands) {
    const { code, stdout } = await runInProcess([...name.split(' '), '--slug', 'x', '--help']);
    const printed = withPrintedCommands(help);
    if (!help.startsWith(`heartline ${name}`) || stdout !== printed || code !== 0) wrong.push(name);
  }
  t.strictSame(wrong, []);
  const { stdout } = await runInProcess(['key', '--help']);
  t.match(stdout, /key create .*\n.*key set .*\n.*key revoke .*\n.*key list/);
});

t.test('--version prints the version of the package', async (t) => {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  t.same(await runInProcess(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
});

t.test('every command is found by the first word of its name', async (t) => {
  const lost: string[] = [];
  for (const { name } of commands) {
    const found = await findCommand(name.split(' ')).catch(() => undefined);
    if (found?.command.name !== name) lost.push(name);
  }
  t.strictSame(lost, []);
});
