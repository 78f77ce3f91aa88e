import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { compareTexts } from './check-texts.js';
import { filesBelow, root } from './root.js';
import { dashboardModule, firstLine, serverModule } from './text-modules.js';

/** @typedef {import('./check-texts.js').Source} Source */

/**
 * The texts of a part of the interface: `path` without language and ending (`web/dashboard/kit/texts`), and what each
 * of its files holds.
 *
 * @typedef {{ path: string, name: string, languages: readonly string[], sources: Record<string, Source> }} Area
 */

/** The languages of the dashboard, of pages that the service draws, and of everything else that readers get. */
const dashboardLanguages = ['en', 'de'];
const drawnLanguages = ['en', 'de', 'fr', 'es', 'ja'];
const allLanguages = [...drawnLanguages, 'pt', 'it', 'nl'];

const serverFolder = join('web', 'texts');
const dashboardFolder = join('web', 'dashboard');
const drawn = ['account', 'account-mail', 'alert-link', 'start', 'view'].map((name) =>
  join(serverFolder, name),
);

/** Areas that a bundle has in all languages, 1.5 kB more: the palette finds a command by its title in any of them. */
const inEveryBundle = [join(dashboardFolder, 'shell', 'texts')];

/**
 * Checks the JSON files of texts and writes what is made of them: in `dist`, what the service reads; beside the files,
 * modules with their types, which git ignores. Files that are right stay untouched, so that the compiler skips them.
 * Returns `undefined`, or what is wrong with the files.
 */
export function writeTexts() {
  const areas = listAreas();
  const failures = areas.flatMap(check);
  if (failures.length > 0) return failures.join('\n');
  const server = areas.filter(({ path }) => dirname(path) === serverFolder);
  const modules = new Map(
    areas
      .filter((area) => !server.includes(area))
      .map((area) => [`${area.path}.ts`, dashboardModule(area, area.languages)]),
  );
  if (server.length > 0) modules.set(join(serverFolder, 'areas.ts'), serverModule(server));
  const foreign = [...modules.keys()].find((path) => existsSync(join(root, path)) && !isWritten(path));
  if (foreign !== undefined) {
    return `${foreign} is written by the build from the JSON files beside it. Move what it says there, and delete it.`;
  }
  for (const [path, text] of modules) writeIfChanged(path, text);
  for (const path of filesBelow('web', /(texts|areas)\.ts$/)) {
    if (!modules.has(path) && isWritten(path)) rmSync(join(root, path));
  }
  writeServed(server);
  return undefined;
}

/** @param {readonly Area[]} areas */
function writeServed(areas) {
  const served = new Map(
    areas.flatMap(({ path, sources }) =>
      Object.entries(sources).map(([language, source]) => [
        servedPath(`${path}.${language}.json`),
        JSON.stringify(source),
      ]),
    ),
  );
  for (const path of filesBelow(join('dist', serverFolder), /\.json$/)) {
    if (!served.has(path)) rmSync(join(root, path));
  }
  for (const [path, text] of served) writeIfChanged(path, text);
}

/** Returns the paths of the files that the service reads. */
export function listServed() {
  return filesBelow(serverFolder, /\.json$/).map(servedPath);
}

/** @param {string} path */
function servedPath(path) {
  return join('dist', path);
}

/**
 * Returns a plugin for the bundler that gives a bundle the texts of one language.
 *
 * @param {string} language
 * @returns {import('esbuild').Plugin}
 */
export function textsOfLanguage(language) {
  const areas = new Map(listAreas().map((area) => [join(root, `${area.path}.ts`), area]));
  return {
    name: 'texts',
    setup({ onLoad }) {
      onLoad({ filter: /texts\.ts$/ }, ({ path }) => {
        const area = areas.get(path);
        if (area === undefined) return undefined;
        const languages = inEveryBundle.includes(area.path) ? area.languages : [language];
        return { contents: dashboardModule(area, languages), loader: 'ts' };
      });
    },
  };
}

/** The languages that a bundle is made for. */
export const bundleLanguages = dashboardLanguages;

/** @returns {Area[]} */
function listAreas() {
  const paths = filesBelow('web', /\.[a-z]+\.json$/).filter((path) => path.endsWith('.en.json'));
  return paths.map((english) => {
    const path = english.replace(/\.en\.json$/, '');
    const files = filesBelow(dirname(path), /\.json$/).filter((file) => isOf(file, path));
    const sources = files.map((file) => [file.slice(path.length + 1, -'.json'.length), read(file)]);
    const languages = path.startsWith(dashboardFolder + sep) ? dashboardLanguages : serverLanguages(path);
    return { path, name: nameOf(path), languages, sources: Object.fromEntries(sources) };
  });
}

/** @param {string} file @param {string} path */
function isOf(file, path) {
  return file.startsWith(`${path}.`) && !file.slice(path.length + 1, -'.json'.length).includes('.');
}

/** @param {string} path */
function serverLanguages(path) {
  return drawn.includes(path) ? drawnLanguages : allLanguages;
}

/**
 * Returns what a file holds, or an error that says where it is no JSON, which the check reports.
 *
 * @param {string} path
 */
function read(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8'));
  } catch (error) {
    return error;
  }
}

/**
 * Returns the name of an area in code: the file's without its ending, or the folder's for a file `texts`.
 *
 * @param {string} path
 */
function nameOf(path) {
  const own = basename(path) === 'texts' ? basename(dirname(path)) : basename(path).replace(/-texts$/, '');
  return own.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}

/**
 * @param {Area} area
 * @returns {string[]}
 */
function check({ path, languages, sources }) {
  const english = sources['en'] ?? {};
  const missing = languages.filter((language) => sources[language] === undefined);
  return [
    ...missing.map((language) => `${path}.${language}.json is missing: ${path}.en.json has texts for it.`),
    ...Object.entries(sources).flatMap(([language, source]) =>
      languages.includes(language)
        ? compareTexts(language, source, english).map((failure) => `${path}.${language}.json: ${failure}.`)
        : [`${path}.${language}.json is in a language that is not among ${languages.join(', ')}.`],
    ),
  ];
}

/** @param {string} path */
function isWritten(path) {
  return readFileSync(join(root, path), 'utf8').startsWith(firstLine);
}

/**
 * @param {string} path
 * @param {string} text
 */
function writeIfChanged(path, text) {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
