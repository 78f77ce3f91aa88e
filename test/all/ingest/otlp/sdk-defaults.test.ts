import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { readRequests } from '../../../support/rollups.js';
import { startTestService } from '../../../support/service.js';
import { waitUntil } from '../../../support/wait-until.js';
import { modules } from '../../packages.js';

/**
 * A process with the OpenTelemetry SDK for Node.js whose only settings are its name, the endpoint and the key. It sends spans
 * and cumulative metrics of the same requests, and each request counts once.
 */
const api = await startTestService(t, { otlpGrpcPort: 0 });
const register = '@opentelemetry/auto-instrumentations-node/register';

/** Requests that a program serves: method, path, how often, and the status. */
const requests: [method: string, path: string, times: number, status: number][] = [
  ['GET', '/carts/', 40, 200],
  ['POST', '/carts/', 10, 201],
  ['GET', '/refused/', 7, 403],
  ['GET', '/fails/', 5, 500],
  ['GET', '/nowhere/', 6, 404],
];

const servers = {
  http: `
    const statuses = { '/carts': { GET: 200, POST: 201 }, '/refused': { GET: 403 }, '/fails': { GET: 500 } };
    const server = require('node:http').createServer((request, response) => {
      const route = request.url.slice(0, request.url.lastIndexOf('/'));
      response.statusCode = statuses[route]?.[request.method] ?? 404;
      response.end('done');
    });`,
  express: `
    const express = require('express');
    const app = express();
    app.get('/carts/:id', (request, response) => response.send('done'));
    app.post('/carts/:id', (request, response) => response.sendStatus(201));
    app.get('/refused/:id', (request, response) => response.sendStatus(403));
    app.get('/fails/:id', () => { throw new TypeError('The card was refused.'); });
    app.set('env', 'test');
    const server = require('node:http').createServer(app);`,
};

/** Sends every request, and ends as a process of a container does: the SDK sends the rest at SIGTERM. */
const drive = `
  server.listen(0, '127.0.0.1', async () => {
    for (const [method, path, times] of ${JSON.stringify(requests)})
      for (let i = 0; i < times; i += 1)
        await (await fetch('http://127.0.0.1:' + server.address().port + path + i, { method })).text();
    server.close();
    server.closeAllConnections();
    process.kill(process.pid, 'SIGTERM');
  });`;

async function run(program: string, service: string, env: Record<string, string>): Promise<string> {
  const args = ['--require', register, '--eval', program];
  const child = spawn(process.execPath, args, {
    cwd: modules,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      // The SDK asks whether it runs at Google; this is where nothing answers.
      METADATA_SERVER_DETECTION: 'none',
      OTEL_SERVICE_NAME: service,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${api.ingestKey}`,
      ...env,
    },
  });
  t.teardown(() => child.kill('SIGKILL'));
  const [said] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return said;
}

/** The number of requests by method, endpoint and status. */
async function countsOf(service: string): Promise<Record<string, number>> {
  await api.settle();
  await waitUntil('the store has the blocks', async () => {
    const { sql } = api.stores;
    return (await sql`select 1 from held_blocks union all select 1 from delivery_batches`).length === 0;
  });
  const counts: Record<string, number> = {};
  for (const row of await readRequests(api.stores.clickhouse)) {
    if (row.service !== service || row.requests === 0) continue;
    const name = `${row.method} ${row.endpoint} ${row.status}`;
    counts[name] = (counts[name] ?? 0) + row.requests;
  }
  return counts;
}

const endpoints = {
  http: () => 'unmatched',
  express: (path: string, status: number) => (status === 404 ? 'unmatched' : `${path}:id`),
};

for (const server of ['http', 'express'] as const)
  for (const protocol of ['http/protobuf', 'grpc'] as const)
    t.test(`the defaults of the SDK, ${server} over ${protocol}: each request counts once`, async (t) => {
      const service = `${server}-${protocol}`;
      const isGrpc = protocol === 'grpc';
      const said = await run(servers[server] + drive, service, {
        OTEL_EXPORTER_OTLP_ENDPOINT: isGrpc ? `http://127.0.0.1:${api.service.otlpGrpcPort}` : api.url,
        ...(isGrpc && { OTEL_EXPORTER_OTLP_PROTOCOL: protocol }),
      });
      t.notMatch(said, /error/i, 'the exporters say no error');
      const expected: Record<string, number> = {};
      for (const [method, path, times, status] of requests) {
        const name = `${method} ${endpoints[server](path, status)} ${status}`;
        expected[name] = (expected[name] ?? 0) + times;
      }
      t.same(await countsOf(service), expected);
    });

t.test('the failures of Express have their message and a sample with the trace', async (t) => {
  const read = async (path: string) =>
    (await api.get(`/api/v1/analytics/${path}`, { authorization: `Bearer ${api.readKey}` })).body;
  const { messages } = (await read('messages')) as { messages: { service: string; message: string }[] };
  const said = messages.filter(({ service }) => service.startsWith('express'));
  t.match(said, [{ message: 'The card was refused.' }, { message: 'The card was refused.' }]);
});
