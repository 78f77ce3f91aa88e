import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cliActor } from '../../control/audit/index.js';
import { createKey } from '../../control/keys/index.js';
import { createMonitor } from '../../control/monitors/index.js';
import { changePage, createPage } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { findRunningStack, type RunningStack } from '../../stack/stack-file.js';
import { type ChildKind, childrenOf, freePort, startServiceProcess } from '../support/service-process.js';
import { makeSweptFolder } from '../support/swept-folder.js';
import type { LogWatch } from './watch-log.js';

/** The service in two processes on its embedded stores; the soak restarts it whenever it has ended. */
export type Installation = {
  url: string;
  /** Process id of the parent process. */
  pid(): number;
  children(kind: ChildKind): Promise<number[]>;
  stack(): Promise<RunningStack>;
  /** Kills the service and starts it again; resolves when it listens. */
  killService(): Promise<void>;
  /** Sends SIGTERM; resolves with how the process ended. */
  stop(): Promise<string>;
  /** Everything in the folder of the log. */
  logEntries(): Promise<string[]>;
  /** Ends all running processes of the installation, and removes its folder. */
  remove(): Promise<void>;
};

export const slug = 'soak';
export const host = `${slug}.localhost`;
const processCount = 2;
const startsMax = 5;

export async function install(log: LogWatch): Promise<Installation> {
  const dataDir = await makeSweptFolder('heartline-soak-');
  const env = {
    ...{
      HEARTLINE_DATA_DIR: dataDir,
      PORT: String(await freePort()),
      HEARTLINE_WORKERS: String(processCount),
    },
    ...{ HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on', LOG_LEVEL: 'warn' },
  };
  let isPlanned = false;
  let service = await start();

  function start() {
    return startServiceProcess(env, log.onLine).then((started) => {
      isPlanned = false;
      void started.exited.then(
        (how) => isPlanned || log.findings.push(`the service ended by itself: ${how}`),
      );
      return started;
    });
  }

  async function restart(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        service = await start();
        return;
      } catch (error) {
        log.findings.push(`restart ${tries}: ${String(error)}`);
        if (tries === startsMax) throw error;
        await sleep(1_000);
      }
    }
  }

  async function killAll(): Promise<void> {
    isPlanned = true;
    const all = await everyProcess();
    for (const pid of all) kill(pid, 'SIGKILL');
    await service.exited;
  }

  async function everyProcess(): Promise<number[]> {
    const kinds: ChildKind[] = ['clickhouse', 'postgres', 'process'];
    return [service.pid, ...(await Promise.all(kinds.map((kind) => childrenOf(service.pid, kind)))).flat()];
  }

  return {
    url: service.url,
    pid: () => service.pid,
    children: (kind) => childrenOf(service.pid, kind),
    async stack() {
      const stack = await findRunningStack(dataDir);
      if (stack === undefined) throw new Error('The service has not written stack.json.');
      return stack;
    },
    async killService() {
      isPlanned = true;
      log.noteKilled(...(await everyProcess()));
      kill(service.pid, 'SIGKILL');
      await service.exited;
      await restart();
    },
    async stop() {
      isPlanned = true;
      kill(service.pid, 'SIGTERM');
      return service.exited;
    },
    logEntries: () => readdir(join(dataDir, 'log'), { recursive: true }),
    async remove() {
      await killAll();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Sends a signal to a process that may have ended. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}

export type Credentials = { ingestKey: string; readKey: string; incidentKey: string; monitorSlugs: string[] };

/** Creates a page with a key of each kind, and with monitors that check the service itself. */
export async function makePage({ url, stack }: Installation): Promise<Credentials> {
  const { databaseUrl, secretKey } = await stack();
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    const deps = { sql, clock: systemClock, secretKey, by: cliActor('bench') };
    const { id: pageId } = await createPage(deps, { slug, hostname: host });
    await changePage(deps, pageId, { databaseHealthEnabled: true });
    const monitorSlugs = ['alive', 'ready'];
    for (const [i, path] of ['/healthz', '/readyz'].entries()) {
      const name = monitorSlugs[i] ?? '';
      await createMonitor(deps, { pageId, slug: name, name, kind: 'http', url: `${url}${path}` });
    }
    const keyOf = async (scope: 'ingest' | 'read' | 'incident') =>
      (await createKey(deps, { pageId, scope })).key;
    return {
      ...{ ingestKey: await keyOf('ingest'), readKey: await keyOf('read') },
      ...{ incidentKey: await keyOf('incident'), monitorSlugs },
    };
  } finally {
    await sql.end({ timeout: 5 });
  }
}
