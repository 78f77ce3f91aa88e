import { randomBytes, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { newSecret } from '../../../lib/secrets/secrets.js';
import { createAsk, type Question } from '../ask.js';
import { type Attack, inParallel } from './attack.js';

const connections = 300;

/** Each is looked up, because nobody has used it before. */
const questions: readonly ((host: string) => Question)[] = [
  () => ({ method: 'POST', path: '/api/v1/events', key: `key_ingest_${newSecret()}`, body: { events: [] } }),
  () => ({ path: `/ping/ping_${newSecret()}` }),
  (host) => ({ path: `/logo/${randomBytes(32).toString('hex')}`, host }),
  () => ({ path: '/', host: `${randomUUID()}.localhost` }),
  (host) => ({ path: `/api/public/${randomUUID()}/summary`, host }),
];

/** Without a key: made-up keys, tokens, logos, hosts and slugs, none of them twice. */
export const madeUp: Attack = {
  title: 'made-up keys, tokens, hosts and slugs',
  async run({ url, tenants }, signal, tally) {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const ask = createAsk(url, agent);
    try {
      await inParallel(connections, signal, async (place) => {
        const host = tenants.loud[place % tenants.loud.length]?.host ?? '';
        const question = questions[place % questions.length]?.(host) ?? { path: '/' };
        const { status } = await ask(question);
        tally.add(`${question.path.split('/')[1] || 'host'} ${status || 'none'}`);
      });
    } finally {
      agent.destroy();
    }
  },
};
