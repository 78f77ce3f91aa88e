import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type AnyNode, parse } from 'acorn';
import t from 'tap';
import { readSources } from '../support/sources.js';

const linesMax = 100;

const sources = await readSources();

function nodesOf(node: AnyNode): AnyNode[] {
  const below = Object.values(node)
    .flat()
    .filter((one): one is AnyNode => typeof one?.type === 'string');
  return [node, ...below.flatMap(nodesOf)];
}

/** Returns the compiled functions of a file that are too long. Most files are shorter than that, and are not parsed. */
async function findLong(path: string): Promise<string[]> {
  const compiled = new URL(`../../${path.replace(/\.tsx?$/, '.js')}`, import.meta.url);
  const text = existsSync(compiled) ? await readFile(compiled, 'utf8') : '';
  if (text.split('\n').length <= linesMax) return [];
  const tree = parse(text, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  return nodesOf(tree).flatMap(({ type, loc }) => {
    const lines = (loc?.end.line ?? 0) - (loc?.start.line ?? 0) + 1;
    return type.includes('Function') && lines > linesMax ? [`${path}: ${lines} lines`] : [];
  });
}

t.test('no function has more than 100 lines when it is compiled', async (t) => {
  const paths = sources.map(({ path }) => path).filter((path) => !/^(?:test|bench)\//.test(path));
  const long = await Promise.all(paths.map(findLong));
  t.ok(long.length > 1_000);
  t.strictSame(long.flat(), []);
});

t.test('a comment begins with its subject', async (t) => {
  const form = /^\s*(?:\/\*\*|\*|\/\/) (?:What|That|Of|Those|Whose)\b.*/gm;
  const wrong = sources.flatMap(({ path, text }) =>
    (text.match(form) ?? []).map((line) => `${path}: ${line.trim()}`),
  );
  t.strictSame(wrong, []);
});
