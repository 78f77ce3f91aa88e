import { Agent } from 'node:http';
import { createAsk } from '../ask.js';
import { type Attack, inParallel } from './attack.js';

const perPage = 4;
const pages = 2;
const queries = [
  'SELECT hasAny(range(900000), range(1000000, 1900000))',
  'SELECT hasAll(range(900000), range(1000000, 1900000))',
  'SELECT length(arrayIntersect(range(900000), range(100000, 1000000)))',
  'SELECT arrayCount(x -> has(range(900000), x + 1000000), range(900000))',
  'SELECT countEqual(range(1000000), number) FROM numbers(1000000)',
  'SELECT count() FROM numbers(100000000) WHERE cityHash64(number) % 7 = 3',
  'SELECT arraySort(x -> -x, groupArray(number)) FROM numbers(1000000)',
];

/** Pages run the most expensive SQL that the service takes, as many at a time as it lets them. */
export const sql: Attack = {
  title: 'SQL of tenants',
  async run({ url, tenants }, signal, tally) {
    const agent = new Agent({ keepAlive: true });
    const ask = createAsk(url, agent);
    let turn = 0;
    try {
      await inParallel(perPage * pages, signal, async (place) => {
        const query = queries[turn++ % queries.length];
        const key = tenants.loud[place % pages]?.readKey;
        const { status } = await ask({
          method: 'POST',
          path: '/api/v1/analytics/sql',
          key,
          body: { sql: query },
        });
        tally.add(status || 'none');
      });
    } finally {
      agent.destroy();
    }
  },
};
