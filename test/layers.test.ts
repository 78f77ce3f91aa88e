import { readdir, readFile } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What the composition root puts together. */
const parts = [
  ...['contract', 'sql', 'control', 'ingest', 'analytics', 'rollups'],
  ...['outbound', 'notify', 'probe', 'web', 'stack', 'backup'],
];

/** What the files of each folder may import besides their own folder; a folder that is missing here fails. */
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  sql: ['contract'],
  control: ['contract', 'sql'],
  ingest: ['contract', 'sql'],
  analytics: ['contract', 'sql'],
  rollups: ['contract', 'sql'],
  outbound: ['contract'],
  notify: ['contract', 'sql', 'outbound'],
  probe: ['contract', 'sql', 'outbound'],
  web: ['contract'],
  'web/client': [],
  clients: [],
  stack: ['contract'],
  backup: ['contract', 'sql', 'stack'],
  api: parts,
  cli: [...parts, 'api'],
  bench: [...parts, 'api', 'cli'],
  test: [...parts, 'api', 'cli', 'bench'],
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
  for (const path of ['contract/errors.ts', 'service/service.ts', 'ingest/read/normalize.ts', 'cli/main.ts']) {
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
