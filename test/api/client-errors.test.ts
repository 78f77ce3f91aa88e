import t from 'tap';
import { askRaw, lines, openConnection, parseAnswer, postHead } from '../support/raw-http.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const authorization = `Bearer ${api.ingestKey}`;
const batch = '[{"endpoint":"/a","status":200}]';
const close = 'connection: close';
const host = 'host: test';

/** Each answer on a connection in order: its status, and its body as JSON. */
function splitAnswers(text: string): [status: number, body: unknown][] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .map(parseAnswer)
    .map(({ status, body }) => [status, JSON.parse(body)]);
}

t.test('whatever the parser or Node itself refuses is answered in the usual form', async (t) => {
  for (const [what, request, status, error] of [
    ['417', lines('GET /healthz HTTP/1.1', host, 'expect: something-else', close), 417, /Expect can only be/],
    [
      '417 of a list',
      lines('GET /readyz HTTP/1.1', host, 'expect: 100-continue, x', close),
      417,
      /Expect can only be/,
    ],
    ['no host', lines('GET /healthz HTTP/1.1', close), 400, /not valid HTTP/],
    ['a method in lower case', lines('get /healthz HTTP/1.1', host), 400, /not valid HTTP/],
    ['a made-up method', lines('FETCH /healthz HTTP/1.1', host), 400, /not valid HTTP/],
    ['a version that does not exist', lines('GET /healthz HTTP/1.2', host), 400, /not valid HTTP/],
    ['HTTP/2', lines('PRI * HTTP/2.0', '', 'SM'), 400, /not valid HTTP/],
    ['a space before a colon', lines('GET /healthz HTTP/1.1', 'host : test'), 400, /not valid HTTP/],
    [
      'two lengths',
      `${lines('POST /ping/x HTTP/1.1', host, 'content-length: 1', 'content-length: 2')}a`,
      400,
      /not valid HTTP/,
    ],
    [
      'length and chunks',
      `${lines('POST /ping/x HTTP/1.1', host, 'content-length: 1', 'transfer-encoding: chunked')}0\r\n\r\n`,
      400,
      /not valid HTTP/,
    ],
    [
      'a broken chunk',
      `${postHead('/api/v1/events', { authorization, 'transfer-encoding': 'chunked' })}zz\r\n`,
      400,
      /not valid HTTP/,
    ],
    [
      'a long chunk extension',
      `${postHead('/api/v1/events', { authorization, 'transfer-encoding': 'chunked' })}1;${'x'.repeat(20_000)}\r\n`,
      413,
      /too large/,
    ],
    ['431', lines('GET /healthz HTTP/1.1', host, `x: ${'x'.repeat(17_000)}`), 431, /headers are too large/],
    ['CONNECT', lines('CONNECT test:443 HTTP/1.1', 'host: test:443'), 405, /Method not allowed/],
    ['TRACE', lines('TRACE /healthz HTTP/1.1', host, close), 405, /Method not allowed/],
    ['TRACE of nothing', lines('TRACE /nowhere/at/all HTTP/1.1', host, close), 404, /Not found/],
    ['OPTIONS of everything', lines('OPTIONS * HTTP/1.1', host, close), 404, /Not found/],
  ] as const) {
    const answer = await askRaw(t, api.url, request);
    t.equal(answer.status, status, what);
    t.match(answer.head, /content-type: application\/json; charset=utf-8/i, what);
    t.match(answer.head, /connection: close/i, what);
    t.match(JSON.parse(answer.body), { error }, what);
  }
});

t.test('a 405 names the allowed methods, which a CONNECT has none of', async (t) => {
  t.match((await askRaw(t, api.url, lines('CONNECT test:443 HTTP/1.1', host))).head, /\r\nallow: (?:\r|$)/i);
  t.match(
    (await askRaw(t, api.url, lines('TRACE /healthz HTTP/1.1', host, close))).head,
    /allow: HEAD, GET/i,
  );
});

t.test('an Upgrade is ignored', async (t) => {
  for (const protocol of ['websocket', 'h2c']) {
    const head = ['GET /healthz HTTP/1.1', host, `upgrade: ${protocol}`, 'connection: upgrade, close'];
    t.match(await askRaw(t, api.url, lines(...head)), { status: 200, body: '{"status":"ok"}' });
  }
});

t.test('what follows a good request is refused after its answer', async (t) => {
  for (const wrong of ['HELO\r\n\r\n', lines('CONNECT test:443 HTTP/1.1', host)]) {
    const connection = await openConnection(t, api.url);
    const good = postHead('/api/v1/events', { authorization, 'content-length': batch.length }) + batch;
    connection.send(good + good + wrong);
    const answers = splitAnswers(await connection.readToEnd());
    t.match(answers, [
      [202, { accepted: 1 }],
      [202, { accepted: 1 }],
      [wrong.startsWith('HELO') ? 400 : 405, { error: String }],
    ]);
    t.equal(answers.length, 3);
  }
});

t.test('a body that breaks off is refused after the answers to earlier requests', async (t) => {
  const connection = await openConnection(t, api.url);
  const good = postHead('/api/v1/events', { authorization, 'content-length': batch.length }) + batch;
  connection.send(
    `${good}${postHead('/api/v1/events', { authorization, 'transfer-encoding': 'chunked' })}zz\r\n`,
  );
  const answers = splitAnswers(await connection.readToEnd());
  t.match(answers, [
    [202, { accepted: 1 }],
    [400, { error: 'The request is not valid HTTP.', code: 'request.not_http' }],
  ]);
});

t.test('a body that breaks off behind an answer from memory is refused, and hurts nobody else', async (t) => {
  const get = ['GET /api/public/acme/summary HTTP/1.1', 'host: acme.localhost'];
  for (let at = 0; at < 2; at += 1) t.match(await askRaw(t, api.url, lines(...get, close)), { status: 200 });
  const connection = await openConnection(t, api.url);
  connection.send(`${lines(...get)}${lines(...get, 'transfer-encoding: chunked')}zz\r\n`);
  const answers = splitAnswers(await connection.readToEnd());
  t.strictSame(
    answers.map(([status]) => status),
    [200, 400],
  );
  t.match(await askRaw(t, api.url, lines('GET /healthz HTTP/1.1', host, close)), { status: 200 });
});

t.test('a client that goes on sending what is not HTTP receives one answer', async (t) => {
  const connection = await openConnection(t, api.url);
  connection.send(`HELO\r\n\r\n`);
  await connection.readUntil(/not valid HTTP/);
  for (let at = 0; at < 10; at += 1) connection.send('x'.repeat(1_000));
  t.strictSame(splitAnswers(await connection.readToEnd()), [
    [400, { error: 'The request is not valid HTTP.', code: 'request.not_http' }],
  ]);
});
