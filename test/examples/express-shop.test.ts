import { join } from 'node:path';
import t from 'tap';
import { countedIn, examples, settingsFor, startExample } from '../support/example.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);

t.test('the shop reports the templates of nested routers, and everything before it ends', async (t) => {
  const cwd = join(examples, 'express-shop');
  const shop = await startExample(t, ['server.js'], { cwd, env: settingsFor(api) });
  const statuses = [];
  for (const path of ['/shops/s1/items', '/shops/s1/items/tea', '/shops/s2/items/coffee', '/none'])
    statuses.push((await fetch(shop.url + path)).status);
  statuses.push((await fetch(`${shop.url}/shops/s1/carts/c7/checkout`, { method: 'POST' })).status);
  t.strictSame(statuses, [200, 200, 200, 404, 503]);
  t.strictSame(await shop.stop(), { code: 0, complaints: '' });
  t.strictSame(await countedIn(api), [
    'GET /shops/:shop/items 200: 1',
    'GET /shops/:shop/items/:item 200: 2',
    'GET unmatched 404: 1',
    'POST /shops/:shop/carts/:cart/checkout 503: 1',
  ]);
  const answer = await api.get('/api/v1/analytics/reporters', { authorization: `Bearer ${api.readKey}` });
  t.match(answer.body, { reporters: [{ name: 'Shop', requests: 5, errors: 1, expectedEverySeconds: 30 }] });
});
