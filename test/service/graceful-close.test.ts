import { once } from 'node:events';
import t from 'tap';
import { openConnection, postHead } from '../support/raw-http.js';
import { countRequests } from '../support/rollups.js';
import { startTestService } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t);
const path = '/api/v1/events';
const event = { endpoint: '/a', status: 200 };

t.test('a closing service answers and stores what it has accepted, and accepts nothing new', async (t) => {
  const idle = await openConnection(t, api.url);
  const busy = await openConnection(t, api.url);
  const body = JSON.stringify([event, event, event]);
  const headers = { authorization: `Bearer ${api.ingestKey}`, 'content-length': body.length };
  busy.send(postHead(path, headers) + body.slice(0, 10));
  const batches = Array.from({ length: 40 }, () => api.post(path, [event, event]).catch(() => undefined));
  await waitUntil('the first batches are accepted', async () =>
    /events_accepted_total [1-9]/.test(String((await api.get('/metrics')).body)),
  );
  const begin = performance.now();
  const closing = api.service.close();
  busy.send(body.slice(10));
  t.match(
    await busy.readUntil(/"accepted"/),
    /^HTTP\/1\.1 202 [\s\S]*"accepted":3/,
    'a body in flight is answered',
  );
  const answers = (await Promise.all(batches)).filter((answer) => answer !== undefined);
  await closing;
  t.ok(performance.now() - begin < 10_000, 'idle connections do not delay the close');
  t.ok(answers.every(({ status }) => status === 202 || status === 503));
  const accepted = answers.filter(({ status }) => status === 202).length;
  t.ok(accepted > 0);
  const stored = await countRequests(api.stores.clickhouse, api.pageId);
  t.equal(stored, accepted * 2 + 3, 'exactly the acknowledged events are stored');
  if (!idle.socket.closed) await once(idle.socket, 'close');
  await t.rejects(fetch(`${api.url}/healthz`));
});
