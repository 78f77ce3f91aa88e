import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { packReporter } from '../../../clients/reporter/pack-reporter.js';
import { modules } from '../../packages.js';

const run = promisify(execFile);

t.test('publint and arethetypeswrong find nothing', async (t) => {
  const { tarball, installed } = await packReporter(t);
  const bin = (name: string) => join(modules, '.bin', name);
  const { stdout } = await run(bin('publint'), ['--strict', installed]).catch((error) => error);
  t.match(stdout, 'All good!');
  await run(bin('attw'), [tarball, '--profile', 'esm-only']);
});
