import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Waits for the end of its input, which is the end of the process that started it, and stops the server: fast, which
 * writes a checkpoint; after 1.5 s at once, which a stopped process obeys as well. The next start finishes what is left.
 */
const script = `
while read -r line; do :; done
kill -INT "$1" && kill -CONT "$1"
for tenth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  kill -0 "$1" || exit 0
  sleep 0.1
done
kill -QUIT "$1"
`;

/** Ends a server when this process ends, in whatever way: no program of PostgreSQL does that. */
export function guardServer(server: ChildProcess): { end(): void } {
  if (server.pid === undefined) return { end() {} };
  const guard = spawn('/bin/sh', ['-c', script, 'heartline-guard', String(server.pid)], {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // A machine without a shell has no guard; the next start then ends the server.
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return {
    end: () => void guard.kill('SIGKILL'),
  };
}
