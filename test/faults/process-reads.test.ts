import { Agent } from 'node:http';
import t, { type Test } from 'tap';
import { requestAt } from '../support/request-at.js';
import type { Answer } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';
import { childrenOf, type Installation, install, onLinux } from './running-service.js';

const processesOf = async (parent: number): Promise<number[]> =>
  (await childrenOf(parent)).filter(({ command }) => command.includes('serve')).map(({ pid }) => pid);

/** A client with one connection, which one of the processes serves. */
type Connection = { post(endpoint: string): Promise<Answer>; read(): Promise<Answer> };

function connect(t: Test, { service, ingestKey, readKey }: Installation): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const send = (path: string, key: string, body?: string) =>
    requestAt(service.url, '127.0.0.1', path, {
      ...{ agent, headers: { authorization: `Bearer ${key}` } },
      ...(body !== undefined && { method: 'POST', body }),
    });
  return {
    post: (endpoint) =>
      send('/api/v1/events', ingestKey, JSON.stringify([{ service: 'shop', endpoint, status: 200 }])),
    read: () => send('/api/v1/analytics/requests?from=now-2h', readKey),
  };
}

const countOf = ({ body }: Answer): number =>
  (body as { series: { points: { count: number }[] }[] }).series // The tests check the status first.
    .flatMap(({ points }) => points)
    .reduce((sum, { count }) => sum + count, 0);

const asOf = ({ headers }: Answer): number => Date.parse(headers.get('heartline-as-of') ?? '');

t.test('a read through any process shows what each has acknowledged', onLinux, async (t) => {
  const installed = await install(t, { HEARTLINE_WORKERS: '2' });
  await waitUntil('both run', async () => (await processesOf(installed.service.pid)).length === 2);
  // Connections go to the processes in turn, so both serve some of the readers.
  const writer = connect(t, installed);
  const readers = Array.from({ length: 4 }, () => connect(t, installed));
  let sent = 0;
  for (let round = 0; round < 20; round += 1) {
    for (const reader of readers) {
      t.match(await writer.post('/read'), { status: 202 });
      sent += 1;
      const begun = Date.now();
      const answers = await Promise.all([reader.read(), reader.read()]);
      for (const answer of answers) {
        t.equal(answer.status, 200);
        t.equal(countOf(answer), sent, `${sent} events were acknowledged`);
        t.ok(asOf(answer) >= begun, 'the answer says that it has all');
      }
    }
  }
});

t.test('a process that is suspended makes reads through the other older', onLinux, async (t) => {
  const installed = await install(t, { HEARTLINE_WORKERS: '2' });
  const connections = Array.from({ length: 4 }, () => connect(t, installed));
  await waitUntil('both answer for each other', async () => {
    const begun = Date.now();
    const answers = await Promise.all(connections.map((one) => one.read()));
    return answers.every((answer) => asOf(answer) >= begun);
  });
  const [suspended = 0] = await processesOf(installed.service.pid);
  process.kill(suspended, 'SIGSTOP');
  const suspendedAt = Date.now();
  const asked = connections.map((one) => one.read());
  const answer = await Promise.any(asked);
  t.equal(answer.status, 200);
  t.ok(asOf(answer) <= suspendedAt, 'the other process answers, and says that events may be missing');
  t.ok(Date.now() - suspendedAt < 5_000, 'in time');
  process.kill(suspended, 'SIGCONT');
  await Promise.all(asked);
  const begun = Date.now();
  for (const one of connections) t.ok(asOf(await one.read()) >= begun, 'both show everything again');
});
