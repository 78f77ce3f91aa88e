import { Worker } from 'node:worker_threads';
import type { EngineStart, FromEngine } from './clickhouse-engine-thread.js';
import type { ThreadView } from './confine/landlock.js';
import { StackError } from './errors.js';

export type EngineOptions = {
  dataDir: string;
  /** The users in this file must let `default` run SYSTEM LISTEN and read system.numbers without a password. */
  configFile: string;
  httpPort: number;
  tcpPort: number;
};

/** Threads of Node.js have 4 MB otherwise, and the engine expects the usual stack of Linux. */
const stackSizeMb = 8;

/** Start of the query that keeps the engine running. The engine stops when that query is killed. */
export const sleepingQueryStart = 'SELECT ignore(sleep(0.2))';

const sleepingQuery = `${sleepingQueryStart} FROM system.numbers SETTINGS max_block_size=1, log_queries=0 FORMAT Null`;

/** End of the message about an engine that ended by itself and returned ''. */
export const noReason = 'its engine ended without a reason.';

/** Beginning of the message about a query that ClickHouse refused. Another ClickHouse on the port refuses the password. */
export const refusedQuery = 'ClickHouse runs, but refuses a query:';

/** Returns the message about an answer that no ClickHouse gave. */
export const foreignAnswer = (port: number): string =>
  `Another program answers on port ${port} of 127.0.0.1.`;

/** Returns the command line that makes the engine listen on 127.0.0.1. */
export function engineArguments({ dataDir, configFile, httpPort, tcpPort }: EngineOptions): string[] {
  return [
    'clickhouse',
    '--multiquery',
    '--path',
    dataDir,
    '--http_port',
    String(httpPort),
    '--tcp_port',
    String(tcpPort),
    '--listen_host',
    '127.0.0.1',
    `--config-file=${configFile}`,
    // Without a console the engine ignores the level and writes every trace line to its log.
    '--log-level=fatal',
    '--logger.console=1',
    '--query',
    `SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; ${sleepingQuery}`,
  ];
}

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** @throws StackError on a platform for which the embedded ClickHouse is not built. */
export function assertEmbeddable(platform: string, architecture: string): void {
  if (platforms.includes(`${platform}-${architecture}`)) return;
  throw new StackError(
    `The embedded ClickHouse does not run on ${platform} ${architecture}, only on Linux and macOS, x64 and arm64; set CLICKHOUSE_URL to use a server.`,
  );
}

/** The engine on a thread of its own. */
export type RunningEngine = {
  /** Why the thread is not confined; `undefined` when it is. */
  unconfinedBecause: string | undefined;
  /** Resolves when the engine ends, with the error or ''. */
  ended: Promise<string>;
};

/**
 * Starts the engine on a new thread, which it blocks until it ends. That thread, and so all threads of the engine, reach
 * only what `view` lists, where the system can confine them.
 *
 * @throws StackError when the optional dependencies are not installed.
 */
export async function startEngine(args: string[], view: ThreadView): Promise<RunningEngine> {
  await assertInstalled();
  const workerData: EngineStart = { args, view };
  const thread = new Worker(new URL('./clickhouse-engine-thread.js', import.meta.url), {
    workerData,
    resourceLimits: { stackSizeMb },
  });
  const ended = new Promise<string>((resolve) => {
    thread.once('error', (error: unknown) => resolve(String(error)));
    thread.on('message', (message: FromEngine) => {
      if (message.type === 'ended') resolve(message.error);
    });
  });
  const unconfinedBecause = await new Promise<string | undefined>((resolve, reject) => {
    thread.once('error', reject);
    thread.once('message', (message: FromEngine) => {
      if (message.type === 'starts') resolve(message.unconfinedBecause);
    });
  });
  return { unconfinedBecause, ended };
}

async function assertInstalled(): Promise<void> {
  try {
    await Promise.all([import('ffi-rs'), import('chdb/libchdb')]);
  } catch (error) {
    throw new StackError(
      'The embedded ClickHouse is not installed; run npm ci with optional dependencies (on Linux with glibc or macOS, x64 or arm64), or set CLICKHOUSE_URL.',
      { cause: error },
    );
  }
}
