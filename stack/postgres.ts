import { join, resolve } from 'node:path';
import { launchChild } from './child.js';
import { keepSecret, makePrivateFolder } from './files.js';
import type { PostgresStart } from './postgres-child.js';
import { type StackLog, supervise } from './supervise.js';

const idleInTransactionMsMax = 15_000;

export type PostgresOptions = {
  /** Folder of the store; created when absent. */
  dir: string;
  /** TCP port of 127.0.0.1; 0, the default, takes a free one. */
  port?: number;
  /** Folder of a stopped store: a new store starts as a copy of it, in 0.5 s instead of 3 s. */
  templateDir?: string;
  /** Longest time for which a client may leave a transaction idle, while all others wait for it; 15 s when absent. */
  idleInTransactionMsMax?: number;
  /**
   * For a process that lives as long as a command or a test: only the WebAssembly that runs is checked and compiled,
   * once and quickly, instead of all of it and then a second time with optimisations. A start with its migrations takes
   * 3.1 s of processor time instead of 4.3 s.
   */
  shortLived?: boolean;
  log: StackLog;
};

export type RunningPostgres = {
  /** `postgres://heartline:<password>@127.0.0.1:<port>/postgres` */
  url: string;
  /** The current process. It changes with a restart. */
  readonly pid: number;
  /** Stops the server, and kills it after 10 s. */
  stop(): Promise<void>;
};

/**
 * Starts the embedded PostgreSQL server and keeps it running; port and folder stay the same after a crash. The server
 * ends with this process, however this process ends. Its connections share one session: transactions are isolated, but
 * `SET`, session locks, temporary tables and LISTEN are not. COPY FROM STDIN is not supported. Committed data survive
 * any end of the process, but not a crash of the machine: the engine never calls fsync.
 *
 * @throws StackError with one sentence for the operator.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dir = resolve(options.dir);
  await makePrivateFolder(dir);
  const account = {
    user: 'heartline',
    password: await keepSecret(join(dir, 'password')),
    database: 'postgres',
  };
  const server = await supervise(
    'PostgreSQL',
    (port, signal) =>
      launchChild<PostgresStart>({
        name: 'PostgreSQL',
        entry: new URL('./postgres-child.js', import.meta.url),
        dir,
        start: {
          port,
          account,
          idleInTransactionMsMax: options.idleInTransactionMsMax ?? idleInTransactionMsMax,
          ...(options.templateDir !== undefined && { templateDir: resolve(options.templateDir) }),
        },
        ...(options.shortLived && { execArgv: ['--liftoff-only', '--wasm-lazy-validation'] }),
        signal,
      }),
    options.port ?? 0,
    options.log,
  );
  return {
    url: `postgres://${account.user}:${account.password}@127.0.0.1:${server.port}/${account.database}`,
    get pid() {
      return server.pid;
    },
    stop: () => server.stop(),
  };
}
