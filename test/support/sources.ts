import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** `import … from`, `export … from`, `import '…'` and `import('…')`. */
const importForm =
  /^\s*(?:import|export)\b(?:[^'"`;=()]*\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** A TypeScript file of the project. Paths start at the root of the project and have forward slashes. */
export type Source = {
  path: string;
  text: string;
  /** The imports of the file, as written. */
  specifiers: readonly string[];
  /** The files of the project that it imports, without packages. */
  imports: readonly string[];
};

/** Every TypeScript file of the project, tests and benchmarks included. */
export async function readSources(): Promise<Source[]> {
  const paths = await listPaths();
  const known = new Set(paths);
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(root, path), 'utf8');
      const specifiers = [...text.matchAll(importForm)].map(([, plain, dynamic]) => plain ?? dynamic ?? '');
      const relative = specifiers.filter((specifier) => specifier.startsWith('.'));
      return { path, text, specifiers, imports: relative.map((one) => resolveImport(known, path, one)) };
    }),
  );
}

async function listPaths(): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter(({ name }) => name !== 'data');
  const lists = await Promise.all(folders.map((entry) => listBelow('', entry)));
  return lists.flat();
}

/** Leaves out packages, which are as many files as all others, and what is made. */
async function listBelow(folder: string, entry: Dirent): Promise<string[]> {
  const path = `${folder}${entry.name}`;
  if (!entry.isDirectory()) return folder !== '' && /\.tsx?$/.test(path) ? [path] : [];
  if (/^\.|^(?:dist|node_modules)$/.test(entry.name)) return [];
  const entries = await readdir(join(root, path), { withFileTypes: true });
  return (await Promise.all(entries.map((one) => listBelow(`${path}/`, one)))).flat();
}

/** Imports name the compiled file; a file that is not there keeps the name that the import gives it. */
function resolveImport(known: ReadonlySet<string>, path: string, specifier: string): string {
  const compiled = posix.join(posix.dirname(path), specifier);
  const base = compiled.replace(/\.js$/, '');
  return [`${base}.ts`, `${base}.tsx`].find((candidate) => known.has(candidate)) ?? compiled;
}
