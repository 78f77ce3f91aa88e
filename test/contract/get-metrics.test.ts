import t from 'tap';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);

async function readMetrics(): Promise<string> {
  return String((await api.get('/metrics')).body);
}

t.test('200: the Prometheus text format', async (t) => {
  const answer = await api.get('/metrics');
  t.equal(answer.status, 200);
  t.match(answer.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  for (const line of String(answer.body).split('\n')) {
    t.ok(/^(# (HELP|TYPE) \S+ .+|[a-zA-Z_:][\w:]*(\{.*\})? [-+.\deINna]+|)$/.test(line), line);
  }
});

t.test('events by outcome, blocks, and requests by route template', async (t) => {
  const events = [{ endpoint: '/a', status: 200 }, { endpoint: '/b', status: 200 }, { endpoint: '/a' }, null];
  t.equal((await api.post('/api/v1/events', events)).status, 202);
  const many = Array.from({ length: 203 }, (_, i) => ({ endpoint: `/${i}`, status: 200 }));
  t.equal((await api.post('/api/v1/events', many)).status, 202);
  t.equal((await api.get('/nowhere/secret-path')).status, 404);
  const text = await readMetrics();
  for (const line of [
    'heartline_events_accepted_total 202',
    'heartline_events_rejected_total{reason="status"} 1',
    'heartline_events_rejected_total{reason="notAnObject"} 1',
    'heartline_events_rejected_total{reason="endpointsPerBatch"} 3',
    'heartline_block_events_total 202',
    'heartline_block_insert_failures_total 0',
    'heartline_events_waiting 0',
    'heartline_http_request_seconds_count{route="/api/v1/events",method="POST",status="202"} 2',
    'heartline_http_request_seconds_count{route="none",method="GET",status="404"} 1',
  ]) {
    t.ok(text.split('\n').includes(line), line);
  }
});

t.test('neither a tenant nor a path as it was sent is in them', async (t) => {
  const text = await readMetrics();
  for (const secret of [api.pageId, 'acme', api.ingestKey, 'secret-path'])
    t.notOk(text.includes(secret), secret);
});
