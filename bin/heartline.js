#!/usr/bin/env node
/**
 * The `heartline` command. In a checkout it first compiles sources that have changed since the last build; the package
 * that is installed has no sources, and starts at once.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Before anything is loaded: packages and compiled sources fail on an older version with errors that do not say why.
const needed = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).engines.node;
const partsOf = (/** @type {string} */ text) => text.replace(/^\D+/, '').split('.').map(Number);
const [[major = 0, minor = 0], [majorMin = 0, minorMin = 0]] = [partsOf(process.version), partsOf(needed)];
if (major < majorMin || (major === majorMin && minor < minorMin)) {
  process.stderr.write(
    `Heartline needs Node.js ${majorMin}.${minorMin} or newer, and this is ${process.version}; install a newer one.\n`,
  );
  process.exit(1);
}

const main = new URL('../dist/cli/main.js', import.meta.url);

if (existsSync(new URL('./build.js', import.meta.url))) {
  const { buildWhenChanged } = await import('./build/build-when-changed.js');
  await buildWhenChanged();
}
// The processes that share a port start with this file, and must not build again.
process.argv[1] = fileURLToPath(main);
await import(main.href);
