import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { captureLog } from '../support/capture-log.js';
import { openConnection, postHead } from '../support/raw-http.js';
import { startAnother, startTestService, type TestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const log = captureLog();
const api = await startTestService(t, { log: log.log });
const host = 'acme.localhost';
const events = JSON.stringify({ events: [{ endpoint: '/a', status: 200 }] });

type Line = Record<string, unknown>;

const linesOf = (id: string): Line[] => log.entries().filter(({ requestId }) => requestId === id);

/** Sends a part of a request, hangs up, and returns what the log says about the request. */
async function hangUp(t: Test, service: TestService, head: string, body: string | Buffer): Promise<Line[]> {
  const [, id = ''] = /x-request-id: (\S+)/.exec(head) ?? [];
  const connection = await openConnection(t, service.url);
  connection.send(Buffer.concat([Buffer.from(head), Buffer.from(body)]));
  // The service has read what came before.
  await service.get('/healthz');
  connection.socket.destroy();
  await waitUntil('the request has ended', () => linesOf(id).length > 0);
  return linesOf(id);
}

async function countOf(service: TestService, route: string): Promise<Record<string, number>> {
  const text = String((await service.get('/metrics')).body);
  const form = new RegExp(`_seconds_count\\{route="${route}",method="\\w+",status="(\\d+)"\\} (\\d+)`, 'g');
  return Object.fromEntries([...text.matchAll(form)].map(([, status, count]) => [status, Number(count)]));
}

t.test('a caller that hangs up in its body is a 499 at debug level', async (t) => {
  const cases: [name: string, path: string, body: Buffer, headers: Record<string, string>][] = [
    ['plain', '/api/v1/events', Buffer.from(events), { authorization: `Bearer ${api.ingestKey}` }],
    [
      'deflated',
      '/api/v1/events',
      gzipSync(events),
      { authorization: `Bearer ${api.ingestKey}`, 'content-encoding': 'gzip' },
    ],
    ['incident', '/api/v1/incidents', Buffer.from('{}'), { authorization: `Bearer ${api.incidentKey}` }],
    ['form', '/subscribe', Buffer.from('email='), { 'content-type': 'application/x-www-form-urlencoded' }],
    ['refused', '/api/v1/events', Buffer.from(events), { authorization: 'Bearer none' }],
  ];
  for (const [id, path, body, headers] of cases) {
    const head = postHead(path, { host, 'x-request-id': id, 'content-length': 5_000, ...headers });
    const lines = await hangUp(t, api, head, body.subarray(0, body.length - 1));
    t.match(lines, [{ level: 20, status: 499, msg: 'Request answered.' }], id);
    t.equal(lines.length, 1, `${id}: and nothing else is logged`);
  }
  t.strictSame(await countOf(api, '/api/v1/events'), { 499: 3 });
  t.strictSame(await countOf(api, '/subscribe'), { 499: 1 });
});

t.test('and one that hangs up while the request waits', async (t) => {
  const gate = await openTcpGate(t, api.stores.clickhouseUrl);
  const slow = await startAnother(t, api, { clickhouseUrl: gate.url, log: log.log });
  const head = (id: string, path: string, key: string, length: number) =>
    postHead(path, {
      ...{ host, 'x-request-id': id, authorization: `Bearer ${key}`, 'content-length': length },
    });
  const body = JSON.stringify({ sql: 'SELECT 1' });
  // The key is in memory afterwards.
  t.equal((await slow.post('/api/v1/analytics/sql', { sql: 'SELECT 1' }, { key: api.readKey })).status, 200);
  gate.stall();
  const running = head('sql', '/api/v1/analytics/sql', api.readKey, body.length);
  for (let i = 0; i < 3; i += 1) {
    // Two run at a time, and the third one waits.
    const lines = await hangUp(t, slow, running.replace(': sql', `: sql-${i}`), body);
    t.match(lines, [{ level: 20, status: 499 }]);
    t.equal(lines.length, 1);
  }
  t.strictSame(await countOf(slow, '/api/v1/analytics/sql'), { 200: 1, 499: 3 });
  t.strictSame(
    log.entries().filter(({ level, requestId }) => Number(level) > 20 && requestId !== undefined),
    [],
  );
  await gate.close();
  await gate.open();
});
