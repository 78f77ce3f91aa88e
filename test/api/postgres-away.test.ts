import t from 'tap';
import { outage } from '../support/incidents.js';
import { requestAt } from '../support/request-at.js';
import { startAnother, startTestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const first = await startTestService(t);
const gate = await openTcpGate(t, first.stores.databaseUrl);
const api = await startAnother(t, first, { databaseUrl: gate.url });

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const requests = {
  'the ledger': () => requestAt(api.url, 'acme.localhost', '/api/public/acme/incidents'),
  reporters: () => api.get('/api/v1/analytics/reporters?window=3600', bearer(api.readKey)),
  'a new incident': () => api.post('/api/v1/incidents', outage, { key: api.incidentKey }),
};

t.test('while PostgreSQL is away, what needs it answers 503; afterwards it goes on', async (t) => {
  for (const [what, request] of Object.entries(requests)) {
    const { status } = await request();
    t.ok(status < 300, `${what} is answered ${status} before`);
  }
  await gate.close();
  for (const [what, request] of Object.entries(requests)) {
    const { status, headers, body } = await request();
    t.equal(status, 503, what);
    t.match(headers.get('retry-after'), /^\d+$/);
    t.strictSame(body, { error: 'The store cannot be reached right now. Retry later.' });
  }
  await gate.open();
  for (const [what, request] of Object.entries(requests))
    await waitUntil(`${what} is answered again`, async () => (await request()).status < 300);
});
