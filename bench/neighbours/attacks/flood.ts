import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { createAsk } from '../ask.js';
import { type Attack, inParallel } from './attack.js';

const connections = 1_500;

/** Without a key: many connections ask the pages of the attacker for incidents that do not exist. */
export const flood: Attack = {
  title: 'flood without a key',
  async run({ url, tenants }, signal, tally) {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const ask = createAsk(url, agent);
    try {
      await inParallel(connections, signal, async (place) => {
        const { host } = tenants.loud[place % tenants.loud.length] ?? { host: 'none.localhost' };
        const { status } = await ask({ path: `/incidents/${randomUUID()}`, host });
        tally.add(status || 'none');
      });
    } finally {
      agent.destroy();
    }
  },
};
