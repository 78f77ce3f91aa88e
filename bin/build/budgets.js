import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestName } from './project.js';
import { root } from './root.js';

/** @typedef {import('./bundle.js').Manifest} Manifest */

const kilobyte = 1000;

/**
 * The most bytes of gzip that browsers may load of the dashboard: the shell is everything that a screen needs before it draws,
 * the other two come with the screens that have charts and the SQL editor.
 */
const bytesMax = { shell: 60 * kilobyte, charts: 25 * kilobyte, editor: 140 * kilobyte };

const isOfCharts = /(^|\/)node_modules\/uplot\//;
const isOfEditor = /(^|\/)node_modules\/(@codemirror|@lezer|codemirror|style-mod|w3c-keyname|crelt)\//;

/**
 * Weighs a bundle in one language: its shell (the script with everything that it imports at once, and the styles), the files with the
 * library of charts, and those with the SQL editor; `bytes` is null where no file has the library.
 *
 * @param {Manifest} manifest
 * @returns {{ name: keyof typeof bytesMax, bytes: number | null, bytesMax: number }[]}
 */
export function weigh(manifest) {
  const shell = shellOf(manifest);
  const lazyWith = (/** @type {RegExp} */ library) =>
    Object.entries(manifest.files)
      .filter(([name, { from }]) => !shell.includes(name) && from.some((path) => library.test(path)))
      .map(([name]) => name);
  return [
    { name: 'shell', bytes: sum(manifest, shell), bytesMax: bytesMax.shell },
    { name: 'charts', bytes: sum(manifest, lazyWith(isOfCharts)), bytesMax: bytesMax.charts },
    { name: 'editor', bytes: sum(manifest, lazyWith(isOfEditor)), bytesMax: bytesMax.editor },
  ];
}

/**
 * Returns the files that a browser loads before the dashboard draws anything.
 *
 * @param {Manifest} manifest
 */
export function shellOf({ script, styles, files }) {
  const found = new Set([styles]);
  const visit = (/** @type {string} */ name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const imported of files[name]?.imports ?? []) visit(imported);
  };
  visit(script);
  return [...found];
}

/**
 * @param {Manifest} manifest
 * @param {string[]} names
 */
function sum({ files }, names) {
  if (names.length === 0) return null;
  return names.reduce((bytes, name) => bytes + (files[name]?.bytes ?? 0), 0);
}

/**
 * Returns the weights of a bundle in one line, in the language that weighs most; an empty text without a bundle, as in an
 * image.
 *
 * @param {string} folder
 */
export function describeWeights(folder) {
  const path = join(root, folder, manifestName);
  if (!existsSync(path)) return '';
  /** @type {Record<string, Manifest>} */
  const manifests = JSON.parse(readFileSync(path, 'utf8'));
  const [heaviest = []] = Object.values(manifests)
    .map(weigh)
    .sort(([one], [other]) => (other?.bytes ?? 0) - (one?.bytes ?? 0));
  const weights = heaviest.map(
    ({ name, bytes, bytesMax }) =>
      `${name} ${bytes === null ? 'none' : inKilobytes(bytes)} of ${inKilobytes(bytesMax)}`,
  );
  return `Dashboard, gzipped: ${weights.join(', ')}.\n`;
}

/** @param {number} bytes */
function inKilobytes(bytes) {
  return `${(bytes / kilobyte).toFixed(1).replace('.0', '')} kB`;
}
