#!/usr/bin/env node
/**
 * The `heartline` command. In a checkout it first compiles sources that have changed since the last build; the package
 * that is installed has no sources, and starts at once.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/cli/main.js', import.meta.url);

if (existsSync(new URL('./build.js', import.meta.url))) {
  const { buildWhenChanged } = await import('./build/build-when-changed.js');
  await buildWhenChanged();
}
// The processes that share a port start with this file, and must not build again.
process.argv[1] = fileURLToPath(main);
await import(main.href);
