import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';

const root = new URL('../../../', import.meta.url);
const text = await readFile(new URL('docs/reliability.md', root), 'utf8');
const rows = text.split('\n').filter((line) => line.startsWith('| ') && line.includes('.test.ts`'));

t.test('docs/reliability.md names existing tests, and every one of this folder', async (t) => {
  const named = new Set([...text.matchAll(/`(test\/[\w/-]+\.test\.ts)`/g)].map(([, path = '']) => path));
  for (const path of named) await t.resolves(readFile(new URL(path, root)), path);
  const here = (await readdir(new URL('test/faults', root))).filter((name) => name.endsWith('.test.ts'));
  const missing = here.filter((name) => name !== 'documented.test.ts' && !named.has(`test/faults/${name}`));
  t.strictSame(missing, []);
});

t.test('each row of the table reports nothing lost and nothing counted twice', async (t) => {
  t.ok(rows.length >= 15);
  for (const row of rows) t.match(row, / \| 0 \| 0 \|$/);
});
