import { readdir, readFile } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const root = fileURLToPath(new URL('../../', import.meta.url));

const domains = ['control', 'ingest', 'database-health', 'analytics', 'rollups'];

/** What the files of each folder may import besides their own folder; a folder that is missing here fails. */
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  lib: ['contract'],
  sql: ['contract', 'lib'],
  control: ['contract', 'lib', 'sql', 'web'],
  ingest: ['contract', 'lib', 'sql'],
  'database-health': ['contract', 'lib', 'sql'],
  analytics: ['contract', 'lib', 'sql'],
  rollups: ['contract', 'lib', 'sql'],
  web: ['contract', 'lib'],
  'web/client': [],
  clients: [],
  stack: ['contract', 'lib'],
  backup: ['contract', 'lib', 'sql', 'stack'],
  api: ['contract', 'lib', 'sql', 'web', ...domains],
  service: ['contract', 'lib', 'sql', 'web', ...domains, 'api', 'stack'],
  cli: ['contract', 'lib', 'sql', 'web', ...domains, 'api', 'service', 'stack', 'backup'],
  bench: ['contract', 'lib', 'sql', 'web', ...domains, 'api', 'service', 'stack', 'backup', 'cli'],
  test: ['contract', 'lib', 'sql', 'web', ...domains, 'api', 'service', 'stack', 'backup', 'cli', 'bench'],
};

/** Configuration comes in through one door; the command line only hands the environment on. */
const mayReadEnvironment = ['service/config.ts', 'cli/main.ts'];

/** `import … from`, `export … from`, `import '…'` and `import('…')`. */
const importForm =
  /^\s*(?:import|export)\b(?:[^'"`;=()]*\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

type Source = { path: string; folder: string; text: string };

/** Every TypeScript file of the project, by its path from the root with forward slashes. */
async function readSources(): Promise<Source[]> {
  const skipped = new Set(['node_modules', 'dist', 'data']);
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !/^\./.test(entry.name));
  const lists = await Promise.all(
    folders
      .filter(({ name }) => !skipped.has(name))
      .map(async ({ name }) =>
        (await readdir(join(root, name), { recursive: true }))
          .filter((file) => /\.tsx?$/.test(file) && !/(^|[\\/])dist[\\/]/.test(file))
          .map((file) => `${name}/${file.split(sep).join('/')}`),
      ),
  );
  return Promise.all(
    lists.flat().map(async (path) => ({
      path,
      folder: placeOf(path),
      text: await readFile(join(root, path), 'utf8'),
    })),
  );
}

function importsOf({ text }: Source): string[] {
  return [...text.matchAll(importForm)].map(([, plain, dynamic]) => plain ?? dynamic ?? '');
}

/** The folder of ours that an import leads to, or undefined for a package. */
function folderOf(source: Source, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return placeOf(posix.join(posix.dirname(source.path), specifier));
}

/** The top folder of a path, but what runs in browsers is a place of its own. */
function placeOf(path: string): string {
  return path.startsWith('web/client/') ? 'web/client' : (path.split('/')[0] ?? path);
}

const sources = await readSources();

t.test('the sources are found', async (t) => {
  for (const path of [
    'contract/errors.ts',
    'service/service.ts',
    'ingest/read/normalize.ts',
    'cli/main.ts',
  ]) {
    t.ok(
      sources.some((source) => source.path === path),
      path,
    );
  }
  const service = sources.find(({ path }) => path === 'service/service.ts');
  t.ok(
    service !== undefined && importsOf(service).includes('../ingest/commit/group-commit.js'),
    'and their imports',
  );
});

t.test('every folder has a place in the layers', async (t) => {
  const folders = new Set(sources.map(({ folder }) => folder));
  for (const folder of folders) t.ok(folder in mayImport, folder);
});

t.test('imports point one way', async (t) => {
  for (const source of sources) {
    const allowed = [source.folder, ...(mayImport[source.folder] ?? [])];
    const wrong = importsOf(source).filter((specifier) => {
      const folder = folderOf(source, specifier);
      return folder !== undefined && !allowed.includes(folder);
    });
    t.strictSame(wrong, [], source.path);
  }
});

t.test('relative imports name the compiled file', async (t) => {
  for (const source of sources) {
    const wrong = importsOf(source).filter(
      (specifier) => /^\./.test(specifier) && !/\.(js|json)$/.test(specifier),
    );
    t.strictSame(wrong, [], source.path);
  }
});

t.test('the environment is read in one place', async (t) => {
  const readers = sources.filter(({ folder, text }) => {
    return folder !== 'test' && folder !== 'bench' && /\bprocess\s*(\.\s*env\b|\[\s*['"]env)/.test(text);
  });
  t.strictSame(
    readers.map(({ path }) => path).filter((path) => !mayReadEnvironment.includes(path)),
    [],
  );
});
