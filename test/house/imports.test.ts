import { readFile } from 'node:fs/promises';
import t from 'tap';
import { readSources } from '../support/sources.js';

const domains = ['control', 'ingest', 'database-health', 'analytics', 'rollups'];
const service = ['contract', 'lib', 'sql', 'web', ...domains, 'api', 'stack'];
const all = [...service, 'service', 'backup', 'cli'];

/** Folders that the files of a folder may import besides their own; a folder that is missing here fails. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  lib: ['contract'],
  sql: ['contract', 'lib'],
  ...Object.fromEntries(domains.map((domain) => [domain, ['contract', 'lib', 'sql']])),
  control: ['contract', 'lib', 'sql', 'web/mails', 'web/texts'],
  'web/texts': ['contract', 'lib'],
  web: ['contract', 'lib', 'web/texts'],
  'web/mails': ['contract', 'lib', 'web', 'web/texts'],
  'web/client': [],
  'web/dashboard': ['contract', 'lib', 'web', 'web/texts'],
  clients: [],
  stack: ['contract', 'lib'],
  backup: ['contract', 'lib', 'sql', 'stack'],
  api: ['contract', 'lib', 'sql', 'web', 'web/texts', ...domains],
  service,
  cli: [...service, 'service', 'backup'],
  bench: all,
  test: [...all, 'bench', 'web/mails', 'web/texts', 'web/dashboard'],
};

/**
 * The nouns of control/ in the order in which they may import each other: a noun imports the ones of the lines below
 * its own, by their index.ts.
 */
const nouns: readonly (readonly string[])[] = [
  ['people'],
  ['pages'],
  ['alarms', 'keys'],
  ['alerts', 'monitors'],
  ['contact-ways', 'reports'],
  ['maintenance-series', 'postmortems', 'subscribers', 'templates', 'webhooks'],
  ['incidents'],
  ['translations', 'policies'],
  [
    'boards',
    'channels',
    'connections',
    'copies',
    'deployments',
    'event-stores',
    'figure-exports',
    'objectives',
    'private-addresses',
    'queries',
    'rules',
    'schedules',
  ],
  ['delivery'],
  ['audit'],
];

/** Configuration comes in through one door; the command line only passes the environment on. */
const mayReadEnvironment = ['service/config.ts', 'cli/main.ts'];

const sources = await readSources();

/** Returns the imports that `isWrong` finds, each behind the path of its file. */
function findWrong(
  isWrong: (imported: string, path: string) => boolean,
  key: 'imports' | 'specifiers' = 'imports',
) {
  return sources.flatMap((source) =>
    source[key].filter((one) => isWrong(one, source.path)).map((one) => `${source.path}: ${one}`),
  );
}

/** The top folder of a path; what runs in browsers, mails and texts are places of their own. */
function placeOf(path: string): string {
  return /^web\/(client|dashboard|mails|texts)\//.exec(path)?.[0].slice(0, -1) ?? path.split('/')[0] ?? path;
}

function nounOf(path: string): string | undefined {
  return /^control\/([^/]+)\//.exec(path)?.[1];
}

t.test('the sources and their imports are found', async (t) => {
  const found = sources.find(({ path }) => path === 'control/webhooks/index.ts');
  t.ok(found !== undefined && found.imports.length > 0);
  t.ok(sources.length > 400);
});

t.test('every folder has a place in the layers', async (t) => {
  const places = new Set(sources.map(({ path }) => placeOf(path)));
  t.strictSame(
    [...places].filter((place) => !(place in mayImport)),
    [],
  );
});

t.test('imports point one way', async (t) => {
  const wrong = findWrong((imported, path) => {
    const place = placeOf(path);
    return ![place, ...(mayImport[place] ?? [])].includes(placeOf(imported));
  });
  t.strictSame(wrong, []);
});

t.test('the kit of the dashboard knows neither its screens nor its shell', async (t) => {
  const isBelow = (path: string) => /^web\/dashboard\/(kit|reads|address|[^/]+\.ts$)/.test(path);
  const wrong = findWrong(
    (imported, path) => isBelow(path) && /^web\/dashboard\/(screens|shell)\//.test(imported),
  );
  t.strictSame(wrong, []);
});

t.test('the nouns of control/ meet through their index.ts, in one direction', async (t) => {
  const rankOf = (noun: string) => nouns.findIndex((line) => line.includes(noun));
  const present = new Set(sources.flatMap(({ path }) => nounOf(path) ?? []));
  t.strictSame([...present].sort(), nouns.flat().sort(), 'every noun has a place');
  const wrong = findWrong((imported, path) => {
    const [own, noun] = [nounOf(path), nounOf(imported)];
    if (own === undefined || noun === undefined || noun === own) return false;
    return imported !== `control/${noun}/index.ts` || rankOf(noun) <= rankOf(own);
  });
  t.strictSame(wrong, []);
});

t.test('what is not of control/ enters a noun through its index.ts', async (t) => {
  const wrong = findWrong((imported, path) => {
    if (['control', 'test', 'bench'].includes(placeOf(path))) return false;
    return nounOf(imported) !== undefined && !/^control\/[^/]+\/index\.ts$/.test(imported);
  });
  t.strictSame(wrong, []);
});

t.test('no file imports itself by way of others', async (t) => {
  const importsOf = new Map(sources.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, way: readonly string[]): void {
    const start = way.indexOf(path);
    if (start >= 0) cycles.push([...way.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const imported of importsOf.get(path) ?? []) visit(imported, [...way, path]);
    done.add(path);
  }
  for (const { path } of sources) visit(path, []);
  t.strictSame(cycles, []);
});

t.test('relative imports name the compiled file, except in AssemblyScript', async (t) => {
  const wrong = findWrong(
    (specifier, path) =>
      /^\./.test(specifier) && !/\.(js|json)$/.test(specifier) && !path.startsWith('ingest/read/wasm/'),
    'specifiers',
  );
  t.strictSame(wrong, []);
});

/** Folders whose packages `npm run build` bundles, and folders that nobody ships. */
const bundledOrOwn = ['test', 'bench', 'clients', 'web/dashboard'];

t.test('what is shipped imports only packages that are installed with it', async (t) => {
  const manifest = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  const { dependencies, optionalDependencies } = JSON.parse(manifest) as Record<string, object>;
  const installed = Object.keys({ ...dependencies, ...optionalDependencies });
  const wrong = findWrong((specifier, path) => {
    if (bundledOrOwn.includes(placeOf(path)) || /^(\.|node:)/.test(specifier)) return false;
    return !installed.some((name) => `${specifier}/`.startsWith(`${name}/`));
  }, 'specifiers');
  t.strictSame(wrong, []);
});

t.test('the environment is read in one place', async (t) => {
  const readers = sources.filter(
    ({ path, text }) =>
      !['test', 'bench'].includes(placeOf(path)) && /\bprocess\s*(\.\s*env\b|\[\s*['"]env)/.test(text),
  );
  t.strictSame(
    readers.map(({ path }) => path).filter((path) => !mayReadEnvironment.includes(path)),
    [],
  );
});
