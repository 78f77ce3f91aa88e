import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const command = fileURLToPath(new URL('../../../bin/heartline.js', import.meta.url));

/** Runs the command as on another version of Node.js. */
function runOn(version: string) {
  const preload = `Object.defineProperty(process, 'version', { value: '${version}' })`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, command, 'version'],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

t.test('a version of Node.js that is too old is told in one sentence', async (t) => {
  for (const version of ['v18.20.8', 'v20.18.3']) {
    t.same(runOn(version), {
      ...{ status: 1, stdout: '' },
      stderr: `Heartline needs Node.js 20.19 or newer, and this is ${version}; install a newer one.\n`,
    });
  }
});
