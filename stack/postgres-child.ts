import { cpSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { hourMs, minuteMs } from '../lib/times.js';
import { errorCode, StackError } from './errors.js';
import { exists } from './files.js';
import { portInUse, portOf } from './ports.js';
import { dropAbandonedSlot, dropAnySlot } from './postgres-backup-slot.js';
import { type Account, login } from './postgres-login.js';
import { SharedEngine } from './postgres-sessions.js';
import { fatalError } from './postgres-wire.js';
import { type OpenStore, serveParent } from './serve-parent.js';

/** Entry of the process of the embedded PostgreSQL: the engine behind a TCP server that asks for a password. */
export type PostgresStart = {
  port: number;
  account: Account;
  /** Folder of a stopped store; the new store starts as a copy of it. */
  templateDir?: string;
  /** Longest time for which a client may hold the engine without using it. */
  idleInTransactionMsMax: number;
};

const connectionsMax = 200;
/** The engine lacks the background processes of a server, which do these. */
const checkpointEveryMs = minuteMs;
const vacuumEveryMs = hourMs;
/** The default of 160 MB costs 110 MB of resident memory; the control tables are smaller than 32 MB. */
const postgresqlconf = ['shared_buffers=32MB', 'max_wal_size=128MB'];

/** Read at once: a launcher that is killed while this process starts must count as ended too. */
const launcherPid = process.ppid;

type Engine = (dataDir: string) => Promise<PGlite>;

serveParent<PostgresStart>(async (dir, start) => {
  const engine = await loadEngine();
  await makeDataFolder(engine, dir, start.templateDir);
  const db = await engine(join(dir, 'data'));
  endWithParent();
  const sessions = new SharedEngine(db, { idleMsMax: start.idleInTransactionMsMax, onBroken: endBroken });
  sessions.run(dropAnySlot);
  const server = await listen(start, sessions);
  const timers = [
    setInterval(() => sessions.run('CHECKPOINT'), checkpointEveryMs),
    setInterval(() => sessions.run('VACUUM ANALYZE'), vacuumEveryMs),
    setInterval(() => sessions.run(dropAbandonedSlot), vacuumEveryMs),
  ];
  return {
    port: portOf(server),
    async close() {
      timers.forEach(clearInterval);
      server.close();
      await sessions.close();
      await db.close();
    },
  } satisfies OpenStore;
});

async function loadEngine(): Promise<Engine> {
  const { PGlite } = await import('@electric-sql/pglite').catch((error: unknown) => {
    throw new StackError(
      'The embedded PostgreSQL is not installed; run npm ci with optional dependencies, or set DATABASE_URL.',
      { cause: error },
    );
  });
  return async (dataDir) => {
    let said = '';
    const onStderr = (text: string): boolean => {
      if (text.trim() !== '') said = text.trim();
      return true;
    };
    try {
      return await PGlite.create(dataDir, { onStderr, postgresqlconf });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StackError(`PostgreSQL did not start on ${dataDir}: ${said || reason}`, { cause: error });
    }
  };
}

/** Creates the data folder under another name first, because an incomplete folder would never start. */
async function makeDataFolder(engine: Engine, dir: string, templateDir: string | undefined): Promise<void> {
  if (await exists(join(dir, 'data'))) return;
  const unfinished = join(dir, 'data.new');
  await rm(unfinished, { recursive: true, force: true });
  // Nothing else runs yet, and 1,100 files take 0.1 s of processor time instead of 0.4 s with promises.
  if (templateDir !== undefined) cpSync(join(templateDir, 'data'), unfinished, { recursive: true });
  else await (await engine(unfinished)).close();
  await rename(unfinished, join(dir, 'data'));
}

function listen(start: PostgresStart, sessions: SharedEngine): Promise<Server> {
  const sockets = new Set<object>();
  const server = createServer({ noDelay: true }, (socket) => {
    // A broken connection is closed, and its session is cleaned up then.
    socket.on('error', () => {});
    if (sockets.size >= connectionsMax) {
      socket.end(fatalError('53300', 'sorry, too many clients already'));
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    login(socket, start.account, (rest) => sessions.add(socket, rest));
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(errorCode(error) === 'EADDRINUSE' ? portInUse(start.port) : error),
    );
    server.listen(start.port, '127.0.0.1', () => resolve(server));
  });
}

/** Ends the process. The launcher starts the store again, which recovers the data. */
function endBroken(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

/**
 * Ends the process when its parent has ended. The engine runs statements on the main thread without a pause, so that a
 * long statement would hide the end of the parent. A second thread therefore checks every half a second.
 */
function endWithParent(): void {
  const watch = `
    const { workerData: parent } = require('node:worker_threads');
    setInterval(() => {
      if (process.ppid !== parent) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1_500);
    }, 500);`;
  new Worker(watch, { eval: true, workerData: launcherPid }).unref();
}
