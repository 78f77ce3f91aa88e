import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningStack } from '../../stack/stack-file.js';
import { freePort, startServiceProcess } from '../support/service-process.js';
import { makeSweptFolder } from '../support/swept-folder.js';
import type { AttackJob } from './attack-process.js';
import type { Attack } from './attacks/attack.js';
import { type AttackName, attacks } from './attacks/index.js';
import type { Heard, Kind, QuietJob } from './quiet-process.js';
import { makeTenants } from './tenants.js';
import { foldersMb, type Peaks, runningSql, tablesMb, watchPeaks } from './watch.js';

/** The effects of one attack on a fresh service. */
export type Measured = {
  name: AttackName;
  idle: Heard;
  attacked: Heard;
  /** Outcomes of the attacker's requests. */
  counts: Record<string, number>;
  memory: Record<'idle' | 'attacked' | 'after', Peaks>;
  /** By folder of the data folder. */
  diskMb: { before: Record<string, number>; after: Record<string, number> };
  tablesMb: { before: number; after: number };
  /** Bytes that the service logged during the attack. */
  logBytes: number;
  /** Queries of tenants' SQL that still ran `afterSeconds` after the attack; `undefined` when ClickHouse did not answer. */
  queriesLeft: number | undefined;
  exit?: string;
};

export type Durations = { idle: number; attack: number; after: number };
const heardUsually: readonly Kind[] = ['events', 'pages', 'ready'];
const warmSeconds = 6;
const stopMsMax = 20_000;

/**
 * Starts the service on new stores, and measures the quiet tenant before and during the attack.
 *
 * @param profile folder for a profile of the service.
 * @param main the command of another checkout in place of this one's; its schema must take what tenants.ts makes.
 */
export async function measure(
  name: AttackName,
  seconds: Durations,
  { profile, main }: { profile?: string | undefined; main?: string | undefined } = {},
): Promise<Measured> {
  const dataDir = await makeSweptFolder('heartline-neighbours-');
  let logged = 0;
  const env = {
    ...{ HEARTLINE_DATA_DIR: dataDir, PORT: '0', HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on' },
    ...{ HEARTLINE_CLICKHOUSE_MEMORY: '3GB', HEARTLINE_LOG_FORMAT: 'json' },
  };
  const onLine = (text: string) => {
    logged += text.length + 1;
  };
  const nodeOptions = [
    `--import=${new URL('./divert.js', import.meta.url)}`,
    ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
  ];
  const service = await startServiceProcess(env, onLine, [], nodeOptions, main);
  let ended: string | undefined;
  void service.exited.then((how) => {
    ended = how;
  });
  const { hears = heardUsually }: Attack = attacks[name];
  const children: ChildProcess[] = [];
  const memory = watchPeaks(service.pid);
  try {
    const stack = await findRunningStack(dataDir);
    if (stack === undefined) throw new Error('The service has not written stack.json.');
    const [storePort, webhookPort, quietPort] = [await freePort(), await freePort(), await freePort()];
    const ports = { storePort, webhookPort, quietPort };
    const tenants = await makeTenants(stack, ports);
    const quietProcess = forkOne('./quiet-process.js', children);
    const attackProcess = forkOne('./attack-process.js', children);
    const hear = (forSeconds: number): Promise<Heard> =>
      ask<QuietJob, Heard>(quietProcess, {
        ...{ url: service.url, quiet: tenants.quiet, port: ports.quietPort },
        ...{ kinds: hears, seconds: forSeconds },
      });
    const target = { url: service.url, tenants, ports };
    const attack = (job: AttackJob) => ask<AttackJob, Record<string, number>>(attackProcess, job);
    await attack({ name, target });
    await hear(warmSeconds);
    await memory.take();
    const idle = await hear(seconds.idle);
    const idleMemory = await memory.take();
    const before = { disk: await foldersMb(dataDir), tables: await tablesMb(stack), logged };
    const [attacked, counts] = await Promise.all([
      hear(seconds.attack),
      attack({ name, target, seconds: seconds.attack }),
    ]);
    const attackMemory = await memory.take();
    const logBytes = logged - before.logged;
    attackProcess.disconnect();
    await sleep(seconds.after * 1000);
    await memory.take();
    const isDown = ended !== undefined;
    return {
      ...{ name, idle, attacked, counts, logBytes },
      memory: { idle: idleMemory, attacked: attackMemory, after: await memory.take() },
      diskMb: { before: before.disk, after: await foldersMb(dataDir) },
      tablesMb: { before: before.tables, after: isDown ? Number.NaN : await tablesMb(stack) },
      queriesLeft: isDown ? undefined : await runningSql(stack),
      ...(ended !== undefined && { exit: ended }),
    };
  } finally {
    memory.end();
    for (const child of children) if (child.connected) child.disconnect();
    await stop(service);
    await rm(dataDir, { recursive: true, force: true });
  }
}

function forkOne(file: string, children: ChildProcess[]): ChildProcess {
  const child = fork(new URL(file, import.meta.url), { execArgv: [] });
  children.push(child);
  return child;
}

/** @throws Error when the process ends instead of answering. */
async function ask<Job extends object, Answer>(child: ChildProcess, job: Job): Promise<Answer> {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`A process of the benchmark ended with ${code}.`);
  });
  exited.catch(() => undefined);
  child.send(job);
  const [answer] = (await Promise.race([once(child, 'message'), exited])) as [Answer];
  return answer;
}

/** A service that does not end in time is killed; its stores end with it. */
async function stop({ pid, exited }: { pid: number; exited: Promise<string> }): Promise<void> {
  const kill = (signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  };
  kill('SIGTERM');
  const timer = setTimeout(() => kill('SIGKILL'), stopMsMax);
  await exited;
  clearTimeout(timer);
}
