import t from 'tap';
import { captureLog } from '../support/capture-log.js';
import { startTestService } from '../support/service.js';

const { log, entries } = captureLog();
const api = await startTestService(t, { log });
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const answered = async (path: string, headers: Record<string, string> = {}) =>
  (await api.get(path, headers)).headers.get('x-request-id') ?? '';

t.test('an id that was sent is in the answer and in the log, on success and on failure', async (t) => {
  for (const id of ['a', 'trace-1:2.3_4', 'x'.repeat(128)]) {
    t.equal(await answered('/healthz', { 'x-request-id': id }), id);
    t.equal(await answered('/nowhere', { 'x-request-id': id }), id);
    t.ok(entries().some(({ requestId, status }) => requestId === id && status === 404));
  }
});

t.test('an invalid id is replaced by a new one', async (t) => {
  for (const id of ['', 'a b', 'x'.repeat(129), '<script>', 'a"b', 'ä', '{"a":1}']) {
    t.match(await answered('/healthz', { 'x-request-id': encodeURI(id) === id ? id : 'a b' }), uuid, id);
  }
  const [one, two] = [await answered('/healthz'), await answered('/healthz')];
  t.match(one, uuid);
  t.not(one, two);
});

t.test('refused event batches have an id', async (t) => {
  const answer = await api.post('/api/v1/events', '{', { key: null, headers: { 'x-request-id': 'batch-7' } });
  t.equal(answer.status, 401);
  t.equal(answer.headers.get('x-request-id'), 'batch-7');
});
