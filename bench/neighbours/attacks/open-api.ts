import { Agent } from 'node:http';
import { createAsk } from '../ask.js';
import { type Attack, inParallel } from './attack.js';

const connections = 8;

/** Without a key: the largest fixed answer, as a client that takes no compression gets it. */
export const openApi: Attack = {
  title: '/openapi.json',
  async run({ url }, signal, tally) {
    const agent = new Agent({ keepAlive: true });
    const ask = createAsk(url, agent);
    try {
      await inParallel(connections, signal, async () => {
        const { status } = await ask({ path: '/openapi.json' });
        tally.add(status || 'none');
      });
    } finally {
      agent.destroy();
    }
  },
};
