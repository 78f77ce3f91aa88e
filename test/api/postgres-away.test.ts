import t, { type Test } from 'tap';
import { linkPaths } from '../../contract/subscribers.js';
import { captureLog } from '../support/capture-log.js';
import { outage } from '../support/incidents.js';
import { requestAt } from '../support/request-at.js';
import { startAnother, startTestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const first = await startTestService(t);
const gate = await openTcpGate(t, first.stores.databaseUrl);
const { log, entries } = captureLog();
const api = await startAnother(t, first, { databaseUrl: gate.url, log });

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const requests = {
  reporters: () => api.get('/api/v1/analytics/reporters?window=3600', bearer(api.readKey)),
  'a new incident': () => api.post('/api/v1/incidents', outage, { key: api.incidentKey }),
};

const away = { error: 'The store cannot be reached right now. Retry later.', code: 'store.unavailable' };
/** The answer of a request whose time is over. */
const late = 'The service is busy and did not finish in time. Retry later.';
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
/** Addresses that people open. Each is requested for the first time, so memory has nothing of it. */
const opened = ['/', '/en/', '/nowhere', '/history', '/en/incidents/x', '/subscribe', '/a/b/c', '/de'];
const open = (path: string, headers: Record<string, string>, method = 'GET') =>
  requestAt(api.url, 'acme.localhost', path, { headers, method });

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
/** Requests that anybody can send, and that memory cannot answer. */
const anonymous: [method: string, path: string, headers?: Record<string, string>, body?: string][] = [
  ['GET', `/logo/${'0'.repeat(32)}`],
  ['POST', '/subscribe', form, 'email=me%40example.com'],
  ['POST', '/api/public/acme/subscribers', json, JSON.stringify({ email: 'me@example.com' })],
  ...Object.values(linkPaths).flatMap((path): [string, string][] => [
    ['GET', `${path}?token=x`],
    ['POST', `${path}?token=x`],
  ]),
];

t.test('requests that need PostgreSQL answer 503 while it is unavailable, and work afterwards', async (t) => {
  for (const [what, request] of Object.entries(requests)) {
    const { status } = await request();
    t.ok(status < 300, `${what} is answered ${status} before`);
  }
  await gate.close();
  for (const [what, request] of Object.entries(requests)) {
    const { status, headers, body } = await request();
    t.equal(status, 503, what);
    t.match(headers.get('retry-after'), /^\d+$/);
    t.strictSame(body, away);
  }
  t.match(
    await requestAt(api.url, '127.0.0.1', '/'),
    {
      status: 503,
      body: { name: 'Heartline', status: 'unavailable', checks: { postgres: /does not answer/ } },
    },
    'the start page says which store is away',
  );
  t.match(await api.get(`/ping/ping_${'z'.repeat(43)}`), { status: 503, body: away }, 'a ping');
  await t.test('answers name the host, by which they differ', checkVary);
  await t.test('people get a view for a page that is not in memory', checkOutagePages);
  await t.test('requests without a key make a line in ten seconds', checkAnonymous);
  await gate.open();
  for (const [what, request] of Object.entries(requests))
    await waitUntil(`${what} is answered again`, async () => (await request()).status < 300);
});

t.test(
  'requests without a key answer 503 while PostgreSQL hangs, and make a line in ten seconds',
  async (t) => {
    t.equal((await open('/', {})).status, 200, 'the page is in memory');
    gate.stall();
    await checkAnonymous(t);
    await gate.close();
    await gate.open();
  },
);

async function checkAnonymous(t: Test): Promise<void> {
  const linesBefore = entries().length;
  const asking = Array.from({ length: 5 }, () =>
    anonymous.map(async ([method, path, headers = {}, body]) => {
      const sent = body === undefined ? {} : { body };
      return { path, answer: await requestAt(api.url, 'acme.localhost', path, { method, headers, ...sent }) };
    }),
  );
  for (const { path, answer } of await Promise.all(asking.flat())) {
    // The deadline of the request may come before that of the query.
    const said = String(Object(answer.body).error);
    t.ok(answer.status === 503 && [away.error, late].includes(said), `${path}: ${answer.status} ${said}`);
    t.match(answer.headers.get('retry-after'), /^\d+$/);
  }
  const lines = entries()
    .slice(linesBefore)
    .filter(({ level, requestId }) => Number(level) > 20 && requestId !== undefined);
  t.ok(lines.length <= 2, `${5 * anonymous.length} requests made ${lines.length} lines`);
  t.strictSame(
    lines.filter(({ level }) => Number(level) !== 40),
    [],
  );
}

async function checkOutagePages(t: Test): Promise<void> {
  for (const path of [...opened, '/subscribers/confirm?token=x']) {
    const { status, headers, body } = await open(path, {
      accept: browser,
      'accept-language': 'de-AT, en;q=0.5',
    });
    t.equal(status, 503, path);
    t.equal(headers.get('content-type'), 'text/html; charset=utf-8', path);
    t.equal(headers.get('content-language'), 'de');
    t.match(headers.get('retry-after'), /^\d+$/);
    t.equal(headers.get('cache-control'), 'no-store');
    t.match(
      headers.get('content-security-policy'),
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.match(body, '<html lang="de">');
    t.match(body, 'Die Statusseite kann gerade nicht angezeigt werden');
    t.notMatch(body, /acme/i, 'nothing of any page');
  }
  for (const [accepted, language] of [
    ['fr', 'fr'],
    ['es-MX', 'es'],
    ['ja', 'ja'],
    ['pt, ja;q=0.1', 'ja'],
    ['pt', 'en'],
  ] as const) {
    const { body } = await open('/', { accept: browser, 'accept-language': accepted });
    t.match(body, `<html lang="${language}">`, accepted);
  }
  const head = await open('/', { accept: browser }, 'HEAD');
  t.strictSame([head.status, head.body], [503, '']);
  t.equal(head.headers.get('content-type'), 'text/html; charset=utf-8');
  const [, styles = ''] =
    /href="([^"]*\.css)"/.exec(String((await open('/', { accept: browser })).body)) ?? [];
  t.equal((await open(styles, {})).status, 200, 'its styles can be loaded');
  await checkOutageOfPrograms(t);
}

async function checkOutageOfPrograms(t: Test): Promise<void> {
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
    for (const path of ['/', '/nowhere', '/history']) {
      const answer = await open(path, headers);
      t.strictSame([answer.status, answer.body], [503, away], path);
      t.match(answer.headers.get('retry-after'), /^\d+$/);
    }
  }
  for (const path of ['/api/public/acme/incidents', '/api/public/acme/summary', '/feed.rss', '/embed.json']) {
    const answer = await open(path, { accept: browser });
    t.strictSame([answer.status, answer.body], [503, away], path);
  }
}

async function checkVary(t: Test): Promise<void> {
  const wrong: string[] = [];
  for (const accept of [browser, '*/*']) {
    for (const path of ['/', '/history', '/api/public/acme/summary', '/feed.rss', '/badge.svg']) {
      const { status, headers } = await open(path, { accept });
      const members = (headers.get('vary') ?? '').split(',').map((member) => member.trim());
      if (status !== 503 || members.filter((member) => member === 'Host').length !== 1)
        wrong.push(`${path} for ${accept}: ${status}, Vary: ${members}`);
    }
  }
  t.strictSame(wrong, []);
}
