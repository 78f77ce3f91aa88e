import { join } from 'node:path';
import t from 'tap';
import type { DatabaseHealthAnswer } from '../../contract/database-health.js';
import { systemClock } from '../../lib/clock.js';
import { countedIn, examples, settingsFor, startExample } from '../support/example.js';
import { setPage } from '../support/pages.js';
import { untilStored } from '../support/pool-reports.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const { sql, databaseUrl } = api.stores;
await setPage({ sql, clock: systemClock }, { slug: 'acme', databaseHealthEnabled: true });

t.test('the service reports its requests and its pool', async (t) => {
  const cwd = join(examples, 'fastify-pg');
  const env = { ...settingsFor(api), DATABASE_URL: databaseUrl };
  const stock = await startExample(t, ['server.js'], { cwd, env });
  for (const item of ['tea', 'coffee']) {
    const answer = await fetch(`${stock.url}/items/${item}`);
    t.strictSame(await answer.json(), { item, pieces: 7 });
  }
  t.strictSame(await stock.stop(), { code: 0, complaints: '' });
  t.strictSame(await countedIn(api), ['GET /items/:item 200: 2']);
  await untilStored(sql);
  const { body } = await api.get('/api/v1/analytics/database-health', {
    authorization: `Bearer ${api.readKey}`,
  });
  const { current } = body as DatabaseHealthAnswer; // A 200 has this form.
  t.match(current.pools, [
    { system: 'postgresql', target: 'stock', pool: 'main', coverage: 'complete', snapshot: { busy: 0 } },
  ]);
});
