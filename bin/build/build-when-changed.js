import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.js';
import { compile, isCompilerInstalled } from './compile.js';
import { takeLock } from './lock.js';
import { showProgress } from './progress.js';
import { deleteStale, fingerprint, isComplete, projects } from './project.js';
import { root } from './root.js';
import { writeTexts } from './texts.js';
import { isInstalled, linkPackages } from './third-tier.js';
import { writeViewAssets } from './view-assets.js';
import { compileWasm } from './wasm.js';

const stamp = join(root, 'dist/.stamp');
const main = join(root, 'dist/cli/main.js');

/**
 * Compiles the sources unless the last build was of the same ones. Another build that runs is waited for. Ends the
 * process with exit code 1 when the sources do not compile: nothing may run what an older version of them gave.
 *
 * A folder `dist` with a stamp holds the whole build of the sources that the stamp names: it is deleted before the first
 * file changes, and written after the last one.
 */
export async function buildWhenChanged() {
  if (isBuilt(fingerprint())) return;
  if (!isCompilerInstalled()) {
    // An installation without development packages runs what it was given.
    if (existsSync(main)) return;
    fail('The compiler is not installed; run npm ci first.');
  }
  mkdirSync(join(root, 'dist'), { recursive: true });
  const lock = await takeLock(join(root, 'dist/.build-lock'));
  const wrongTexts = writeTexts();
  if (wrongTexts !== undefined) {
    lock.release();
    fail(wrongTexts);
  }
  const sources = fingerprint();
  if (isBuilt(sources)) return lock.release();
  const progress = showProgress();
  rmSync(stamp, { force: true });
  // The compiler leaves alone what it remembers to have written, also when that was interrupted or has been deleted.
  if (lock.wasInterrupted || !isComplete()) forget();
  const failure = (await compile()) ?? (await compileWasm()) ?? (await bundleAll());
  progress.end(failure === undefined);
  if (failure !== undefined) {
    lock.release();
    fail(`${failure}\nThe sources do not compile.`);
  }
  deleteStale();
  if (isInstalled()) linkPackages();
  chmodSync(main, 0o755);
  writeFileSync(`${stamp}.new`, sources);
  renameSync(`${stamp}.new`, stamp);
  lock.release();
}

/** @param {string} sources */
function isBuilt(sources) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sources && isComplete();
}

/** Makes what browsers load. Returns what is wrong with the first one that fails. */
async function bundleAll() {
  for (const project of projects) {
    if (project.bundle === undefined) continue;
    const failure = await bundle(project.sources, project.bundle);
    if (failure !== undefined) return failure;
  }
  await writeViewAssets();
  return undefined;
}

function forget() {
  for (const { memory } of projects) rmSync(join(root, memory), { force: true });
}

/**
 * @param {string} text
 * @returns {never}
 */
function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
