import { Agent } from 'node:http';
import { createAsk } from '../ask.js';
import { type Attack, inParallel } from './attack.js';

const connections = 32;
const paths = ['/metrics', '/readyz', '/healthz', '/openapi.json'];

/** Many connections ask for what the service says about itself. */
export const health: Attack = {
  title: '/metrics and /readyz',
  async run({ url }, signal, tally) {
    const agent = new Agent({ keepAlive: true });
    const ask = createAsk(url, agent);
    let turn = 0;
    try {
      await inParallel(connections, signal, async () => {
        const path = paths[turn++ % paths.length] ?? '/';
        const { status } = await ask({ path });
        tally.add(`${path} ${status || 'none'}`);
      });
    } finally {
      agent.destroy();
    }
  },
};
