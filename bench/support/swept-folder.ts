import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Waits for the end of its input, which is the end of the process that started it. Processes of the stores end up to
 * 1.5 s after theirs, and write until then.
 */
const sweep = 'cat >/dev/null; for second in 1 2 3 4 5; do rm -rf "$@"; sleep 1; done; rm -rf "$@"';

/** Deletes folders once this process has ended, in whatever way: Ctrl-C and SIGKILL included. */
export function sweepAfterwards(...folders: string[]): void {
  const sweeper = spawn('sh', ['-c', sweep, 'sweep', ...folders], {
    cwd: '/',
    // Outside the group of processes that Ctrl-C on the terminal ends.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  sweeper.unref();
  if (sweeper.stdin instanceof Socket) sweeper.stdin.unref();
}

/** Creates a folder below the temporary one, which is deleted at the latest when this process has ended. */
export async function makeSweptFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  sweepAfterwards(folder);
  return folder;
}
