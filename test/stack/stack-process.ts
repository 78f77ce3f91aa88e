import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { StackOptions } from '../../stack/start-stack.js';

export type StackProcess = {
  process: ChildProcess;
  clickhouseUrl?: string;
  databaseUrl?: string;
  /** Process ids of ClickHouse and PostgreSQL; null when not started. */
  pids?: (number | null)[];
  /** Name and message of the error when the stack did not start. */
  error?: string;
};

/**
 * Starts the stack in another process with the code in `folder`. Waits until it runs or has failed.
 *
 * @param prefix a command that runs the process, such as one that takes rights away.
 */
export async function startStackProcess(
  t: Test,
  folder: string,
  options: Omit<StackOptions, 'log'>,
  prefix: readonly string[] = [],
): Promise<StackProcess> {
  const script = join(folder, 'test/stack/run-stack.js');
  const [program = '', ...args] = [...prefix, process.execPath, script, JSON.stringify(options)];
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  const [told]: StackProcess[] = await once(child, 'message', { signal: AbortSignal.timeout(90_000) });
  return { ...told, process: child };
}
