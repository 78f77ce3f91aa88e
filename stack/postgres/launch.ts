import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '../../lib/timeout.js';
import type { Child } from '../child.js';
import { StackError } from '../errors.js';
import { portInUse } from '../ports.js';
import type { Binaries } from './binaries.js';
import { madeByPglite, reasonIn } from './data-folder.js';
import { guardServer } from './guard.js';
import { writePredecessor } from './predecessor.js';
import { asUser, explainNoRun, serverUser } from './server-user.js';

/** Where a server listens: a socket in a folder, or a port of 127.0.0.1. */
export type Listening = { socketFolder: string | undefined; port: number };

export type PostgresLaunch = {
  /** Folder of the store, which has the server's own folder `data`. */
  dir: string;
  binaries: Binaries;
  listening: Listening;
  /** An abort ends the launch at once. */
  signal: AbortSignal;
};

/** A recovery reads the log since the last checkpoint: 256 MB take some seconds on a slow disk. */
const readyTimeoutMs = 90_000;
/** A fast shutdown writes what changed since the last checkpoint. Afterwards, the next start recovers it from the log. */
const stopTimeoutMs = 10_000;
/** An immediate shutdown kills its processes after 5 s. */
const quitTimeoutMs = 6_000;
/** Processes of a killed server end within milliseconds, once they notice. */
const leftoverWaitMs = 10_000;
const outputCharactersMax = 8_192;

/**
 * Settings for a machine with little memory, whose database fits into some megabytes: about 100 MB resident. The log
 * of the server tells its start, its end and its failures; errors of statements go to the client alone, because they
 * quote values.
 */
const settings: Readonly<Record<string, string | number>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: 224,
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  // No copy follows this server, so its log holds what a recovery needs and nothing else.
  wal_level: 'minimal',
  max_wal_senders: 0,
  // Three processes fewer, for a database that is in memory.
  io_method: 'sync',
  max_parallel_workers_per_gather: 0,
  max_worker_processes: 2,
  autovacuum_max_workers: 1,
  jit: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
  cluster_name: 'heartline',
};

/**
 * Starts a server on `<dir>/data` and waits until it takes connections. It leads a process group of its own, so that
 * Ctrl-C reaches the service alone, and ends with this process, however this process ends.
 *
 * @throws StackError when the server ends before it takes connections.
 */
export async function launchPostgres(launch: PostgresLaunch): Promise<Child> {
  const deadline = Date.now() + leftoverWaitMs;
  for (;;) {
    try {
      return await launchOnce(launch);
    } catch (error) {
      const isLeftover = error instanceof StackError && error.message.includes('shared memory block');
      if (!isLeftover || launch.signal.aborted || Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}

async function launchOnce({ dir, binaries, listening, signal }: PostgresLaunch): Promise<Child> {
  const folder = join(dir, 'data');
  const user = await serverUser(folder);
  const [program = '', ...args] = asUser(user, binaries.postgres);
  const child = spawn(program, [...args, '-D', folder, ...optionsFor(listening)], {
    cwd: '/',
    detached: true,
    env: { ...binaries.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const output = readOutput(child);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, killer) => resolve(killer === null ? `exit code ${code}` : killer));
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  const guard = guardServer(child);
  exited.then(() => guard.end());
  try {
    await writePredecessor(dir, child.pid);
    const ended = exited.then((how) => {
      throw explainEnd({ folder, port: listening.port, user, said: output.text(), how });
    });
    await withTimeout(Promise.race([output.ready, ended]), readyTimeoutMs, {
      error: () =>
        new StackError(`PostgreSQL did not answer within ${readyTimeoutMs / 1000} s of its start.`),
    });
  } catch (error) {
    kill();
    await exited;
    throw error;
  } finally {
    signal.removeEventListener('abort', kill);
  }
  return {
    pid: child.pid ?? 0,
    port: listening.port,
    unconfinedBecause: undefined,
    exited,
    stop: () => stop(child, exited),
    kill,
  };
}

function optionsFor({ socketFolder, port }: Listening): string[] {
  const addresses = {
    listen_addresses: socketFolder === undefined ? '127.0.0.1' : '',
    unix_socket_directories: socketFolder === undefined ? '' : `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port,
  };
  return Object.entries({ ...settings, ...addresses }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Keeps the end of the output of the server, and notices when it takes connections. */
function readOutput(child: ChildProcess): { ready: Promise<void>; text(): string } {
  let text = '';
  const ready = new Promise<void>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(-outputCharactersMax);
      if (text.includes('database system is ready to accept connections')) resolve();
    });
  });
  return { ready, text: () => text };
}

type End = { folder: string; port: number; user: number | undefined; said: string; how: string };

function explainEnd({ folder, port, user, said, how }: End): StackError {
  const noRun = explainNoRun(user, said === '' ? how : said);
  if (noRun !== undefined) return noRun;
  if (said.includes('USE_FLOAT8_BYVAL')) return madeByPglite(folder);
  if (said.includes('Address already in use')) return portInUse(port);
  const reason = said === '' ? `it ended with ${how}.` : reasonIn(said);
  return new StackError(`PostgreSQL did not start on ${folder}: ${reason}`);
}

async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const timers = [
    setTimeout(() => child.kill('SIGQUIT'), stopTimeoutMs),
    setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs + quitTimeoutMs),
  ];
  child.kill('SIGINT');
  await exited;
  timers.forEach(clearTimeout);
}
