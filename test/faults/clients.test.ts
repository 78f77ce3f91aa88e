import t from 'tap';
import { limits } from '../../contract/limits.js';
import { openConnection, postHead } from '../support/raw-http.js';
import { countRequests } from '../support/rollups.js';
import { startAnother, startTestService } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad } from './load.js';
import { acknowledgers } from './running-service.js';

const path = '/api/v1/events';

for (const from of acknowledgers) {
  t.test(`clients that are slow or disconnect (${from})`, async (t) => {
    const first = await startTestService(t, { bodyTimeoutMs: 1_500, hasLog: from === 'log' });
    const { ingestKey, otherIngestKey, otherPageId, stores } = first;
    /** Clients that belong to another page than the load. */
    const headers = { authorization: `Bearer ${otherIngestKey}` };

    await t.test('slow clients get 408; others are answered meanwhile', async (t) => {
      const load = startLoad(t, () => first.url, ingestKey);
      const slow = await Promise.all(Array.from({ length: 100 }, () => openConnection(t, first.url)));
      for (const { send } of slow) send(postHead(path, { ...headers, 'transfer-encoding': 'chunked' }));
      const trickle = setInterval(() => {
        for (const { send } of slow) send('1\r\n \r\n');
      }, 100);
      const answers = await Promise.all(slow.map(({ readUntil }) => readUntil(/too long/)));
      clearInterval(trickle);
      await load.untilAccepted(20);
      await load.end();
      t.ok(answers.every((answer) => answer.startsWith('HTTP/1.1 408 ')));
      t.strictSame(
        load.sent.filter(({ status }) => status !== 202),
        [],
        'every batch was accepted',
      );
      await first.settle();
      t.equal(await countRequests(stores.clickhouse, otherPageId), 0, 'nothing of them is stored');
      await checkAccounts(t, stores.clickhouseUrl, load.sent);
    });

    await t.test('clients that disconnect in the middle of a body release their memory', async (t) => {
      const api = await startAnother(t, first, { hasLog: from === 'log' });
      const bytes = limits.eventBodyBytes;
      const part = Buffer.alloc(bytes - 1, ' ');
      // Together the bodies exceed the memory for all bodies in receipt.
      const going = await Promise.all(Array.from({ length: 140 }, () => openConnection(t, api.url)));
      for (const { send } of going) {
        send(postHead(path, { ...headers, 'content-length': bytes }));
        send(part);
      }
      const refused = await Promise.race(going.map(({ readUntil }) => readUntil(/as much as it can/)));
      t.match(refused, /^HTTP\/1\.1 503 /, 'as much is received as may be');
      for (const { socket } of going) socket.destroy();

      const body = JSON.stringify([{ endpoint: '/whole', status: 200 }]).padEnd(bytes);
      const send = () => api.post(path, body, { key: otherIngestKey });
      await waitUntil('others may send again', async () => (await send()).status === 202);
      const answers = await Promise.all(Array.from({ length: 20 }, send));
      t.ok(answers.every(({ status }) => status === 202));
      await api.settle();
      t.equal(await countRequests(stores.clickhouse, otherPageId), 21, 'nothing of the others is stored');
    });
  });
}
