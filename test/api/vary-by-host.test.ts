import t, { type Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import { pngPixel } from '../support/images.js';
import { openIncident } from '../support/incidents.js';
import { setPage } from '../support/pages.js';
import { type RequestOptions, requestAt } from '../support/request-at.js';
import { type Answer, startAnother, startTestService } from '../support/service.js';

const api = await startTestService(t);
const deps = { sql: api.stores.sql, clock: systemClock };
await setPage(deps, { slug: 'other', name: 'Another page' });
const { logoHash } = await setPage(deps, { slug: 'acme', logo: pngPixel });
const incident = await openIncident(api, api.incidentKey);

type Description = {
  paths: Record<string, Record<string, { security?: object[]; requestBody?: unknown }>>;
};
type Open = { method: string; path: string; options: RequestOptions };

/** Something that exists on the page `acme`, for each part of a path that stands for several. */
const parts: Record<string, string> = {
  ...{ slug: 'acme', language: 'en', month: new Date().toISOString().slice(0, 7), id: incident.id },
  ...{ hash: String(logoHash), service: 'api', token: 'x', file: 'x' },
};

/** Routes that anybody can call, from the description that is made of the route table. */
async function listOpenRoutes(): Promise<Open[]> {
  const { body } = await api.get('/openapi.json');
  const { paths } = body as Description; // The service's own document, which another test validates.
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).flatMap(([method, { security = [] }]) => {
      if (!['get', 'post'].includes(method) || security.length > 0) return [];
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? name);
      return [{ method: method.toUpperCase(), path, options: {} }];
    }),
  );
}

/** Answers that are the same for all pages; everything else differs. */
const same = new Set([
  ...['/healthz', '/readyz', '/metrics', '/openapi.json', '/apply.schema.json', '/mcp', '/api/v1/session'],
  ...['/ping/x', '/ping/x/report', '/assets/x', '/on-call/feed.ics'],
  ...['/clickhouse', '/clickhouse/', '/clickhouse/ping'],
  ...['/api/v1/shared-boards/board', '/api/v1/shared-boards/board/tiles/tile'],
]);

const browser = { accept: 'text/html,*/*;q=0.8' };

function ask(serviceUrl: string, host: string, { method, path, options }: Open): Promise<Answer> {
  return requestAt(serviceUrl, host, path, { method, ...options });
}

function membersOf({ headers }: Answer): string[] {
  return (headers.get('vary') ?? '').split(',').flatMap((member) => member.trim() || []);
}

function checkVary(t: Test, answer: Answer, what: string, others: readonly string[] = []): void {
  const members = membersOf(answer);
  t.strictSame(members, [...new Set(members)], `${what}: no member is twice`);
  for (const member of ['Host', ...others])
    t.ok(members.includes(member), `${what}: ${member} in ${members}`);
}

/** The parts of an answer that caches keep. */
function contentOf({ status, headers, body }: Answer): string {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id', 'vary', 'age'].includes(name));
  return JSON.stringify([status, kept, body]);
}

t.test('every open route names the host where its answer differs by page', async (t) => {
  const routes = await listOpenRoutes();
  t.ok(routes.length > 40, `${routes.length} routes`);
  const differing: string[] = [];
  for (const route of routes) {
    const what = `${route.method} ${route.path}`;
    const [ours, theirs] = [
      await ask(api.url, 'acme.localhost', route),
      await ask(api.url, 'other.localhost', route),
    ];
    if (same.has(route.path)) {
      t.notOk(membersOf(ours).includes('Host'), what);
      continue;
    }
    if (contentOf(ours) !== contentOf(theirs)) differing.push(what);
    for (const answer of [ours, theirs]) checkVary(t, answer, `${what} ${answer.status}`);
    if (route.method === 'GET') await checkRepeated(t, route, ours);
  }
  t.ok(differing.length > 25, `${differing.length} routes answer differently on two hosts`);
});

/** Checks the answers from memory, to a condition, and without a body. */
async function checkRepeated(t: Test, route: Open, first: Answer): Promise<void> {
  const what = `GET ${route.path}`;
  const expected = membersOf(first);
  const again = await ask(api.url, 'acme.localhost', route);
  t.strictSame(membersOf(again), expected, `${what} again`);
  t.strictSame(membersOf(await ask(api.url, 'acme.localhost', { ...route, method: 'HEAD' })), expected);
  const etag = first.headers.get('etag');
  if (etag === null || first.status !== 200) return;
  const options = { headers: { 'if-none-match': etag } };
  const unchanged = await ask(api.url, 'acme.localhost', { ...route, options });
  t.equal(unchanged.status, 304, what);
  t.strictSame(membersOf(unchanged), expected, `${what} 304`);
}

t.test('other members of Vary stay', async (t) => {
  const at = (path: string, headers = {}) => requestAt(api.url, 'acme.localhost', path, { headers });
  checkVary(t, await at('/'), 'a view', ['Accept-Encoding', 'Accept-Language']);
  checkVary(t, await at('/en/'), 'a view in a language', ['Accept-Encoding']);
  checkVary(t, await at('/feed.rss'), 'a feed', ['Accept-Encoding']);
  checkVary(t, await at('/nowhere', browser), 'a missing view', [
    'Accept',
    'Accept-Language',
    'Accept-Encoding',
  ]);
  checkVary(t, await at('/nowhere', { accept: 'application/json' }), 'the same in JSON', ['Accept']);
  const moved = await at('/EN');
  t.equal(moved.status, 308);
  checkVary(t, moved, 'a redirect');
  const elsewhere = (headers = {}) => requestAt(api.url, 'nobody.localhost', '/', { headers });
  checkVary(t, await elsewhere(browser), 'a host without a page', ['Accept', 'Accept-Language']);
  checkVary(t, await elsewhere(), 'the same in JSON', ['Accept']);
  checkVary(t, await requestAt(api.url, '127.0.0.1', '/', { headers: browser }), 'the start page', [
    'Accept',
    'Accept-Language',
  ]);
  checkVary(t, await requestAt(api.url, 'acme.localhost', '/', { method: 'DELETE' }), 'another method');
});

t.test('X-Forwarded-Host is named where a trusted proxy may send it', async (t) => {
  const behind = await startAnother(t, api, { trustedProxies: ['127.0.0.1'] });
  for (const path of ['/', '/badge.svg', '/nowhere']) {
    for (const attempt of ['built', 'from memory']) {
      const headers = { 'x-forwarded-host': 'other.localhost' };
      const answer = await requestAt(behind.url, 'internal', path, { headers });
      checkVary(t, answer, `${path} ${attempt}`, ['X-Forwarded-Host']);
    }
  }
});
