import t, { type Test } from 'tap';
import { askRaw, lines, type RawAnswer } from '../support/raw-http.js';
import { startTestService, unansweredSmtp } from '../support/service.js';

const api = await startTestService(t, { smtpUrl: unansweredSmtp });
const own = 'acme.localhost';
const elsewhere = 'other.localhost';
/** A page's answer from memory, one that the application makes, and a route that takes a key. */
const targets = ['GET /api/public/acme/summary', 'GET /healthz', 'POST /api/v1/events'] as const;

const ask = (t: Test, target: string, headers: readonly string[], version = '1.1'): Promise<RawAnswer> =>
  askRaw(t, api.url, lines(`${target} HTTP/${version}`, ...headers, 'connection: close'));

function isRefused(t: Test, { status, head, body }: RawAnswer, hint: RegExp, label: string): void {
  t.equal(status, 400, label);
  t.match(head, /content-type: application\/json[\s\S]*/i, label);
  t.match(head, /x-request-id: /i, label);
  t.match(
    JSON.parse(body),
    { error: 'The request is not valid HTTP.', code: 'request.not_http', hint },
    label,
  );
}

// The answer is in memory from here on.
t.equal((await ask(t, targets[0], [`host: ${own}`])).status, 200);

t.test('400: several Host lines, in whatever case and place', async (t) => {
  const many = Array.from({ length: 2_500 }, () => 'a:');
  for (const target of targets) {
    for (const headers of [
      [`host: ${own}`, `Host: ${elsewhere}`],
      [`host: ${own}`, `HOST: ${own}`],
      [`host: ${own}`, 'accept: */*', 'hOst:'],
      [`host: ${own}`, ...many, `host: ${elsewhere}`],
    ]) {
      isRefused(t, await ask(t, target, headers), /several Host headers/, `${target} ${headers.slice(0, 3)}`);
    }
  }
});

t.test('400: no Host line in HTTP/1.1; HTTP/1.0 needs none', async (t) => {
  for (const target of [...targets, `GET http://${own}/healthz`]) {
    isRefused(t, await ask(t, target, []), /no Host header/, target);
  }
  t.match(await ask(t, 'GET /healthz', [], '1.0'), { status: 200, body: '{"status":"ok"}' });
  t.equal((await ask(t, 'GET /api/public/acme/summary', [], '1.0')).status, 404, 'no page has no host');
});

t.test('400: a Host that names no host', async (t) => {
  for (const target of targets) {
    for (const host of [
      ...[`${own},${elsewhere}`, `${own} ${elsewhere}`, `user@${own}`, `user:secret@${own}`, `${own}/x`],
      ...[`${own}:80:80`, `${own}:http`, `http://${own}`, '[::1', '::1', `${own}?x`, `${own}#x`],
      ...[`${own}\\x`, '\xe4.localhost', `${own}%00`, `"${own}"`],
    ]) {
      isRefused(t, await ask(t, target, [`host: ${host}`]), /must be a host name/, `${target} ${host}`);
    }
  }
});

t.test('a host name in any usual form is taken', async (t) => {
  for (const host of [own, 'ACME.localhost', `${own}.`, `${own}:8080`, ` ${own} `]) {
    t.equal((await ask(t, targets[0], [`host: ${host}`])).status, 200, host);
  }
  for (const host of [
    '127.0.0.1:8080',
    '[::1]:8080',
    '[::ffff:127.0.0.1]',
    'my_service',
    'xn--bcher-kva.example',
    '',
  ]) {
    t.equal((await ask(t, 'GET /healthz', [`host: ${host}`])).status, 200, host);
  }
});

t.test('an absolute target decides the host, whatever the Host line says', async (t) => {
  for (const path of ['/api/public/acme/summary', '/feed.json', '/badge.json', '/embed.json', '/history']) {
    for (const host of [own, `${own}:8080`, 'ACME.localhost']) {
      const there = await ask(t, `GET http://${host}${path}`, [`host: ${elsewhere}`]);
      t.equal(there.status, 200, `${host}${path}`);
      t.equal(there.body, (await ask(t, `GET ${path}`, [`host: ${own}`])).body, path);
    }
    const nowhere = await ask(t, `GET http://nowhere.localhost${path}`, [`host: ${own}`]);
    // A badge says in its picture that there is no page.
    if (path === '/badge.json') t.match(nowhere, { status: 200, body: /"not found"/ });
    else t.equal(nowhere.status, 404, path);
    t.equal((await ask(t, `GET HTTPS://${own}${path}`, [`host: ${elsewhere}`])).status, 200, path);
  }
});

t.test('and keeps its query string', async (t) => {
  const ask200 = async (target: string) => {
    const { status, body } = await ask(t, target, ['host: nowhere.localhost']);
    t.equal(status, 200, target);
    return body;
  };
  t.match(await ask200(`GET http://${own}/badge.json?label=mine`), /"mine"/);
  t.match(await ask200(`GET http://${own}?range=7d`), /<html/);
});

t.test('and so for views, redirects and the form', async (t) => {
  const html = 'accept: text/html';
  const view = await ask(t, `GET http://${own}`, ['host: nowhere.localhost', html]);
  t.match(view, { status: 200, body: /<html lang="en"/ });
  const moved = await ask(t, `GET http://${own}/en`, ['host: nowhere.localhost']);
  t.match(moved, { status: 308, head: /location: \/en\/\r/i });
  const form = 'email=me%40example.com';
  const headers = (host: string) => [
    'host: nowhere.localhost',
    `origin: http://${host}`,
    `content-length: ${form.length}`,
  ];
  const post = (host: string) =>
    askRaw(
      t,
      api.url,
      lines(`POST http://${own}/subscribe HTTP/1.1`, ...headers(host), 'connection: close') + form,
    );
  t.equal((await post(own)).status, 200);
  t.equal((await post('nowhere.localhost')).status, 400, 'the form of another site');
});

t.test('400: an absolute target without a proper host', async (t) => {
  for (const target of [
    ...[
      `http://user@${own}/healthz`,
      `http://${own}:x/healthz`,
      `http://${own},x/healthz`,
      'http://[::1/healthz',
    ],
    ...['http:///healthz', 'http:healthz', 'ftp://acme.localhost/healthz', `http://${own}#x`, 'healthz', ''],
  ]) {
    const { status, body } = await ask(t, `GET ${target}`, [`host: ${own}`]);
    t.equal(status, 400, target);
    t.equal(JSON.parse(body).error, 'The request is not valid HTTP.', target);
  }
});

t.test('404: a path that cannot be decoded names nothing', async (t) => {
  for (const path of [
    '/api/public/%zz/summary',
    '/ping/%E0%A4%A',
    '/%zz',
    '/%',
    '/logo/%ff',
    '/%/feed.rss',
  ]) {
    const { status, body } = await ask(t, `GET ${path}`, [`host: ${own}`, 'accept: application/json']);
    t.equal(status, 404, path);
    t.equal(JSON.parse(body).error, 'Not found', path);
  }
  t.equal((await ask(t, 'GET /api/public/ac%6De/summary', [`host: ${own}`])).status, 200);
  t.equal(
    (await ask(t, 'GET /api/public/acme/summary?x=%zz', [`host: ${own}`])).status,
    200,
    'the query string may',
  );
});
