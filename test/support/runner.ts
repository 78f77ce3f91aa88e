import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spawn } from '@tapjs/core';
import { sweepAfterwards } from '../../bench/support/swept-folder.js';
import { chooseTests } from './choose-tests.js';
import { describeDurations, noteDuration, startTimer } from './durations.js';
import { keepStores } from './run-stores.js';
import { memoryFolder } from './temporary-folder.js';
import { listSlots } from './tiers.js';

/**
 * `npm test` loads this module into tap's runner, and the runner then starts test processes without three of its loaders.
 *
 * @tapjs/processinfo records what each Node.js process below a test loads, to watch and cover files: the stores, the
 * service, the commands. Nothing here uses these records, and they take more processor time than the tests' own modules:
 * a file with a PostgreSQL needs 1.6 s without them and 2.8 s with them, `heartline --help` 0.7 s and 2.0 s. No test
 * needs the loaders of @tapjs/typescript and @tapjs/mock either. To exclude these plugins in `.taprc` would make tap
 * rebuild itself after each `npm ci`, which takes up to 15 s of processor time.
 */
const unusedLoader = /^--import=.*\/@tapjs\/(processinfo|typescript|mock)\//;
const { main } = Spawn.prototype;

Spawn.prototype.main = function mainWithoutLoaders(this: Spawn, done: () => void): void {
  const args = this.args.filter((arg) => !unusedLoader.test(arg));
  // The runner then adds the loaders to NODE_OPTIONS of the process that it starts: `env` resets that.
  this.args = [`NODE_OPTIONS=${process.env['NODE_OPTIONS'] ?? ''}`, this.command, ...args];
  this.command = 'env';
  const started = startTimer();
  const [, file] = /\/dist\/test\/(.+\.test\.js)$/.exec(args.at(-1) ?? '') ?? [];
  main.call(this, () => {
    if (file !== undefined) noteDuration(file, started);
    done();
  });
};

/**
 * The folders of this run, one on the disk and one in memory. Every process below puts its files there, browsers
 * included, so that an interrupted run leaves none. Files that later runs use again stay outside.
 */
process.env['HEARTLINE_TEST_CACHE'] ??= tmpdir();
const folders = [mkdtempSync(join(tmpdir(), 'heartline-tests-'))];
const memory = memoryFolder();
if (memory !== undefined) folders.push(mkdtempSync(join(memory, 'heartline-tests-')));
const [onDisk = '', inMemory] = folders;
// Not deleted by this process: the servers still write into them when it ends, and `rmSync` then throws ENOTEMPTY.
sweepAfterwards(...folders);
process.env['TMPDIR'] = onDisk;
if (inMemory !== undefined) process.env['HEARTLINE_TEST_MEMORY'] = inMemory;

/** Where the slots of this run note which test files they have taken. */
const claims = mkdtempSync(join(onDisk, 'claims-'));
process.env['HEARTLINE_TEST_CLAIMS'] = claims;

/** `--slowest` prints where the time went; `--slowest=30` the thirty slowest files. */
const slowest = process.argv.find((arg) => /^--slowest(=\d+)?$/.test(arg));
if (slowest !== undefined) {
  process.argv.splice(process.argv.indexOf(slowest), 1);
  process.once('exit', () =>
    process.stderr.write(describeDurations(claims, Number(slowest.slice(10)) || 10)),
  );
}

// The processes below read it, whose files do more in the third tier.
if (process.argv.includes('all')) process.env['HEARTLINE_TEST_TIER'] = 'all';

try {
  const { args, slotFiles } = await chooseTests(process.argv.slice(2));
  const slots = slotFiles.length === 0 ? [] : listSlots();
  if (slotFiles.length > 0) process.env['HEARTLINE_TEST_FILES'] = slotFiles.join('\n');
  process.argv.splice(2, Infinity, ...slots, '--jobs=4', ...args);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

keepStores(inMemory ?? onDisk);
