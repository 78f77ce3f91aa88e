import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { makeObservation } from '../support/observations.js';
import { histogramOf, metricsOf, spanOf, tracesOf } from '../support/otlp.js';
import { makeKey, setPage } from '../support/pages.js';
import { makeReport } from '../support/pool-reports.js';
import { requestAt } from '../support/request-at.js';
import { startTestService, unansweredSmtp } from '../support/service.js';

const api = await startTestService(t, { smtpUrl: unansweredSmtp });
await setPage({ sql: api.stores.sql, clock: systemClock }, { slug: 'acme', databaseHealthEnabled: true });

const now = Date.now();
const incident = { title: 'Köln', summary: 'No one can pay.', startedAt: new Date(now).toISOString() };
const { body: opened } = await api.post('/api/v1/incidents', incident, { key: api.incidentKey });
const { id } = opened as { id: string };

const { key: manageKey } = await makeKey(
  { sql: api.stores.sql, clock: systemClock },
  { slug: 'acme', scope: 'manage' },
);

type Sample = { key?: string; headers?: Record<string, string>; make(): unknown; status: number };

/** A body that each route of the description accepts. */
const samples: Record<string, Sample> = {
  'post /api/v1/events': { key: api.ingestKey, make: () => [{ endpoint: '/ä', status: 200 }], status: 202 },
  'post /api/v2/events': {
    key: api.ingestKey,
    make: () => ({
      reporter: { reporterId: 'a', englishName: 'Ä', region: 'eu', team: 'a', expectedEverySeconds: 60 },
      events: [],
    }),
    status: 202,
  },
  'post /v1/traces': { key: api.ingestKey, make: () => tracesOf('Ä', [spanOf()]), status: 200 },
  'post /v1/metrics': { key: api.ingestKey, make: () => metricsOf('Ä', [histogramOf({})]), status: 200 },
  'post /api/v1/incidents': { key: api.incidentKey, make: () => incident, status: 201 },
  'patch /api/v1/incidents/{id}': { key: api.incidentKey, make: () => ({ title: 'Ä' }), status: 200 },
  'post /api/v1/incidents/{id}/updates': { key: api.incidentKey, make: () => ({ body: 'Ä' }), status: 201 },
  'post /api/v1/database-health/observations': {
    key: api.ingestKey,
    make: () => makeObservation(now),
    status: 201,
  },
  'post /api/v1/database-health/reports': { key: api.ingestKey, make: () => makeReport(now), status: 201 },
  'post /api/public/{slug}/subscribers': { make: () => ({ email: 'a@example.com' }), status: 202 },
  'post /api/v1/pages/{page}/keys': {
    ...{ key: manageKey, status: 201 },
    make: () => ({ scope: 'ingest', name: 'Ä' }),
  },
  'post /api/v1/session': {
    ...{ status: 400, headers: { 'sec-fetch-site': 'same-origin' } },
    make: () => ({ email: 'ä@example.com' }),
  },
  'post /mcp': { key: manageKey, make: () => ({ jsonrpc: '2.0', id: 'ä', method: 'ping' }), status: 200 },
  'post /api/v1/analytics/sql': { key: api.readKey, make: () => ({ sql: "SELECT 'ä'" }), status: 200 },
};

type Operation = { requestBody?: { content: object }; security: readonly object[] };
type Description = { paths: Record<string, Record<string, Operation>> };
const { paths } = (await api.get('/openapi.json')).body as Description;
const managed = '/api/v1/pages/{page}/keys';
const routes = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { requestBody }]) => requestBody !== undefined && 'application/json' in requestBody.content)
    // Routes of the management API share one reader of bodies; one of them stands for all.
    .filter(([, { security }]) => path === managed || !security.some((needed) => 'session' in needed))
    .map(([method]) => `${method} ${path}`),
);

async function send(name: string, body: string | Buffer, headers: Record<string, string>) {
  const [method = '', path = ''] = name.split(' ');
  const { key, headers: usual } = samples[name] ?? {};
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const address = path.replace(/\{(slug|page)\}/, 'acme').replace('{id}', id);
  const options = { method: method.toUpperCase(), headers: { ...authorization, ...usual, ...headers }, body };
  return requestAt(api.url, 'acme.localhost', address, options);
}

t.test('a JSON body is read whatever its Content-Type says', async (t) => {
  t.strictSame(routes.toSorted(), Object.keys(samples).toSorted(), 'every route that takes JSON is tried');
  for (const name of routes) {
    for (const type of [
      ...['application/x-www-form-urlencoded', 'application/json', 'text/plain;charset=UTF-8', 'nonsense'],
      ...['multipart/form-data', 'application/json; charset=iso-8859-1', undefined],
    ]) {
      const text = JSON.stringify(samples[name]?.make());
      const { status } = await send(name, text, type === undefined ? {} : { 'content-type': type });
      t.equal(status, samples[name]?.status, `${name} as ${type}`);
    }
  }
});

t.test('and with a byte order mark, which editors of Windows put before a text', async (t) => {
  for (const name of routes) {
    const { status } = await send(name, `\ufeff${JSON.stringify(samples[name]?.make())}`, {});
    t.equal(status, samples[name]?.status, name);
    const { status: twice } = await send(name, `\ufeff\ufeff${JSON.stringify(samples[name]?.make())}`, {});
    t.equal(twice, 400, `${name} with two`);
  }
});

t.test('400: text in another encoding says so', async (t) => {
  for (const name of routes) {
    const text = JSON.stringify({ a: 'ä', ...Object(samples[name]?.make()) });
    for (const [charset, body] of [
      ['iso-8859-1', Buffer.from(text, 'latin1')],
      ['utf-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ] as const) {
      const answer = await send(name, body, { 'content-type': `application/json; charset=${charset}` });
      t.match(answer, { status: 400, body: { error: /is not valid UTF-8/ } }, `${name} in ${charset}`);
    }
  }
});
