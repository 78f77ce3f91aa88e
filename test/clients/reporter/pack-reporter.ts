import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { temporaryFolder } from '../../support/temporary-folder.js';

const run = promisify(execFile);
const client = fileURLToPath(new URL('../../../../clients/reporter', import.meta.url));

/**
 * Makes what a user of the package gets: it is packed and unpacked into an empty folder. Returns the folder, the file
 * that is published, and the folder of the package in it.
 */
export async function packReporter(t: Test): Promise<{ folder: string; tarball: string; installed: string }> {
  const folder = await temporaryFolder(t);
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: client,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const tarball = join(folder, filename);
  const installed = join(folder, 'node_modules/@heartline/reporter');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  await writeFile(join(folder, 'package.json'), '{}');
  return { folder, tarball, installed };
}
