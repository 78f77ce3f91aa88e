import { createServer, type RequestListener } from 'node:http';
import t, { type Test } from 'tap';
import Type from 'typebox';
import { type Client, createClient } from '../../../cli/client/client.js';
import { overHttp } from '../../../cli/client/over-http.js';
import { listenUntilEnd } from '../../support/listen.js';

const key = `key_manage_${'a'.repeat(43)}`;
const answer = Type.Object({ name: Type.String() });

async function openClient(t: Test, handle: RequestListener): Promise<Client> {
  const port = await listenUntilEnd(t, createServer(handle));
  return createClient(overHttp({ url: new URL(`http://127.0.0.1:${port}/below/`), key }));
}

t.test('sends the key, goes on below the path of the address, and leaves out unknown fields', async (t) => {
  const remote = await openClient(t, (req, res) => {
    t.match(req, { url: '/below/api/v1/x', headers: { authorization: `Bearer ${key}` } });
    res.end('{"name": "a", "new": 1}');
  });
  t.strictSame(await remote.send('GET', '/api/v1/x', { answer }), { name: 'a' });
});

t.test('refuses answers that no installation gives', async (t) => {
  const answers: [status: number, body: string, sentence: RegExp][] = [
    [200, '<html>', /answers GET \/x in an unknown form/],
    [200, '{"name": 1}', /in an unknown form/],
    [302, '', /answers with the status 302, and not as Heartline does/],
    [502, '<html>', /answers with the status 502, and not as Heartline does/],
  ];
  for (const [status, body, sentence] of answers) {
    const remote = await openClient(t, (_req, res) =>
      res.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body),
    );
    const error: Error = await remote.send('GET', '/x', { answer }).then(t.fail, (reason) => reason);
    t.match(error.message, sentence);
    t.notMatch(error.message, key);
  }
});

t.test('tells errors apart that have no code, or one of a later version', async (t) => {
  for (const more of ['', ', "code": "monitor.gone_by_2030"']) {
    const remote = await openClient(t, (_req, res) =>
      res.writeHead(404).end(`{"error": "Not here."${more}, "hint": "Look there."}`),
    );
    const error = await remote.send('GET', '/x', { answer }).then(t.fail, (reason) => reason);
    t.match(error, { kind: 'notFound', message: 'Not here.', hint: 'Look there.' });
  }
});

t.test('asks nothing under a name that leads to another route', async (t) => {
  let requests = 0;
  const remote = await openClient(t, (_req, res) => {
    requests += 1;
    res.end('{"name": "a"}');
  });
  for (const name of ['..', '.', '']) {
    const path = await remote.pathOf(name);
    await t.rejects(
      remote.send('GET', `${path}/monitors`, { answer }),
      /which nothing is named/,
      `"${name}"`,
    );
    await t.rejects(remote.list(path, answer), /which nothing is named/, `a list of "${name}"`);
  }
  t.equal(requests, 0);
});

t.test('keeps the sentence and the hint of a refusal', async (t) => {
  const remote = await openClient(t, (_req, res) =>
    res.writeHead(409).end('{"error": "It is taken.", "code": "page.slug_taken", "hint": "Use another."}'),
  );
  await t.rejects(remote.send('GET', '/x', { answer }), {
    kind: 'conflict',
    message: 'It is taken.',
    hint: 'Use another.',
  });
});

t.test('sends again what was one request too many, and nothing else', async (t) => {
  let requests = 0;
  const remote = await openClient(t, (req, res) => {
    requests += 1;
    if (req.url === '/below/late')
      res.writeHead(503, { 'retry-after': '0' }).end('{"error": "Later.", "code": "overloaded"}');
    else if (requests < 3)
      res.writeHead(429, { 'retry-after': '0' }).end('{"error": "Too many.", "code": "rate_limited"}');
    else res.end('{"name": "a"}');
  });
  t.strictSame(await remote.send('GET', '/x', { answer }), { name: 'a' });
  t.equal(requests, 3);
  await t.rejects(remote.send('GET', '/late', { answer }), { message: 'Later.' });
  t.equal(requests, 4);
});

t.test('a download ends with its signal, also while it waits to be sent again', async (t) => {
  for (const isPutOff of [false, true]) {
    let requests = 0;
    const ending = new AbortController();
    const remote = await openClient(t, (_req, res) => {
      requests += 1;
      if (isPutOff) res.writeHead(429, { 'retry-after': '60' }).end('{"error": "Too many."}');
      // Later than the answer.
      setTimeout(() => ending.abort(new Error('Interrupted.')), 50);
    });
    await t.rejects(remote.download('/x', {}, ending.signal), { message: 'Interrupted.' });
    t.equal(requests, 1);
  }
});
