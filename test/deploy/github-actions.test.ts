import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parse } from 'yaml';
import { runInProcess } from '../support/run-heartline.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

type Step = { name?: string; uses?: string; run?: string; env?: Record<string, string> };
type Workflow = { jobs: { page: { env: Record<string, string>; steps: Step[] } } };

const { jobs }: Workflow = parse(await readFile(join(root, 'deploy/github-actions/heartline.yml'), 'utf8'));
const { env, steps } = jobs.page;

t.test('the address is a variable, and the key a secret', async (t) => {
  t.match(env, {
    HEARTLINE_URL: /^\$\{\{ vars\.HEARTLINE_URL \}\}$/,
    HEARTLINE_KEY: /^\$\{\{ secrets\.HEARTLINE_KEY \}\}$/,
  });
});

t.test('the installation has the compiler, which is an optional package', async (t) => {
  const install = steps.findIndex(({ run = '' }) => run.startsWith('npm '));
  t.equal(steps[install]?.run, 'npm ci');
  t.ok(install < steps.findIndex(({ run = '' }) => run.includes('heartline.js')));
});

t.test('its commands exist, with their options', async (t) => {
  const commands = steps.flatMap(({ run = '' }) => run.match(/^.*heartline\.js .*$/gm) ?? []);
  t.equal(commands.length, 2);
  for (const command of commands) {
    const [, program = '', verb = '', rest = ''] = /node \.heartline\/(\S+) (\w+) (.*)/.exec(command) ?? [];
    await t.resolves(access(join(root, program)));
    const { code, stdout } = await runInProcess([verb, '--help']);
    t.equal(code, 0);
    for (const option of rest.match(/--\w+/g) ?? []) t.ok(stdout.includes(option), option);
    t.match(rest, '--prune');
  }
});
