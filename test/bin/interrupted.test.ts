import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { onLinux } from '../faults/running-service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const benchmark = ['dist/bench/ingest/query.js'];
const tests = [
  '--import=./dist/test/support/runner.js',
  'node_modules/.bin/tap',
  'test/rollups/points-property.test.ts',
];

t.setTimeout(500_000);

/**
 * Ends the program once its ClickHouse writes into a temporary folder, and waits until the folder is empty again and its
 * processes have ended.
 */
async function interrupt(t: Test, program: readonly string[], signal: NodeJS.Signals): Promise<void> {
  const folder = await temporaryFolder(t);
  const [disk, memory] = [join(folder, 'disk'), join(folder, 'memory')];
  for (const path of [disk, memory]) await mkdir(path);
  const { PATH, HOME } = process.env;
  const ownFolders = { HEARTLINE_TEST_MEMORY: memory, HEARTLINE_TEST_CACHE: folder };
  const child = spawn(process.execPath, program, {
    cwd: root,
    env: { PATH, HOME, TMPDIR: disk, ...(program === tests && ownFolders) },
    stdio: 'ignore',
    // A group of its own, to which the signal goes as from a terminal.
    detached: true,
  });
  const group = -(child.pid ?? 0);
  t.teardown(() => child.exitCode === null && child.signalCode === null && process.kill(group, 'SIGKILL'));
  const exited = once(child, 'exit');
  const files = async (): Promise<string> => {
    // A folder may go while it is being read.
    const names = await readdir(folder, { recursive: true }).catch(() => ['in between']);
    return names.join('\n');
  };
  await waitUntil('a store runs', async () => /process\.json/.test(await files()), 60_000);
  process.kill(group, signal);
  await exited;
  await waitUntil('nothing is left', async () => (await files()).split('\n').length === 2, 30_000);
  t.same((await readdir(folder)).sort(), ['disk', 'memory']);
  await waitUntil(
    'no process is left',
    async () => (await processesWith(`TMPDIR=${disk}`)).length === 0,
    30_000,
  );
}

/** The processes with a variable in their environment, which they inherit. */
async function processesWith(variable: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      // A process may end while it is being read.
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.split('\0').includes(variable) ? [pid] : [];
    }),
  );
  return found.flat();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
  t.test(`a benchmark that ends by ${signal} leaves no file`, onLinux, (t) =>
    interrupt(t, benchmark, signal),
  );
  t.test(`tests that end by ${signal} leave no file`, onLinux, (t) => interrupt(t, tests, signal));
}

t.test('a test file that does not exist is refused with the nearest ones', async (t) => {
  for (const { path, nearest } of [
    { path: 'test/ingest/collapse.test.ts', nearest: 'test/ingest/commit/collapse.test.ts' },
    { path: './test/lib/alais.test.ts', nearest: 'test/lib/alias.test.ts' },
  ]) {
    const child = spawn(process.execPath, [...tests.slice(0, -1), path], { cwd: root });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    t.equal(code, 1);
    t.ok(stderr.startsWith(`There is no ${path}; the nearest are ${nearest}, `), stderr);
  }
});
