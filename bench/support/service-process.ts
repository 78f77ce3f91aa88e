import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { deferred } from '../../lib/deferred.js';

/** `heartline serve` in a separate process, with its child processes. Needs Linux: /proc. */
export type ServiceProcess = {
  pid: number;
  url: string;
  /** Resolves when the process has ended, with how it ended. */
  exited: Promise<string>;
};

const ownMain = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const startMsMax = 90_000;
/** Lines of output in the error about a service that did not start. */
const linesShown = 5;

/**
 * Starts the service with this environment and waits until it listens.
 *
 * @param onLine gets each line of standard output and standard error.
 * @param options for `heartline serve`.
 * @param nodeOptions for Node.js, such as `--cpu-prof`.
 * @param main the command of another checkout that is built, in place of this one's.
 * @throws Error when the service ends instead, or does not listen in time.
 */
export async function startServiceProcess(
  env: Record<string, string>,
  onLine: (line: string, from: 'stdout' | 'stderr') => void,
  options: readonly string[] = [],
  nodeOptions: readonly string[] = [],
  main: string = ownMain,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [...nodeOptions, main, 'serve', ...options], {
    // Several of them may run on a machine.
    env: { HEARTLINE_OTLP_GRPC_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  const listening = deferred<string>();
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  let said: string[] = [];
  void exited.then((how) =>
    listening.reject(new Error(`The service ended before it listened, ${how}: ${said.join('\n')}`)),
  );
  for (const from of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[from] }).on('line', (line) => {
      const url = /^Heartline listens on (\S+)$/.exec(line)?.[1];
      if (url !== undefined) listening.resolve(url);
      said = [...said.slice(1 - linesShown), line];
      onLine(line, from);
    });
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), startMsMax);
  try {
    return { pid: child.pid ?? 0, url: await listening.promise, exited };
  } finally {
    clearTimeout(timer);
  }
}

/** Child processes end with the service. */
function endWithThisProcess(child: ChildProcess): void {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  // Without a handler a signal would end this process without the exit event.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(1));
  }
}

export type ChildKind = 'clickhouse' | 'postgres' | 'process';

const commandOf: Record<ChildKind, string> = {
  clickhouse: 'clickhouse-child.js',
  postgres: 'bin/postgres',
  process: 'serve',
};

/** Running child processes of the service of that kind. */
export async function childrenOf(parent: number, kind: ChildKind): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (!status.includes(`\nPPid:\t${parent}\n`) || /^State:\tZ/m.test(status)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(commandOf[kind])) found.push(pid);
  }
  return found;
}

/** Resident memory of a process in megabytes; `undefined` when the process has ended. */
export async function residentMb(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6;
}

/** A free loopback port. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
