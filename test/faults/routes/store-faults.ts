import type { TcpGate } from '../../support/tcp-gate.js';
import { waitUntil } from '../../support/wait-until.js';
import { childrenOf, postgresCommand, signalServers } from '../running-service.js';

export const stores = ['PostgreSQL', 'ClickHouse'] as const;
export type Store = (typeof stores)[number];

export type StoreFault = {
  /** Such as `PostgreSQL suspended`. */
  name: string;
  /** The stores that it hits. */
  stores: readonly Store[];
  /** Whether the stores remain unavailable until `end`. */
  lasts: boolean;
  begin(): Promise<void>;
  /** Ends the fault; the service may notice later. */
  end(): Promise<void>;
};

const entries = { PostgreSQL: postgresCommand, ClickHouse: 'clickhouse-child.js' };

/** The stores are processes that this one has started. */
export function suspended(hit: readonly Store[]): StoreFault {
  let pids: number[] = [];
  return {
    name: `${hit.join(' and ')} suspended`,
    stores: hit,
    lasts: true,
    async begin() {
      pids = await Promise.all(hit.map(pidOf));
      await signalServers(pids, 'SIGSTOP');
    },
    async end() {
      await signalServers(pids, 'SIGCONT');
    },
  };
}

/** Whoever started a store starts it again, after about a second. */
export function killed(store: Store): StoreFault {
  return {
    name: `${store} killed`,
    stores: [store],
    lasts: false,
    begin: async () => {
      process.kill(await pidOf(store), 'SIGKILL');
    },
    end: async () => {},
  };
}

/** As after a kill without a restart. The service reaches the store through the gate. */
export function refusing(store: Store, gate: TcpGate): StoreFault {
  return { name: `${store} refusing`, stores: [store], lasts: true, begin: gate.close, end: gate.open };
}

/** Connections open, and nothing passes through them. */
export function unreachable(store: Store, gate: TcpGate): StoreFault {
  return {
    name: `${store} unreachable`,
    stores: [store],
    lasts: true,
    begin: async () => gate.stall(),
    async end() {
      await gate.close();
      await gate.open();
    },
  };
}

async function pidOf(store: Store): Promise<number> {
  let pid: number | undefined;
  await waitUntil(`${store} runs`, async () => {
    const children = await childrenOf(process.pid);
    pid = children.find(({ command }) => command.includes(entries[store]))?.pid;
    return pid !== undefined;
  });
  return pid ?? 0;
}
