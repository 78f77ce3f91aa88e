import t from 'tap';
import { pagePath } from '../../../web/dashboard/reads/api-path.js';
import { fetchJson, type ReadError, sendJson } from '../../../web/dashboard/reads/fetch-json.js';

const statusOf = (read: Promise<unknown>) =>
  read.then(
    () => 'an answer',
    ({ status }: ReadError) => status,
  );

t.test('a name of the address bar that leads to another route is not found, and asks nothing', async (t) => {
  const fetched = t.capture(globalThis, 'fetch', async () => new Response('{}'));
  const incidentOf = (name: string) => pagePath('acme', `/incidents/${encodeURIComponent(name)}`);
  for (const name of ['..', '.', '']) {
    t.equal(await statusOf(fetchJson(incidentOf(name))), 404, `reading "${name}"`);
    t.equal(await statusOf(sendJson('DELETE', incidentOf(name))), 404, `deleting "${name}"`);
  }
  t.strictSame(fetched(), []);
  await fetchJson(incidentOf('%2e%2e'));
  t.match(fetched(), [{ args: ['/api/v1/pages/acme/incidents/%252e%252e'] }]);
});
