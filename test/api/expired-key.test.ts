import t from 'tap';
import { makeMovingClock } from '../support/moving-clock.js';
import { makeKey } from '../support/pages.js';
import { startTestService, withoutJobs } from '../support/service.js';

const clock = makeMovingClock();
const api = await startTestService(t, { clock, roles: withoutJobs });
const deps = { sql: api.stores.sql, clock };
const event = [{ service: 'shop', endpoint: '/', status: 200 }];

t.test('a key stops at its end, on the fast path and elsewhere, although memory has it', async (t) => {
  const expiresAt = new Date(clock.now() + 60_000);
  const { key } = await makeKey(deps, { slug: 'acme', scope: 'ingest', expiresAt });
  const { key: manageKey } = await makeKey(deps, { slug: 'acme', scope: 'manage', expiresAt });
  const page = () => api.get('/api/v1/pages/acme', { authorization: `Bearer ${manageKey}` });
  const post = (path = '/api/v1/events') => api.post(path, event, { key });
  for (let i = 0; i < 2; i += 1) t.equal((await post()).status, 202);
  t.equal((await page()).status, 200);
  clock.advance(30_000);
  t.equal((await post()).status, 202);
  clock.advance(30_000);
  t.equal((await post()).status, 401);
  t.equal((await post('/api/v1/events?slow=path')).status, 401);
  t.equal((await page()).status, 401);
  t.equal((await api.post('/api/v1/events', event)).status, 202, 'others go on');
});
