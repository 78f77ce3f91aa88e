import t from 'tap';
import { captureLog } from '../support/capture-log.js';
import { startTestService } from '../support/service.js';

const { log, entries, text } = captureLog();
const api = await startTestService(t, { log });

t.test('a missing table: one plain sentence for the client, the reason in the log', async (t) => {
  const event = (endpoint: string) => [{ endpoint, status: 200 }];
  t.equal((await api.post('/api/v1/events', event('/known'))).status, 202);
  await api.stores.sql`ALTER TABLE endpoints RENAME TO endpoints_elsewhere`;
  const answer = await api.post('/api/v1/events', event('/new'), { headers: { 'x-request-id': 'broken-1' } });
  t.equal(answer.status, 503);
  t.strictSame(answer.body, {
    error: 'The store cannot be reached right now. Retry later.',
    code: 'store.unavailable',
  });
  t.match(answer.headers.get('retry-after'), /^\d+$/);
  const entry = entries().find(({ requestId, level }) => requestId === 'broken-1' && Number(level) >= 50);
  t.match(JSON.stringify(entry), /relation .*endpoints.* does not exist/);
  t.equal((await api.post('/api/v1/events', event('/known'))).status, 202, 'known names still work');
  await api.stores.sql`ALTER TABLE endpoints_elsewhere RENAME TO endpoints`;
  t.equal((await api.post('/api/v1/events', event('/new'))).status, 202, 'and then all names work');
});

t.test('a read that fails', async (t) => {
  await api.stores.clickhouse.command({ query: 'RENAME TABLE reports TO reports_elsewhere' });
  const answer = await api.get('/api/v1/analytics/reporters?window=3600', {
    authorization: `Bearer ${api.readKey}`,
    'x-request-id': 'broken-2',
  });
  t.ok(answer.status >= 500, `${answer.status}`);
  const body = JSON.stringify(answer.body);
  t.match(answer.body, { error: String });
  t.notMatch(body, /reports|Table|DB::|Code:|heartline_test|at .*\.js|node_modules/i);
  t.ok(entries().some(({ requestId, level }) => requestId === 'broken-2' && Number(level) >= 50));
  await api.stores.clickhouse.command({ query: 'RENAME TABLE reports_elsewhere TO reports' });
});

t.test('the log never contains a key, whole or its secret part', async (t) => {
  const unknown = `key_ingest_${'q'.repeat(43)}`;
  for (const key of [api.ingestKey, api.readKey, api.incidentKey, unknown, `${api.ingestKey}x`]) {
    await api.post('/api/v1/events', [], { key });
    await api.post(`/api/v1/nowhere?key=${key}`, [], { key });
    await api.get(`/api/v1/analytics/requests?key=${key}`, { authorization: `Bearer ${key}` });
  }
  t.ok(entries().length > 15, 'requests are logged');
  for (const key of [api.ingestKey, api.readKey, api.incidentKey, api.otherIngestKey, unknown]) {
    t.notOk(text().includes(key.slice(-30)), key.slice(0, 15));
  }
});
