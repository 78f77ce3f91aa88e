import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { run } from '../../cli/run.js';

export type HeartlineRun = { code: number | null; stdout: string; stderr: string };

const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** Runs the command line in its own process. The environment holds only `env` and PATH. */
export async function runHeartline(args: string[], env: Record<string, string> = {}): Promise<HeartlineRun> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  return { code, stdout, stderr };
}

/** Runs the command line in this process, which takes a tenth of a second instead of one. */
export async function runInProcess(args: string[], env: Record<string, string> = {}): Promise<HeartlineRun> {
  let stdout = '';
  let stderr = '';
  const code = await run(args, {
    env,
    print: (text) => {
      stdout += text;
    },
    complain: (text) => {
      stderr += text;
    },
  });
  return { code, stdout, stderr };
}
