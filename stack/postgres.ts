import { join, resolve } from 'node:path';
import { launchChild } from './child.js';
import { keepSecret, makePrivateFolder } from './files.js';
import type { PostgresStart } from './postgres-child.js';
import { type StackLog, supervise } from './supervise.js';

const idleInTransactionMsMax = 15_000;

export type PostgresOptions = {
  /** Folder of this store; made when absent. */
  dir: string;
  /** TCP port of 127.0.0.1; 0, the default, is a free one. */
  port?: number;
  /** Folder of a store that was stopped: a new store starts as a copy of it, in 0.5 s instead of 3 s. */
  templateDir?: string;
  /** Longest time a client may leave a transaction waiting, since all others wait for it; 15 s when not given. */
  idleInTransactionMsMax?: number;
  /**
   * For the length of a command or a test: of the engine's WebAssembly, what runs is checked and compiled once and
   * quickly, instead of all of it and then again and better. A start with its migrations takes 3.1 s of processor
   * time instead of 4.3 s.
   */
  shortLived?: boolean;
  log: StackLog;
};

export type RunningPostgres = {
  /** `postgres://heartline:<password>@127.0.0.1:<port>/postgres` */
  url: string;
  /** The present process; another one after a restart. */
  readonly pid: number;
  /** Ends the server, cleanly if that takes at most 10 s. */
  stop(): Promise<void>;
};

/**
 * Starts the embedded PostgreSQL server and keeps it running, on the same port and folder over a crash. It ends
 * with this process, however that ends. Its connections share one session: transactions are isolated, but
 * `SET`, session locks, temporary tables and LISTEN are not. COPY FROM STDIN is not supported. What was committed
 * survives any end of the process, but not of the machine: the engine never asks for fsync.
 *
 * @throws StackError with one plain sentence.
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
