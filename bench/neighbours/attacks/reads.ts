import { Agent } from 'node:http';
import { type Ask, createAsk, type Tally } from '../ask.js';
import type { Tenant } from '../tenants.js';
import { type Attack, inParallel } from './attack.js';

const dayMs = 86_400_000;
const days = 13;
const batches = 60;
const services = 5;
const endpoints = 200;
const readers = 64;

/** A read key asks for the longest ranges of a page with many endpoints, as often as it can. */
export const reads: Attack = {
  title: 'analytics of a large page',
  async prepare({ url, tenants }, tally) {
    const agent = new Agent({ keepAlive: true });
    const [loud] = tenants.loud;
    if (loud !== undefined) await fill(createAsk(url, agent), loud, tally);
    agent.destroy();
  },
  async run({ url, tenants }, signal, tally) {
    const [loud] = tenants.loud;
    if (loud === undefined) return;
    const agent = new Agent({ keepAlive: true });
    const ask = createAsk(url, agent);
    try {
      let turn = 0;
      await inParallel(readers, signal, async () => {
        const path = pathsOf(Date.now())[turn++ % 3] ?? '/';
        const { status } = await ask({ path, key: loud.readKey });
        tally.add(status || 'none');
      });
    } finally {
      agent.destroy();
    }
  },
};

function pathsOf(now: number): string[] {
  const range = `from=${new Date(now - days * dayMs).toISOString()}&to=${new Date(now).toISOString()}`;
  return [
    `/api/v1/analytics/requests?groupBy=endpoint&step=86400&${range}`,
    `/api/v1/analytics/messages?${range}`,
    '/api/v1/analytics/reporters?window=1209600',
  ];
}

/** Rows of every endpoint over the whole retention. */
async function fill(ask: Ask, { ingestKey }: Tenant, tally: Tally): Promise<void> {
  const post = async (batch: number) => {
    const at = new Date(Date.now() - (batch / batches) * days * dayMs).toISOString();
    const events = Array.from({ length: services * endpoints }, (_, i) => ({
      ...{ service: `service-${i % services}`, endpoint: `/things/${i}`, status: 500 + (batch % 4) },
      ...{ ms: i, message: `failure ${batch}`, at },
    }));
    const body = { events };
    const { status } = await ask({ method: 'POST', path: '/api/v1/events', key: ingestKey, body });
    tally.add(`filled ${status}`);
    if (status === 202) tally.add('posted', JSON.stringify(body).length);
  };
  await Promise.all(Array.from({ length: batches }, (_, batch) => post(batch)));
}
