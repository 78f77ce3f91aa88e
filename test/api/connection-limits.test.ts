import t from 'tap';
import { openConnection, postHead } from '../support/raw-http.js';
import { countRequests } from '../support/rollups.js';
import { startTestService } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t, { bodyTimeoutMs: 300 });
const path = '/api/v1/events';
const authorization = `Bearer ${api.ingestKey}`;
const body = '[{"endpoint":"/a","status":200}]';

function splitAnswer(text: string): { head: string; error: unknown } {
  const [head = '', json = '{}'] = text.split('\r\n\r\n');
  return { head, error: JSON.parse(json).error };
}

t.test('431: headers of more than 16 KiB', async (t) => {
  const connection = await openConnection(t, api.url);
  connection.send(postHead(path, { authorization, 'x-long': 'x'.repeat(20_000), 'content-length': 2 }));
  const { head, error } = splitAnswer(await connection.readToEnd());
  t.match(head, /^HTTP\/1\.1 431 /);
  t.match(head, /content-type: application\/json/);
  t.equal(error, 'The request headers are too large.');
});

t.test('400: what is not HTTP', async (t) => {
  const connection = await openConnection(t, api.url);
  connection.send('HELO\r\n\r\n');
  const { head, error } = splitAnswer(await connection.readToEnd());
  t.match(head, /^HTTP\/1\.1 400 /);
  t.equal(error, 'The request is not valid HTTP.');
});

t.test('400: a body with two lengths, as in request smuggling', async (t) => {
  const connection = await openConnection(t, api.url);
  const headers = { authorization, 'content-length': body.length, 'transfer-encoding': 'chunked' };
  connection.send(`${postHead(path, headers)}0\r\n\r\n${body}`);
  t.match(await connection.readToEnd(), /^HTTP\/1\.1 400 /);
});

t.test('408: a body that stalls', async (t) => {
  const connection = await openConnection(t, api.url);
  connection.send(postHead(path, { authorization, 'content-length': body.length }) + body.slice(0, 10));
  const { head, error } = splitAnswer(await connection.readToEnd());
  t.match(head, /^HTTP\/1\.1 408 /);
  t.match(head, /connection: close/i);
  t.equal(error, 'The request body took too long to arrive.');
});

t.test('408: a body that trickles', async (t) => {
  const connection = await openConnection(t, api.url);
  connection.send(postHead(path, { authorization, 'transfer-encoding': 'chunked' }));
  const trickle = setInterval(() => connection.send('1\r\n \r\n'), 20);
  t.teardown(() => clearInterval(trickle));
  t.match(await connection.readUntil(/too long/), /^HTTP\/1\.1 408 /);
  clearInterval(trickle);
});

t.test('408: a compressed body that stalls', async (t) => {
  const connection = await openConnection(t, api.url);
  connection.send(postHead(path, { authorization, 'content-encoding': 'gzip', 'content-length': 100 }));
  t.match(await connection.readToEnd(), /^HTTP\/1\.1 408 /);
});

t.test('a client that disconnects in the middle of a body leaves nothing behind', async (t) => {
  const before = await countRequests(api.stores.clickhouse, api.pageId);
  for (const encoding of ['identity', 'gzip']) {
    const connection = await openConnection(t, api.url);
    const headers = { authorization, 'content-length': body.length + 1, 'content-encoding': encoding };
    connection.send(postHead(path, headers) + body);
    await new Promise((resolve) => connection.socket.write('', resolve));
    connection.socket.destroy();
  }
  await waitUntil('both have been noticed', async () =>
    /http_request_seconds_count\{[^}]*status="499"\} 2/.test(String((await api.get('/metrics')).body)),
  );
  t.equal(await countRequests(api.stores.clickhouse, api.pageId), before);
});

t.test('a refusal keeps the connection when the whole request was read', async (t) => {
  const connection = await openConnection(t, api.url);
  connection.send(postHead(path, { 'content-length': body.length }) + body);
  t.match(await connection.readUntil(/ingest key/), /^HTTP\/1\.1 401 /);
  connection.send(postHead(path, { authorization, 'content-length': body.length }) + body);
  t.match(await connection.readUntil(/"accepted"/), /HTTP\/1\.1 202 [\s\S]*"accepted":1/);
});

t.test('pipelined requests are answered in order', async (t) => {
  const connection = await openConnection(t, api.url);
  const one = (text: string) => postHead(path, { authorization, 'content-length': text.length }) + text;
  connection.send(one('{') + one(body) + one('[]'));
  const text = await connection.readUntil(/"accepted":0/);
  t.strictSame(
    [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['400', '202', '202'],
  );
});
