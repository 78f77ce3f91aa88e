import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { handedFiles } from '../../service/hand-over.js';
import { errorCode } from '../../stack/errors.js';
import { findRunningStack } from '../../stack/stack-file.js';
import { usedDataFolder } from '../stack/support.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { isThirdTier } from '../support/tiers.js';
import { waitUntil } from '../support/wait-until.js';

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** `heartline serve` in a separate process, with its embedded stores. */
export type RunningService = {
  url: string;
  clickhouseUrl: string;
  databaseUrl: string;
  /** Folder of the logs of its processes. */
  logDir: string;
  pid: number;
  exited: Promise<Exit>;
  clickhousePid(): Promise<number>;
  postgresPid(): Promise<number>;
};

export type Installation = {
  dataDir: string;
  /** Keys of the page that the first start created. */
  ingestKey: string;
  incidentKey: string;
  readKey: string;
  service: RunningService;
  /** Restarts the service on the same folder after it has ended. */
  restart(): Promise<RunningService>;
};

/** From where events are acknowledged. */
export type Acknowledger = 'log' | 'PostgreSQL';
/** Tests of faults that make a difference to the two run with both in the third tier. */
export const acknowledgers: readonly Acknowledger[] = isThirdTier ? ['log', 'PostgreSQL'] : ['log'];

/** Options of a test that reads /proc. */
export const onLinux = process.platform === 'linux' ? {} : { skip: 'this machine has no /proc' };

const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const startTimeoutMs = 60_000;
/** The sentence of a service that does not start is its last. */
const complaintCharactersMax = 4_096;

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];
/** Starts the service. A wrapper must exec the service, because the tests watch its process. */
export const serve: Command = [process.execPath, main, 'serve'];

type Begin = {
  from?: Acknowledger;
  /** Starts the service on this data folder. */
  begin?(dataDir: string): Command | Promise<Command>;
};

/**
 * Starts the service on an empty installation, with additional variables. The service and its stores end with the test,
 * even if they are suspended.
 */
export async function install(
  t: Test,
  settings: Record<string, string> = {},
  { from = 'log', begin = () => serve }: Begin = {},
): Promise<Installation> {
  const dataDir = await usedDataFolder(t);
  // A file where the folder would be: the log cannot be written, and the embedded stores can.
  if (from === 'PostgreSQL') await writeFile(join(dataDir, 'log'), '');
  const env = {
    HEARTLINE_OTLP_GRPC_PORT: '0',
    ...settings,
    HEARTLINE_DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
  };
  const command = await begin(dataDir);
  const first = await start(t, env, command);
  const keys = await readFile(join(dataDir, handedFiles.keys), 'utf8');
  const keyOf = (scope: string): string => {
    const key = new RegExp(`^${scope} +(\\S+)$`, 'm').exec(keys)?.[1];
    if (key === undefined) throw new Error(`The service has written no key:\n${first.said}`);
    return key;
  };
  return {
    dataDir,
    ingestKey: keyOf('ingest'),
    incidentKey: keyOf('incident'),
    readKey: keyOf('read'),
    service: first.service,
    restart: async () => (await start(t, env, command)).service,
  };
}

/**
 * Starts the service on stores of the test, which outlive it: a start then takes a second.
 *
 * @param settings more variables. `HEARTLINE_DATA_DIR` gives it a log; without one PostgreSQL acknowledges.
 */
export async function serveOn(
  t: Test,
  { databaseUrl, clickhouseUrl }: { databaseUrl: string; clickhouseUrl: string },
  settings: Record<string, string> = {},
  command: Command = serve,
): Promise<RunningService> {
  const stores = {
    DATABASE_URL: databaseUrl,
    CLICKHOUSE_URL: clickhouseUrl,
    HEARTLINE_DATA_DIR: '/dev/null',
  };
  const env = {
    ...stores,
    HEARTLINE_SECRET_KEY: testSecretKey,
    PORT: '0',
    HEARTLINE_OTLP_GRPC_PORT: '0',
    LOG_LEVEL: 'silent',
    ...settings,
  };
  return (await start(t, env, command)).service;
}

/** Starts the service on existing embedded stores of a folder. */
export async function serveIn(t: Test, dataDir: string): Promise<RunningService> {
  const env = { HEARTLINE_DATA_DIR: dataDir, PORT: '0', HEARTLINE_OTLP_GRPC_PORT: '0', LOG_LEVEL: 'silent' };
  return (await start(t, env, serve)).service;
}

