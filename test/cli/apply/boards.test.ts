import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { starterSlugs } from '../../../contract/manage/boards.js';
import { environmentFor } from '../../support/cli-environment.js';
import { runInProcess } from '../../support/run-heartline.js';
import { openTestPostgres } from '../../support/stores.js';

const [first, second] = [await openTestPostgres(t), await openTestPostgres(t)];
const [env, other] = [environmentFor(first), environmentFor(second)];
const file = join(t.testdir(), 'heartline.yml');
const docs = await readFile(new URL('../../../../docs/boards.md', import.meta.url), 'utf8');
const [, example = ''] = /^```yaml\n(boards:.*?)^```$/ms.exec(docs) ?? [];
const page = 'page: { slug: acme, hostname: acme.example }\n';

async function apply(text: string, args: string[] = [], to = env) {
  await writeFile(file, text);
  return runInProcess(['apply', file, ...args], to);
}

t.test('the board of the docs is made, changed and deleted', async (t) => {
  t.match(await apply(page + example), { code: 0, stderr: '', stdout: /^\+ board checkout$/m });
  t.match(await apply(page + example, ['--plan', '--prune']), { code: 0 });
  t.match(await apply(page + example.replace('range: 7d', 'range: 1h'), ['--plan']), {
    ...{ code: 2, stdout: /^~ board checkout\n +range {2}"7d" → "1h"\n/m },
  });
  t.match(await apply(`${page}boards: {}\n`), { code: 0 });
  t.match(await runInProcess(['board', 'list', '--page', 'acme'], env), { stdout: /checkout/ }, 'it is kept');
  t.match(await apply(`${page}boards: {}\n`, ['--prune']), { code: 0, stdout: /^- board checkout$/m });
});

t.test('a mistake names its tile and its place in the file', async (t) => {
  const wrong = example.replace('path: totals', 'path: totals, parameters: { window: "60" }');
  t.match(await apply(page + wrong.replace(', parameters: { service: "{service}" }', '')), {
    ...{ code: 1, stderr: /heartline\.yml:\d+:\d+: board checkout: \/tiles\/0: the tile "failing" gives/ },
  });
  t.match(await apply(page + example.replace('display: number', 'display: pie')), {
    ...{ code: 1, stderr: /heartline\.yml:\d+:\d+/ },
  });
});

t.test('an exported file changes nothing, and makes the same elsewhere', async (t) => {
  t.match(await apply(page + example), { code: 0 });
  t.match(await runInProcess(['board', 'add', '--page', 'acme'], env), { code: 0 });
  const { stdout, stderr } = await runInProcess(['export', 'acme'], env);
  t.equal(stderr, '');
  for (const slug of ['checkout', ...starterSlugs]) t.match(stdout, `\n  ${slug}:\n    name: `);
  t.notMatch(stdout, 'range: 24h', 'defaults are left out');
  t.match(await apply(stdout, ['--prune']), { code: 0, stdout: 'acme is as the file says.\n' });
  t.match(await apply(stdout, ['--prune'], other), { code: 0, stderr: '' });
  t.equal((await runInProcess(['export', 'acme'], other)).stdout, stdout);
});
