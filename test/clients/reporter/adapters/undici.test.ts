import { createServer } from 'node:http';
import { createReporter, type RequestEvent } from '@heartline/reporter';
import { heartline } from '@heartline/reporter/undici';
import t from 'tap';
import { Agent, request } from 'undici';
import { findClosedPort } from '../../../support/probe-target.js';
import { startReceiver } from '../../../support/receiver.js';
import { essence } from './check-adapter.js';
import { createRecorder, listen } from './support.js';

const server = createServer((req, res) => {
  if (req.url === '/hang') return;
  if (req.url === '/cut') return void req.socket.destroy();
  if (req.url === '/moved') return void res.writeHead(302, { location: '/there' }).end();
  if (req.url === '/early') res.writeEarlyHints({ link: '</a.css>; rel=preload' });
  res.writeHead(Number(/\d{3}/.exec(req.url ?? '')?.[0] ?? 200)).end('a'.repeat(100_000));
});
const url = await listen(t, server);
const { host } = new URL(url);
const endpoint = `outgoing ${host}`;

t.test('counts what fetch and undici send, by the host alone', async (t) => {
  const { reporter, take } = createRecorder();
  t.teardown(heartline(reporter));
  await fetch(`${url}/accounts/a-42-z?key=secret`, { headers: { authorization: 'secret' } });
  const events = await take(1);
  t.strictSame(events.map(essence), [{ endpoint, method: 'GET', status: 200 }]);
  t.notMatch(JSON.stringify(events).replace(host, ''), /a-42-z|secret/);

  await request(`${url}/503`, { method: 'POST', body: 'x' });
  t.strictSame((await take(1)).map(essence), [{ endpoint, method: 'POST', status: 503 }]);

  await fetch(`${url}/moved`);
  t.strictSame(
    (await take(2)).map(({ status }) => status),
    [302, 200],
    'a redirect is a request of its own',
  );
  await request(`${url}/early`);
  t.strictSame((await take(1)).map(essence), [{ endpoint, method: 'GET', status: 200 }]);
});

t.test('counts requests without a response', async (t) => {
  const { reporter, take } = createRecorder();
  t.teardown(heartline(reporter));
  const statusOf = async (sending: Promise<unknown>): Promise<number | undefined> => {
    await t.rejects(sending, 'the error is passed on');
    return (await take(1))[0]?.status;
  };
  const port = await findClosedPort();
  t.equal(await statusOf(fetch(`http://127.0.0.1:${port}/`)), 502, 'nobody listens');
  t.equal(await statusOf(fetch(`${url}/cut`)), 502, 'the connection is cut');
  const impatient = new Agent({ headersTimeout: 20 });
  t.teardown(() => impatient.destroy());
  t.equal(await statusOf(request(`${url}/hang`, { dispatcher: impatient })), 504, 'it takes too long');
  t.equal(
    await statusOf(fetch(`${url}/hang`, { signal: AbortSignal.timeout(20) })),
    504,
    'and for the caller',
  );
  const controller = new AbortController();
  const sending = fetch(`${url}/hang`, { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  t.equal(await statusOf(sending), 499, 'the caller gives up');
});

t.test('takes the template of the host program', async (t) => {
  const { reporter, take } = createRecorder();
  const stop = heartline(reporter, {
    template({ origin, method, path }) {
      if (path === '/broken') throw new Error('broken');
      return path.startsWith('/accounts/') ? `${method} ${origin} /accounts/:id` : undefined;
    },
  });
  for (const path of ['/accounts/42', '/others/1', '/broken']) await fetch(url + path);
  t.strictSame(
    (await take(3)).map((event) => event.endpoint),
    [`GET ${url} /accounts/:id`, endpoint, endpoint],
  );
  stop();
  const stopped = createRecorder();
  const other = heartline(stopped.reporter);
  other();
  await fetch(url);
  t.strictSame(stopped.events, []);
});

t.test('adds the message of an error when asked to', async (t) => {
  const { reporter, take } = createRecorder();
  t.teardown(heartline(reporter, { messages: true }));
  await t.rejects(fetch(`${url}/cut`));
  t.match(await take(1), [{ status: 502, message: 'other side closed' }]);
});

t.test('does not count what the reporter itself sends', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = ({ body }) => {
    const { events } = JSON.parse(body) as { events: RequestEvent[] };
    return { status: 202, body: JSON.stringify({ accepted: events.length, rejected: 0 }) };
  };
  const reporter = createReporter({ url: receiver.url, key: 'key_ingest_1', service: 'shop' });
  t.teardown(heartline(reporter));
  await fetch(url);
  await reporter.flush();
  await reporter.flush();
  await reporter.stop();
  const sent = receiver.received.flatMap(
    ({ body }) => (JSON.parse(body) as { events: RequestEvent[] }).events,
  );
  t.strictSame(
    sent.map((event) => event.endpoint),
    [endpoint],
  );
});
