import { Agent } from 'node:http';
import { createAsk } from '../ask.js';
import { type Attack, inParallel } from './attack.js';

const perPage = 4;
const pages = 2;
/** Each of them is taken, and runs until a limit of time, memory or rows, or for as long as its work takes. */
const queries = [
  "SELECT countIf(match(toString(number), '(1+)+2')) FROM numbers(100000000)",
  'SELECT count() FROM numbers(40000) AS a CROSS JOIN numbers(40000) AS b WHERE cityHash64(a.number, b.number) % 7 = 3',
  'SELECT uniqExact(number) FROM numbers(30000000)',
  'SELECT quantilesExact(0.5, 0.99)(number) FROM numbers(30000000)',
  'SELECT number FROM numbers(100000000) ORDER BY cityHash64(number) LIMIT 10',
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
