import { join, resolve } from 'node:path';
import { sqlUserPassword } from '../lib/secret-box.js';
import { launchChild } from './child.js';
import type { ClickHouseStart } from './clickhouse-child.js';
import { type Cluster, serviceUserName } from './clickhouse-config.js';
import { noReason } from './clickhouse-engine.js';
import { StackError } from './errors.js';
import { keepSecret, makePrivateFolder } from './files.js';
import { assertEmbeddable } from './platform.js';
import { findPorts } from './ports.js';
import { type StackLog, type Supervised, supervise } from './supervise.js';

export type ClickHouseOptions = {
  /** Folder of this store; made when absent. */
  dir: string;
  /** Name of the database, made when absent, and of the tables in it that the confined SQL user may read. */
  database: string;
  readerTables: readonly string[];
  /** The confined SQL user's password comes from it. */
  secretKey: string;
  /** HTTP and native TCP port of 127.0.0.1; 0, the default, is a free one. */
  port?: number;
  tcpPort?: number;
  /** Servers, this one among them, that it knows as a cluster; the ports then have to be chosen beforehand. */
  cluster?: Cluster;
  log: StackLog;
};

export type RunningClickHouse = {
  /** `http://heartline:<password>@127.0.0.1:<port>/<database>` */
  url: string;
  tcpPort: number;
  /** The present process; another one after a restart. */
  readonly pid: number;
  /** Ends the server, cleanly if that takes at most 10 s. */
  stop(): Promise<void>;
};

const startAttempts = 3;

/**
 * Starts the embedded ClickHouse server and keeps it running. It is given a free port, folder, database and users,
 * keeps all of them over a crash, and ends with this process, however that ends.
 *
 * @throws StackError with one plain sentence.
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
  };
  for (let attempt = 1; ; attempt++) {
    const [httpPort = 0, tcpPort = 0] = await findPorts([options.port ?? 0, options.tcpPort ?? 0]);
    try {
      const { cluster } = options;
      const start = { httpPort, tcpPort, users, ...(cluster !== undefined && { cluster }) };
      const server = await startOn(dir, start, options.log);
      return {
        url: `http://${serviceUserName}:${servicePassword}@127.0.0.1:${httpPort}/${options.database}`,
        tcpPort,
        get pid() {
          return server.pid;
        },
        stop: () => server.stop(),
      };
    } catch (error) {
      if (attempt === startAttempts || !mayStartLater(error)) throw error;
    }
  }
}

function startOn(dir: string, start: ClickHouseStart, log: StackLog): Promise<Supervised> {
  const name = 'ClickHouse';
  const entry = new URL('./clickhouse-child.js', import.meta.url);
  return supervise(
    name,
    (_port, signal) => launchChild<ClickHouseStart>({ name, entry, dir, start, signal }),
    start.httpPort,
    log,
  );
}

/**
 * The engine cannot choose a port itself, and another process may take the one that was found free for it. And of 1,434
 * first starts, several at a time on two cores, one ended by itself without a reason.
 */
function mayStartLater(error: unknown): boolean {
  if (!(error instanceof StackError)) return false;
  return error.message.includes('Address already in use') || error.message.endsWith(noReason);
}
