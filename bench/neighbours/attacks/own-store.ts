import { once } from 'node:events';
import { Agent } from 'node:http';
import { createAsk } from '../ask.js';
import { type StoreManner, storeManners } from '../tenants.js';
import { type Attack, inParallel } from './attack.js';
import { startHostileStore } from './hostile-store.js';

const readersPerStore = 3;
const reads = [
  '/api/v1/analytics/reporters',
  '/api/v1/analytics/requests?step=60',
  '/api/v1/analytics/messages',
];

/** Owners of pages read from stores of their own, which answer to hurt the service, and post events to one of them. */
export const ownStore: Attack = {
  title: 'stores of owners',
  async run({ url, tenants, ports }, signal, tally) {
    const store = await startHostileStore(ports.storePort);
    const agent = new Agent({ keepAlive: true });
    const ask = createAsk(url, agent);
    const read = async (manner: StoreManner, turn: number): Promise<void> => {
      const { readKey, ingestKey } = tenants.owners[manner];
      const path = reads[turn % reads.length] ?? '/';
      const range = `from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${new Date().toISOString()}`;
      const { status } =
        manner === 'forget'
          ? await ask({
              method: 'POST',
              path: '/api/v1/events',
              key: ingestKey,
              body: { events: [{ endpoint: '/forgotten', status: 200 }] },
            })
          : await ask({
              path: path.includes('reporters') ? path : `${path}${path.includes('?') ? '&' : '?'}${range}`,
              key: readKey,
            });
      tally.add(`${manner} ${status || 'none'}`);
    };
    const turns = storeManners.flatMap((manner) => Array.from({ length: readersPerStore }, () => manner));
    let turn = 0;
    try {
      await inParallel(turns.length, signal, (place) => read(turns[place] ?? 'rows', turn++));
    } finally {
      tally.add('MB from stores', Math.round(store.sentBytes() / 1e6));
      agent.destroy();
      store.close();
      await once(store.server, 'close');
    }
  },
};