async function start(
  t: Test,
  env: Record<string, string>,
  [program, ...args]: Command,
): Promise<{ service: RunningService; said: string }> {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pid = child.pid ?? 0;
  t.teardown(() => endAll(child, pid));
  let said = '';
  let url: string | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (url !== undefined) return;
    said += text;
    // The last printed line; the output is complete when it appears.
    if (said.includes('/openapi.json\n\n')) url = /^Heartline listens on (\S+)$/m.exec(said)?.[1];
  });
  let complained = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complained = (complained + text).slice(-complaintCharactersMax);
    process.stderr.write(text);
  });
  const closed = once(child, 'close');
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await waitUntil(
    'the service listens',
    async () => {
      if (child.exitCode !== null) {
        await closed;
        throw new Error(`The service ended instead:\n${said}${complained}`);
      }
      return url !== undefined;
    },
    startTimeoutMs,
  );
  const stack = await findRunningStack(env['HEARTLINE_DATA_DIR'] ?? '');
  const clickhouseUrl = env['CLICKHOUSE_URL'] ?? stack?.clickhouseUrl;
  const databaseUrl = env['DATABASE_URL'] ?? stack?.databaseUrl;
  if (url === undefined || clickhouseUrl === undefined || databaseUrl === undefined)
    throw new Error('The service has not written stack.json.');
  const service = {
    ...{ url, pid, exited, clickhouseUrl, databaseUrl },
    logDir: join(env['HEARTLINE_DATA_DIR'] ?? '', 'log'),
    clickhousePid: () => childOf(pid, 'clickhouse-child.js'),
    postgresPid: () => childOf(pid, postgresCommand),
  };
  return { service, said };
}

/** A suspended store cannot notice that the service has ended. */
async function endAll(child: ChildProcess, pid: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const stores = await childrenOf(pid);
  child.kill('SIGKILL');
  for (const store of [...stores]) stores.push(...(await childrenOf(store.pid)));
  for (const store of stores) {
    try {
      process.kill(store.pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
  await waitUntil('all have ended', async () => (await Promise.all(stores.map(hasEnded))).every(Boolean));
}

const hasEnded = async (store: { pid: number }): Promise<boolean> =>
  (await readStat(store.pid)) === undefined;

/** Waits until a store of this kind runs as a child of the service. */
async function childOf(parent: number, entry: string): Promise<number> {
  let found: number | undefined;
  await waitUntil(`${entry} runs`, async () => {
    found = (await childrenOf(parent)).find((child) => child.command.includes(entry))?.pid;
    return found !== undefined;
  });
  return found ?? 0;
}

/** In the command line of the first process of a PostgreSQL. */
export const postgresCommand = 'native/bin/postgres';

/**
 * Suspends or continues servers with the processes that they have started: a PostgreSQL whose first process alone is
 * suspended goes on answering its clients.
 */
export async function signalServers(pids: readonly number[], signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  for (const pid of pids) {
    process.kill(pid, signal);
    for (const child of await childrenOf(pid)) {
      try {
        process.kill(child.pid, signal);
      } catch (error) {
        // A process that was vacuuming has ended meanwhile.
        if (errorCode(error) !== 'ESRCH') throw error;
      }
    }
  }
}

/** The running children of a process, from /proc. */
export async function childrenOf(parent: number): Promise<{ pid: number; command: string }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = [];
  for (const pid of pids) {
    if ((await readStat(pid))?.parent !== parent) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    found.push({ pid, command });
  }
  return found;
}

/** `undefined` if there is no such process, or if it has ended and waits to be reaped. */
async function readStat(pid: number): Promise<{ parent: number } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the command in parentheses, which may contain spaces and parentheses.
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === undefined || state === '' || state === 'Z' ? undefined : { parent: Number(parent) };
}

/** Waits until all of these processes have ended. */
export async function untilEnded(pids: readonly number[], timeoutMs: number): Promise<void> {
  await waitUntil(
    `the processes ${pids.join(', ')} have ended`,
    async () => (await Promise.all(pids.map((pid) => hasEnded({ pid })))).every(Boolean),
    timeoutMs,
  );
}
