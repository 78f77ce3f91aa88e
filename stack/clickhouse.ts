import { join, resolve } from 'node:path';
import { sqlUserPassword } from '../lib/secrets/secret-box.js';
import { type Child, launchChild } from './child.js';
import type { ClickHouseStart } from './clickhouse-child.js';
import { type Cluster, serviceUserName } from './clickhouse-config.js';
import { assertEmbeddable, foreignAnswer, noReason, refusedQuery } from './clickhouse-engine.js';
import { StackError } from './errors.js';
import { keepSecret, makePrivateFolder } from './files.js';
import { findPorts } from './ports.js';
import { type StackLog, type Supervised, supervise } from './supervise.js';

export type ClickHouseOptions = {
  /** Folder of the store; created when absent. */
  dir: string;
  /** Name of the database, which is created when absent. The confined SQL user may read `readerTables` in it. */
  database: string;
  readerTables: readonly string[];
  /** Views over them that the user may read as well; none when absent. */
  readerViews?: readonly string[] | undefined;
  /** The password of the confined SQL user is derived from it. */
  secretKey: string;
  /** HTTP and native TCP port of 127.0.0.1; 0, the default, takes a free one. */
  port?: number;
  tcpPort?: number;
  /** Memory that the server may use, in bytes; 40 % of the machine's when absent. */
  memoryBytes?: number | undefined;
  /** Whether an insert is answered when the disk has its parts; that takes longer. */
  syncsInserts?: boolean | undefined;
  /** Cluster of which the server is a part. The ports must then be chosen beforehand. */
  cluster?: Cluster;
  log: StackLog;
};

export type RunningClickHouse = {
  /** `http://heartline:<password>@127.0.0.1:<port>/<database>` */
  url: string;
  /** `clickhouse://heartline:<password>@127.0.0.1:<port>/<database>`, for clients of the native protocol. */
  nativeUrl: string;
  /** The port of that address. */
  tcpPort: number;
  /** The current process. It changes with a restart. */
  readonly pid: number;
  /** Restarts the server as after a crash; see Supervised. */
  restart(reason: string): boolean;
  /** Stops the server, and kills it after 10 s. */
  stop(): Promise<void>;
};

const startAttempts = 3;

const unconfinedText =
  'ClickHouse is not confined to its folder; only the checks of the service keep SQL from other files.';

/**
 * Starts the embedded ClickHouse server and keeps it running. Port, folder, database and users stay the same after a
 * crash. The server ends with this process, however this process ends.
 *
 * @throws StackError with one sentence for the operator.
 */
export async function startClickHouse(options: ClickHouseOptions): Promise<RunningClickHouse> {
  assertEmbeddable(process.platform, process.arch);
  const dir = resolve(options.dir);
  await makePrivateFolder(dir);
  const servicePassword = await keepSecret(join(dir, 'password'));
  const users: ClickHouseStart['users'] = {
    servicePassword,
    sqlPassword: sqlUserPassword(options.secretKey),
    database: options.database,
    readerTables: options.readerTables,
    readerViews: options.readerViews ?? [],
  };
  for (let attempt = 1; ; attempt++) {
    const [httpPort = 0, tcpPort = 0] = await findPorts([options.port ?? 0, options.tcpPort ?? 0]);
    try {
      const { cluster, memoryBytes, syncsInserts } = options;
      const start = {
        httpPort,
        tcpPort,
        users,
        memoryBytes,
        syncsInserts,
        ...(cluster !== undefined && { cluster }),
      };
      const server = await startOn(dir, start, options.log);
      const urlOf = (scheme: string, port: number) =>
        `${scheme}://${serviceUserName}:${servicePassword}@127.0.0.1:${port}/${options.database}`;
      return {
        url: urlOf('http', httpPort),
        nativeUrl: urlOf('clickhouse', tcpPort),
        tcpPort,
        get pid() {
          return server.pid;
        },
        restart: (reason) => server.restart(reason),
        stop: () => server.stop(),
      };
    } catch (error) {
      if (attempt === startAttempts || !mayStartLater(error, httpPort)) throw error;
    }
  }
}

async function startOn(dir: string, start: ClickHouseStart, log: StackLog): Promise<Supervised> {
  const name = 'ClickHouse';
  const entry = new URL('./clickhouse-child.js', import.meta.url);
  let reason: string | undefined;
  const launch = async (_port: number, signal: AbortSignal): Promise<Child> => {
    const child = await launchChild<ClickHouseStart>({ name, entry, dir, start, signal });
    reason = child.unconfinedBecause;
    return child;
  };
  const server = await supervise(name, launch, start.httpPort, log);
  if (reason !== undefined) log.warn({ store: name, reason }, unconfinedText);
  return server;
}

/**
 * The engine cannot choose a port itself, and another process may take the port that was found free. That process may
 * answer before the engine finds out. Besides, one of 1,434 first starts, several at a time on two cores, ended by itself
 * without a reason.
 */
function mayStartLater(error: unknown, port: number): boolean {
  if (!(error instanceof StackError)) return false;
  const { message } = error;
  return (
    message.includes('Address already in use') ||
    message === foreignAnswer(port) ||
    message.startsWith(refusedQuery) ||
    message.endsWith(noReason)
  );
}
