import { setTimeout as sleep } from 'node:timers/promises';
import { type Installation, kill } from './installation.js';
import type { Send } from './send.js';
import type { LogWatch } from './watch-log.js';

const kinds = [
  'ClickHouse killed',
  'ClickHouse suspended',
  'PostgreSQL killed',
  'PostgreSQL suspended',
  'service killed',
  'process killed',
] as const;
export type FaultKind = (typeof kinds)[number];

/** The fault, and the time until the service was ready again. */
export type Fault = { kind: FaultKind; seconds: number };

const suspendedMs = { min: 3_000, max: 15_000 };
const readyMsMax = 120_000;

type Deps = { installation: Installation; log: LogWatch; send: Send; random: () => number };

/** Causes the faults in random order, each of them once before any repeats. */
export function createFaults({ installation, log, send, random }: Deps) {
  const faults: Fault[] = [];
  let deck: FaultKind[] = [];

  function draw(): FaultKind {
    if (deck.length === 0) deck = [...kinds];
    const [kind] = deck.splice(Math.floor(random() * deck.length), 1);
    return kind ?? kinds[0];
  }

  async function suspend(pid: number): Promise<void> {
    kill(pid, 'SIGSTOP');
    await sleep(suspendedMs.min + random() * (suspendedMs.max - suspendedMs.min));
    kill(pid, 'SIGCONT');
  }

  async function killChild(kind: 'clickhouse' | 'postgres' | 'process'): Promise<void> {
    const pids = await installation.children(kind);
    const pid = pids[Math.floor(random() * pids.length)];
    if (pid === undefined) throw new Error(`No ${kind} runs that could be killed.`);
    log.noteKilled(pid);
    kill(pid, 'SIGKILL');
  }

  const suspendStore = async (kind: 'clickhouse' | 'postgres') => {
    for (const pid of await installation.children(kind)) await suspend(pid);
  };

  const strikeOf: Record<FaultKind, () => Promise<void>> = {
    'ClickHouse killed': () => killChild('clickhouse'),
    'ClickHouse suspended': () => suspendStore('clickhouse'),
    'PostgreSQL killed': () => killChild('postgres'),
    'PostgreSQL suspended': () => suspendStore('postgres'),
    'service killed': () => installation.killService(),
    'process killed': () => killChild('process'),
  };

  return {
    faults,
    /** Resolves when the service reports that it is ready again. */
    async strike(onBegin: (kind: FaultKind) => void): Promise<Fault> {
      const kind = draw();
      onBegin(kind);
      const startedAt = performance.now();
      const secondsSince = () => (performance.now() - startedAt) / 1000;
      await strikeOf[kind]();
      const deadline = performance.now() + readyMsMax;
      while ((await send({ method: 'GET', path: '/readyz' }))?.status !== 200) {
        if (performance.now() > deadline) {
          log.findings.push(`${kind}: the service is not ready after ${secondsSince().toFixed(0)} s`);
          break;
        }
        await sleep(100);
      }
      const fault = { kind, seconds: secondsSince() };
      faults.push(fault);
      return fault;
    },
  };
}
