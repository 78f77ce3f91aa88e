import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readSources } from './sources.js';
import { builtPath, listSharing, listTests, nearestTests } from './tiers.js';

/** From this many files on, the slots run them: a file of its own process loads tap and the service, which takes 2 s. */
const slotFilesMin = 4;

/** The tests of a command line: arguments for tap, and files that the slots run in place of the whole first tier. */
export type Choice = { args: string[]; slotFiles: string[] };

/**
 * Reads what the command line asks for: `system` and `all` are tiers, `test/lib/alias.test.ts` is a file, `test/lib` the
 * files below a folder, and `--changed` or `--changed=REVISION` the tests that import, directly or
 * through other files, what has changed since the last commit or that revision. Everything else is for tap.
 *
 * @throws Error with one sentence for a file or a folder that is not there.
 */
export async function chooseTests(args: readonly string[]): Promise<Choice> {
  const rest: string[] = [];
  const files: string[] = [];
  for (const arg of args) {
    const named = await testsNamedBy(arg);
    if (named === undefined) rest.push(arg);
    else files.push(...named);
  }
  const canShare = new Set(listSharing());
  const sharing = [...new Set(files)].filter((file) => canShare.has(file));
  const slotFiles = sharing.length < slotFilesMin ? [] : sharing;
  const alone = [...new Set(files)].filter((file) => !slotFiles.includes(file));
  return { args: [...rest, ...alone.map(builtPath)], slotFiles };
}

async function testsNamedBy(arg: string): Promise<string[] | undefined> {
  if (arg === 'system' || arg === 'all') return listTests(arg);
  const [, since] = /^--changed(?:=(.+))?$/.exec(arg) === null ? [] : [arg, arg.slice(10) || 'HEAD'];
  if (since !== undefined) return await changedTests(since);
  const [, path] = /^(?:\.\/)?test\/(.+?)\/?$/.exec(arg) ?? [];
  if (path === undefined) return undefined;
  if (/\.tsx?$/.test(path)) return [checkFile(path, arg)];
  // A test that needs further packages is built only where they are installed.
  const below = [...new Set([...listTests('unit'), ...listTests('system'), ...listTests('all')])].filter(
    (file) => file.startsWith(`${path}/`) && existsSync(builtPath(file)),
  );
  if (below.length === 0) throw new Error(`There are no tests in ${arg}.`);
  return below;
}

function checkFile(file: string, arg: string): string {
  if (!existsSync(`test/${file}`)) {
    const nearest = nearestTests(file).map((one) => `test/${one}`);
    const hint = nearest.length === 0 ? '' : `; the nearest are ${nearest.join(', ')}`;
    throw new Error(`There is no ${arg}${hint}.`);
  }
  if (!existsSync(builtPath(file)))
    throw new Error(`${arg} needs further packages; run npm run install:all first.`);
  return file;
}

async function changedTests(since: string): Promise<string[]> {
  const changed = listChanged(since);
  const sources = await readSources();
  const importers = new Map<string, string[]>();
  for (const { path, imports } of sources) {
    for (const imported of imports) importers.set(imported, [...(importers.get(imported) ?? []), path]);
  }
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const importer of importers.get(path) ?? []) visit(importer);
  };
  for (const path of changed) visit(path);
  const tests = [...listTests('unit'), ...listTests('system')].filter((file) => reached.has(`test/${file}`));
  process.stderr.write(`${changed.length} changed files are imported by ${tests.length} test files.\n`);
  if (tests.length === 0) throw new Error(`No test imports what has changed since ${since}.`);
  return tests;
}

/** The files that differ from a revision, those that git does not track included. */
function listChanged(since: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  return [...git('diff', '--name-only', since, '--'), ...git('ls-files', '--others', '--exclude-standard')];
}
