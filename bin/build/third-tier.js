import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './root.js';

/**
 * The third tier of tests has packages of its own, of 690 MB, in a folder of its own: frameworks besides the current
 * ones, linters, generators. Who has not installed them builds and runs everything else.
 */
export const folder = 'test/all';

const lock = `${folder}/package-lock.json`;
/** A copy of the lock file that the packages were installed from. `npm ci` deletes it with the packages. */
export const installedLock = `${folder}/node_modules/.installed-lock.json`;

/** Where Node.js looks for the packages of the compiled tests. */
const link = `dist/${folder}/node_modules`;

/** Whether the packages are the ones in the lock file. */
export function isInstalled() {
  return existsSync(join(root, lock)) && read(lock) === read(installedLock);
}

/** Installs the packages unless they are there. Ends the process when npm fails. */
export function install() {
  if (isInstalled()) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: join(root, folder),
    // Standard output belongs to what comes afterwards, such as the report of the tests.
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(join(root, installedLock), read(lock));
}

export function isLinked() {
  return existsSync(join(root, link));
}

/** Makes the packages known to the compiled tests. */
export function linkPackages() {
  mkdirSync(dirname(join(root, link)), { recursive: true });
  rmSync(join(root, link), { force: true });
  symlinkSync(join(root, folder, 'node_modules'), join(root, link), 'junction');
}

/** @param {string} path */
function read(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
}
