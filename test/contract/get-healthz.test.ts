import t from 'tap';
import { startAnother, startTestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';

const api = await startTestService(t);

t.test('200: the process is alive', async (t) => {
  const answer = await api.get('/healthz');
  t.equal(answer.status, 200);
  t.strictSame(answer.body, { status: 'ok' });
  t.equal(answer.headers.get('cache-control'), 'no-store');
});

t.test('200: whatever the state of the stores', async (t) => {
  const gate = await openTcpGate(t, api.stores.clickhouseUrl);
  const instance = await startAnother(t, api, { clickhouseUrl: gate.url });
  await gate.close();
  t.equal((await instance.get('/healthz')).status, 200);
});
