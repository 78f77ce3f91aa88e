import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { manifestName } from './project.js';
import { root } from './root.js';
import { bundleLanguages, textsOfLanguage } from './texts.js';

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);

/**
 * The files of a bundle in one language. Names are those in its folder, where each file stands three times: as it is, and
 * compressed with the endings `.gz` and `.br`. `bytes` counts the one of gzip, `imports` are loaded with the file.
 *
 * @typedef {{ script: string, styles: string, files: Record<string, { bytes: number, imports: string[], from: string[] }> }} Manifest
 */

/**
 * Bundles `main.tsx` and `main.css` of a folder for each language, with a file of its own for each dynamic import. Names
 * contain a hash of the content, so that files without texts are the same for all languages. The manifest of the folder
 * has the files of each language. Returns `undefined`, or what is wrong with the sources.
 *
 * The files are compressed here: the best levels take a second of processor time, which no start of the service pays.
 *
 * @param {string} sources
 * @param {string} output
 */
export async function bundle(sources, output) {
  // Installations without development packages never come here.
  const { build, formatMessages } = await import('esbuild');
  rmSync(join(root, output), { recursive: true, force: true });
  /** @type {Record<string, Manifest>} */
  const manifests = {};
  for (const language of bundleLanguages) {
    const result = await build({
      absWorkingDir: root,
      entryPoints: { main: join(sources, 'main.tsx'), styles: join(sources, 'styles/main.css') },
      outdir: output,
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      minify: true,
      metafile: true,
      legalComments: 'none',
      loader: { '.svg': 'dataurl' },
      plugins: [textsOfLanguage(language)],
      logLevel: 'silent',
    }).catch((error) => error);
    if (result.errors?.length > 0) {
      return (await formatMessages(result.errors, { kind: 'error' })).join('\n');
    }
    if (result.metafile === undefined) throw result;
    manifests[language] = await makeManifest(result.metafile.outputs, output);
  }
  writeFileSync(join(root, output, manifestName), JSON.stringify(manifests, null, 2));
  return undefined;
}

/**
 * @param {import('esbuild').Metafile['outputs']} outputs
 * @param {string} folder
 * @returns {Promise<Manifest>}
 */
async function makeManifest(outputs, folder) {
  /** @type {Manifest} */
  const manifest = { script: '', styles: '', files: {} };
  const nameOf = (/** @type {string} */ path) => path.slice(folder.length + 1);
  for (const [path, { entryPoint, imports, inputs }] of Object.entries(outputs)) {
    const name = nameOf(path);
    if (entryPoint?.endsWith('main.tsx')) manifest.script = name;
    if (entryPoint?.endsWith('main.css')) manifest.styles = name;
    manifest.files[name] = {
      bytes: await compressFile(join(root, path)),
      imports: imports.filter(({ kind }) => kind === 'import-statement').map((one) => nameOf(one.path)),
      from: Object.keys(inputs).sort(),
    };
  }
  return manifest;
}

/**
 * Writes the compressed forms of a file, unless they are there. Returns the bytes of gzip.
 *
 * @param {string} path
 */
export async function compressFile(path) {
  if (existsSync(`${path}.br`)) return statSync(`${path}.gz`).size;
  const content = readFileSync(path);
  const [gzipped, brotlied] = await Promise.all([
    compressGzip(content, { level: 9 }),
    compressBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  ]);
  writeFileSync(`${path}.gz`, gzipped);
  writeFileSync(`${path}.br`, brotlied);
  return gzipped.length;
}
