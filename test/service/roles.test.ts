import t from 'tap';
import { countRequests } from '../support/rollups.js';
import { startAnother, startTestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t, { roles: new Set(['api'] as const) });
const { sql, clickhouse } = api.stores;

t.test('an instance without the role api answers only health and metrics', async (t) => {
  const probe = await startAnother(t, api, { roles: new Set(['probe'] as const) });
  t.equal((await probe.get('/healthz')).status, 200);
  await waitUntil('it is ready', async () => (await probe.get('/readyz')).status === 200);
  t.match((await probe.get('/metrics')).body, /^heartline_check_lag_seconds_count 0$/m);
  t.equal((await probe.post('/api/v1/events', [])).status, 404);
  t.equal((await probe.get('/openapi.json')).status, 404);
});

t.test('an instance with the role deliver delivers what another one has buffered', async (t) => {
  t.match(await api.post('/api/v1/events', [{ endpoint: '/a', status: 200 }]), { status: 202 });
  await api.settle();
  t.equal(await countRequests(clickhouse, api.pageId), 1);
  const gate = await openTcpGate(t, api.stores.clickhouseUrl);
  const cut = await startAnother(t, api, {
    ...{ roles: new Set(['api'] as const), clickhouseUrl: gate.url, hasLog: false },
  });
  await gate.close();
  t.match(await cut.post('/api/v1/events', [{ endpoint: '/a', status: 200 }]), { status: 202 });
  await waitUntil(
    'the batch is in the buffer',
    async () => (await sql`select 1 from delivery_batches`).length === 1,
  );
  await startAnother(t, api, { roles: new Set(['deliver'] as const) });
  await waitUntil('the batch is delivered', async () => (await countRequests(clickhouse, api.pageId)) === 2);
  await waitUntil(
    'the batch has left the buffer',
    async () => (await sql`select 1 from delivery_batches`).length === 0,
  );
});

t.test('the limit of an incident key holds across instances', async (t) => {
  const another = await startAnother(t, api);
  const incident = { title: '', summary: '', startedAt: '' };
  const statuses: number[] = [];
  for (let i = 0; i < 62; i += 1) {
    const instance = i % 2 === 0 ? api : another;
    statuses.push((await instance.post('/api/v1/incidents', incident, { key: api.incidentKey })).status);
  }
  t.equal(statuses.filter((status) => status === 400).length, 60);
  t.same(statuses.slice(-2), [429, 429]);
});
