import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { filesBelow, root } from './root.js';
import { listServed } from './texts.js';
import { installedLock, isInstalled, isLinked, folder as thirdTier } from './third-tier.js';

/**
 * The folders that the compiler reads, and where it writes: `tsc -p project` compiles `sources` to `output`, and keeps
 * in `memory` what it knows of the last run. A project with a `bundle` is only checked by the compiler; the bundler
 * writes it to that folder.
 *
 * @typedef {{ project: string, sources: string, output: string, memory: string, bundle?: string }} Project
 */

const clients = ['clients/pool-reporter', 'clients/reporter'];

/** @type {readonly Project[]} The last one needs the types that the clients write. */
export const projects = [
  ...clients.map((project) => ({
    project,
    sources: `${project}/src`,
    output: `${project}/dist`,
    memory: `${project}/dist/.tsbuildinfo`,
  })),
  {
    project: 'web/client',
    sources: 'web/client',
    output: 'dist/web/client',
    memory: 'dist/web/client.tsbuildinfo',
  },
  {
    project: 'web/dashboard',
    sources: 'web/dashboard',
    output: 'dist/web/dashboard',
    memory: 'dist/web/dashboard.tsbuildinfo',
    bundle: 'dist/web/bundle',
  },
  // The third tier adds its folder, which has no types without its packages.
  {
    project: isInstalled() ? thirdTier : '.',
    sources: '.',
    output: 'dist',
    memory: 'dist/.tsbuildinfo',
  },
];

/** The folder in AssemblyScript, which another compiler reads, and the file that it writes; see wasm.js. */
export const wasm = { sources: 'ingest/read/wasm', output: 'dist/ingest/read/reader.wasm' };

/** The folder of the files that pages without a bundle load; see view-assets.js. */
export const viewAssets = 'dist/web/assets';

/** The file that lists a bundle; see bundle.js. */
export const manifestName = 'manifest.json';

/**
 * Returns a hash of everything that the compiled files depend on: sources, settings, installed packages with the
 * compiler, and this build itself. Contents are compared, because a checkout changes times without a reason, and tools
 * that copy keep them. Reading the 900 files takes 0.1 s.
 */
export function fingerprint() {
  const settings = ['package.json', 'node_modules/.package-lock.json', installedLock, 'tsconfig.json'];
  const own = [...filesBelow('bin', /\.js$/), ...filesBelow('web', /\.(css|json)$/)];
  const projectSettings = projects.map(({ project }) => join(project, 'tsconfig.json'));
  const hash = createHash('sha256');
  for (const path of [...settings, ...projectSettings, ...own, ...listWasmSources(), ...listSources()]) {
    const text = existsSync(join(root, path)) ? readFileSync(join(root, path)) : '';
    hash.update(`${path}\0${text.length}\0`).update(text);
  }
  return hash.digest('hex');
}

/** Whether the compiled file of every source is there. */
export function isComplete() {
  const manifests = projects.flatMap(({ bundle }) =>
    bundle === undefined ? [] : join(bundle, manifestName),
  );
  const compiled = listSources().filter((path) => projectOf(path).bundle === undefined);
  const files = [...manifests, join(viewAssets, manifestName), ...listServed(), ...compiled.map(outputOf)];
  if (listWasmSources().length > 0) files.push(wasm.output);
  return files.every((path) => existsSync(join(root, path))) && (!isInstalled() || isLinked());
}

/** Deletes compiled files whose source is gone, which would otherwise still be imported, or run as tests. */
export function deleteStale() {
  const expected = new Set(listSources().map(outputOf));
  const bundles = projects.flatMap(({ bundle }) => (bundle === undefined ? [] : bundle + sep));
  bundles.push(viewAssets + sep);
  for (const { output } of projects) {
    for (const path of filesBelow(output, /\.(js|js\.map|d\.ts)$/)) {
      if (bundles.some((bundle) => path.startsWith(bundle))) continue;
      const compiled = path.replace(/\.(js\.map|d\.ts)$/, '.js');
      if (!expected.has(compiled)) rmSync(join(root, path), { force: true });
    }
  }
}

/** @param {string} path */
function outputOf(path) {
  const { sources, output } = projectOf(path);
  return join(output, path.slice(sources === '.' ? 0 : sources.length + 1)).replace(/\.tsx?$/, '.js');
}

/** @param {string} path */
function projectOf(path) {
  const found = projects.find(({ sources }) => sources === '.' || path.startsWith(sources + sep));
  if (found === undefined) throw new Error(`No project compiles ${path}.`);
  return found;
}

export function listWasmSources() {
  return filesBelow(wasm.sources, /\.(ts|json)$/);
}

function listSources() {
  /** @type {{ include: string[] }} */
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  // An image is built without tests and benchmarks.
  const folders = include.filter((folder) => existsSync(join(root, folder)));
  const sources = [...clients.map((client) => `${client}/src`), ...folders].flatMap((folder) =>
    filesBelow(folder, /\.tsx?$/),
  );
  const typescript = sources.filter((path) => !path.startsWith(wasm.sources + sep));
  return isInstalled() ? typescript : typescript.filter((path) => !path.startsWith(thirdTier + sep));
}
