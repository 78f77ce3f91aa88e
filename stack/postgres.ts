import { join, resolve } from 'node:path';
import { keepSecret, makePrivateFolder } from './files.js';
import { findPorts } from './ports.js';
import { findBinaries } from './postgres/binaries.js';
import { prepareDataFolder, serverAccount } from './postgres/data-folder.js';
import { type Listening, launchPostgres } from './postgres/launch.js';
import { endPredecessor } from './postgres/predecessor.js';
import { type StackLog, supervise } from './supervise.js';

export type PostgresOptions = {
  /** Folder of the store; created when absent. */
  dir: string;
  /** TCP port of 127.0.0.1. When absent, the server listens on a socket in its folder, where its path is short enough. */
  port?: number;
  log: StackLog;
};

export type RunningPostgres = {
  /**
   * `postgres://heartline:<password>@<host>:<port>/postgres`, for this service, psql and other programs with libpq. The
   * host is the folder of the socket with `/` as `%2F`, or 127.0.0.1.
   */
  url: string;
  /** The current process. It changes with a restart. */
  readonly pid: number;
  /** Stops the server, and kills it after 16 s. */
  stop(): Promise<void>;
};

/** Every system takes a path of this length, which Linux ends with a zero in 108 bytes, and macOS in 104. */
const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107;
/** Part of the name of the socket; nothing listens on the port. */
const socketPort = 5432;

/**
 * Starts the embedded PostgreSQL server and keeps it running; address and folder stay the same after a crash. The server
 * ends with this process, however this process ends. What it acknowledged survives a power failure.
 *
 * @throws StackError with one sentence for the operator.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dir = resolve(options.dir);
  await makePrivateFolder(dir);
  const passwordFile = join(dir, 'password');
  const password = await keepSecret(passwordFile);
  const binaries = await findBinaries(join(dir, 'lib'));
  await endPredecessor(dir);
  const listening = await chooseAddress(dir, options.port);
  const server = await supervise(
    'PostgreSQL',
    async (_port, signal) => {
      await prepareDataFolder(dir, binaries, passwordFile, signal);
      return launchPostgres({ dir, binaries, listening, signal });
    },
    listening.port,
    options.log,
  );
  const host =
    listening.socketFolder === undefined ? '127.0.0.1' : encodeURIComponent(listening.socketFolder);
  return {
    url: `postgres://${serverAccount.user}:${password}@${host}:${listening.port}/${serverAccount.database}`,
    get pid() {
      return server.pid;
    },
    stop: () => server.stop(),
  };
}

async function chooseAddress(dir: string, port: number | undefined): Promise<Listening> {
  if (port === undefined && Buffer.byteLength(`${dir}/.s.PGSQL.${socketPort}`) <= socketPathBytesMax) {
    return { socketFolder: dir, port: socketPort };
  }
  const [free = 0] = await findPorts([port ?? 0]);
  return { socketFolder: undefined, port: free };
}
