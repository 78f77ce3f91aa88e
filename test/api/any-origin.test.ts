import t from 'tap';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const host = 'acme.localhost';
const origin = 'https://shop.example';
const { paths } = (await api.get('/openapi.json')).body as { paths: Record<string, Record<string, unknown>> };

const filled: Record<string, string> = { slug: 'acme', service: 'api', language: 'en', month: '2026-01' };
const addressOf = (path: string) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => filled[name] ?? 'none');
const reads = Object.keys(paths).filter((path) => paths[path]?.['get'] !== undefined);

const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  requestAt(api.url, host, path, { method, headers: { origin, ...headers } });
const preflight = (path: string) =>
  ask('OPTIONS', path, {
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'if-none-match',
  });

t.test('a preflight is answered exactly where scripts on any site may read', async (t) => {
  const readable: string[] = [];
  for (const path of reads) {
    const { headers } = await ask('GET', addressOf(path));
    const isReadable = headers.get('access-control-allow-origin') === '*';
    if (isReadable) readable.push(path);
    const { status, headers: granted, body } = await preflight(addressOf(path));
    if (!isReadable) {
      t.ok(status === 405 || status === 404, `${path}: ${status}`);
      t.equal(granted.get('access-control-allow-origin'), null, path);
      continue;
    }
    t.equal(status, 204, path);
    t.equal(body, '', path);
    t.equal(granted.get('access-control-allow-origin'), '*', path);
    t.equal(granted.get('access-control-allow-methods'), 'GET, HEAD', path);
    t.match(granted.get('access-control-allow-headers'), /^If-None-Match\b/, path);
    t.equal(granted.get('access-control-max-age'), '86400', path);
    t.equal((await ask('DELETE', addressOf(path))).headers.get('allow'), 'HEAD, GET, OPTIONS', path);
  }
  t.strictSame(readable.sort(), [
    ...[
      '/api/public/{slug}/incidents',
      '/api/public/{slug}/metrics',
      '/api/public/{slug}/response-times',
      '/api/public/{slug}/status',
      '/api/public/{slug}/summary',
    ],
    '/api/public/{slug}/upptime/summary.json',
    ...[
      ...['components', 'incidents', 'incidents/unresolved', 'scheduled-maintenances'],
      ...['scheduled-maintenances/active', 'scheduled-maintenances/upcoming', 'status', 'summary'],
    ].map((name) => `/api/v2/${name}.json`),
    ...['/badge.json', '/badge.svg', '/badge/{service}.json'],
    ...[
      '/badge/{service}.svg',
      '/embed',
      '/embed.js',
      '/embed.json',
      '/favicon.svg',
      '/feed.atom',
      '/feed.json',
    ],
    ...['/feed.rss', '/{language}/feed.atom', '/{language}/feed.json', '/{language}/feed.rss'],
  ]);
});

t.test('their answers expose the entity tag: built, from memory, not modified, and errors', async (t) => {
  const exposed = /^ETag, .*Retry-After/;
  for (const path of reads) {
    const address = addressOf(path);
    const built = await ask('GET', address);
    if (built.headers.get('access-control-allow-origin') === null) continue;
    for (const answer of [
      built,
      await ask('GET', address),
      await ask('HEAD', address),
      await ask('GET', address, { 'if-none-match': '*' }),
      await requestAt(api.url, 'nowhere.localhost', address),
    ]) {
      t.equal(answer.headers.get('access-control-allow-origin'), '*', path);
      t.match(answer.headers.get('access-control-expose-headers'), exposed, `${path} ${answer.status}`);
    }
  }
});

t.test('a preflight names no page, so it needs none', async (t) => {
  const { status } = await requestAt(api.url, 'nowhere.localhost', '/api/public/nobody/summary', {
    method: 'OPTIONS',
  });
  t.equal(status, 204);
});

t.test('every other route refuses OPTIONS', async (t) => {
  for (const [path, allow] of [
    ['/api/v1/events', 'POST'],
    ['/api/v1/incidents/x', 'PATCH'],
    ['/api/v1/analytics/requests', 'HEAD, GET'],
    ['/api/public/acme/subscribers', 'POST'],
    ['/metrics', 'HEAD, GET'],
    ['/history', 'HEAD, GET'],
  ] as const) {
    const { status, headers, body } = await preflight(path);
    t.equal(status, 405, path);
    t.equal(headers.get('allow'), allow, path);
    t.match(body, { error: 'Method not allowed.', code: 'method.not_allowed' }, path);
  }
});

t.test('HEAD answers every GET as GET does, without a body', async (t) => {
  const volatile = ['date', 'heartline-as-of', 'x-request-id', 'content-length', 'transfer-encoding'];
  const compared = ({ status, headers }: Awaited<ReturnType<typeof ask>>) => ({
    status,
    // A second may pass between the two.
    headers: [...headers]
      .filter(([name]) => !volatile.includes(name))
      .map(([name, value]) => [name, name === 'age' ? value.replace(/^\d+$/, 'seconds') : value])
      .sort(),
  });
  for (const path of reads) {
    const authorization = `Bearer ${api.readKey}`;
    const got = await ask('GET', addressOf(path), { authorization });
    const head = await ask('HEAD', addressOf(path), { authorization });
    t.strictSame(compared(head), compared(got), path);
    t.equal(head.body, '', path);
  }
});
