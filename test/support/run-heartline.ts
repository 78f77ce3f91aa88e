import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '../../cli/run.js';
import type { Clock } from '../../lib/clock.js';

export type HeartlineRun = { code: number | null; stdout: string; stderr: string };

const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** A command line that runs in its own process. */
export type StartedHeartline = {
  /** The standard output and standard error so far. */
  readonly stdout: string;
  readonly stderr: string;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<HeartlineRun>;
};

/** Runs the command line in its own process. The environment holds only `env` and PATH. */
export function runHeartline(
  args: string[],
  env: Record<string, string> = {},
  limit: { timeoutMs?: number } = {},
): Promise<HeartlineRun> {
  return startHeartline(args, env, limit).ended;
}

/** Starts the command line in its own process, as the user of this one or another. It ends after a minute, or as given. */
export function startHeartline(
  args: string[],
  env: Record<string, string>,
  { timeoutMs = 60_000, ...user }: { uid?: number; gid?: number; timeoutMs?: number } = {},
): StartedHeartline {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    ...user,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<HeartlineRun>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    kill: (signal) => child.kill(signal),
    ended,
  };
}

/** Runs the command line in this process, which takes a tenth of a second instead of one. */
export async function runInProcess(
  args: string[],
  env: Record<string, string> = {},
  options: { clock?: Clock } = {},
): Promise<HeartlineRun> {
  let stdout = '';
  let stderr = '';
  const code = await run(args, {
    ...{ env, ...options },
    stdout: new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        stdout += chunk.toString();
        done();
      },
    }),
    print: (text) => {
      stdout += text;
    },
    complain: (text) => {
      stderr += text;
    },
  });
  return { code, stdout, stderr };
}
