import { makeObservation } from '../../support/observations.js';
import { attributesOf, histogramOf, metricsOf, spanOf, tracesOf } from '../../support/otlp.js';
import { makeReport } from '../../support/pool-reports.js';
import { remoteWriteHeaders2, writeBody2 } from '../../support/remote-write.js';
import { select } from '../../support/rollups.js';
import { type Call, type Example, needs, type Sent, sendJson } from './example.js';

/** A known endpoint where memory is warm, so that the batch needs PostgreSQL for nothing, else a new one. */
const eventOf = ({ memory, mark, earlier }: Call) => ({
  service: 'shop',
  endpoint: memory === 'warm' ? '/known' : `/${mark}`,
  status: 200 + earlier,
  ms: 3,
});

function events(kind: 'service' | 'reporter', bodyOf: (call: Call) => object): Example {
  return {
    ...{ usual: 202, needs: needs.page, needsAny: true, applied: countEvents(kind, 'GET') },
    send: (call) =>
      sendJson(call.site.keys.ingest, kind === 'service' ? '/api/v1/events' : '/api/v2/events', bodyOf(call)),
  };
}

/** A body of OpenTelemetry counts once by its content, which PostgreSQL has to know. */
function otlp(signal: 'traces' | 'metrics', bodyOf: (call: Call) => object): Example {
  return {
    ...{ usual: 200, needs: needs.postgres, applied: countEvents('service', methodOf[signal]) },
    send: (call) => sendJson(call.site.keys.ingest, `/v1/${signal}`, bodyOf(call)),
  };
}

/** A query of a tool that reads ClickHouse, whose errors have the form of ClickHouse. */
function tool(path: string, body?: string): Example {
  return {
    ...{ usual: 200, needs: needs.clickhouse, ownForm: /^Code: 210\. DB::Exception: / },
    send: ({ site }) => ({
      ...{ path, headers: { 'x-clickhouse-user': site.slug, 'x-clickhouse-key': site.keys.read } },
      ...(body !== undefined && { body }),
    }),
  };
}

/** Tells the requests of the routes apart, which all use known names. */
const methodOf = { traces: 'PUT', metrics: 'PATCH' } as const;

const attributesOfEvent = (call: Call, signal: keyof typeof methodOf) => {
  const { endpoint, status } = eventOf(call);
  return {
    'http.request.method': methodOf[signal],
    'http.route': endpoint,
    'http.response.status_code': status,
  };
};

/** A native histogram of a process that has just started, whose first point counts. */
function remoteWrite(call: Call): Sent {
  const { mark, now, site } = call;
  const { endpoint, status } = eventOf(call);
  const body = writeBody2([
    {
      labels: {
        ...{ __name__: 'http_server_request_duration_seconds', job: 'shop', instance: mark },
        ...{ http_route: endpoint, http_request_method: 'HEAD', http_response_status_code: String(status) },
      },
      histograms: [{ count: 1, zeroCount: 1, sum: 0, timestamp: now }],
      startMs: now - 1000,
    },
  ]);
  const headers = { ...remoteWriteHeaders2, authorization: `Bearer ${site.keys.ingest}` };
  return { path: '/api/v1/prometheus/write', headers, body };
}

function countEvents(kind: 'service' | 'reporter', method: string): NonNullable<Example['applied']> {
  return async ({ clickhouse }, call) => {
    const { endpoint, status } = eventOf(call);
    const [row] = await select<{ count: string }>(
      clickhouse,
      `SELECT sum(requests) AS count FROM requests_minute WHERE page_id = '${call.site.pageId}'
         AND kind = '${kind}' AND endpoint = '${endpoint}' AND status = ${status}
         AND method = '${method}'`,
    );
    return Number(row?.count);
  };
}

const incident = ({ mark, now }: Call) => ({
  ...{ title: mark, summary: 'Connections time out.' },
  startedAt: new Date(now - 60_000).toISOString(),
});

function analytics(path: string, stores: Example['needs']): Example {
  return {
    ...{ usual: 200, needs: stores },
    send: ({ site }) => sendJson(site.keys.read, `/api/v1/analytics/${path}`),
  };
}

/** Requests with a key. */
export const keyExamples: Record<string, readonly Example[]> = {
  'POST /api/v1/events': [events('service', (call) => [eventOf(call)])],
  'POST /api/v2/events': [
    events('reporter', (call) => ({
      reporter: { reporterId: 'worker', englishName: 'Worker' },
      events: [eventOf(call)],
    })),
  ],
  'POST /v1/traces': [
    // The requests of a service that sends metrics count by these.
    otlp('traces', (call) => tracesOf('traced', [spanOf({ attributes: attributesOfEvent(call, 'traces') })])),
  ],
  'POST /v1/metrics': [
    otlp('metrics', (call) => {
      const one = { count: '1', bucketCounts: ['1', '0', '0'] };
      return metricsOf('shop', [
        histogramOf({ ...one, attributes: attributesOf(attributesOfEvent(call, 'metrics')) }),
      ]);
    }),
  ],
  'POST /api/v1/prometheus/write': [
    { usual: 204, needs: needs.postgres, applied: countEvents('service', 'HEAD'), send: remoteWrite },
  ],
  'POST /api/v1/incidents': [
    {
      ...{ usual: 201, needs: needs.postgres },
      send: (call) => sendJson(call.site.keys.incident, '/api/v1/incidents', incident(call)),
      applied: async ({ sql }, { mark }) =>
        (
          await sql`select 1 from announcements a join incidents i on i.id = a.incident_id where i.title = ${mark}`
        ).length,
    },
  ],
  'PATCH /api/v1/incidents/:id': [
    {
      ...{ usual: 200, needs: needs.postgres },
      send: ({ site, mark }) =>
        sendJson(site.keys.incident, `/api/v1/incidents/${site.incidentId}`, { summary: mark }),
    },
  ],
  'POST /api/v1/incidents/:id/updates': [
    {
      ...{ usual: 201, needs: needs.postgres },
      send: ({ site, mark }) =>
        sendJson(site.keys.incident, `/api/v1/incidents/${site.incidentId}/updates`, {
          ...{ status: 'monitoring', body: mark },
        }),
      applied: async ({ sql }, { mark }) =>
        (await sql`select 1 from incident_updates where body = ${mark}`).length,
    },
  ],
  'POST /api/v1/database-health/observations': [
    {
      ...{ usual: 201, needs: needs.postgres },
      send: ({ site, mark, now }) =>
        sendJson(
          site.keys.ingest,
          '/api/v1/database-health/observations',
          makeObservation(now, { observationId: mark }),
        ),
      applied: async ({ sql }, { mark }) => (await sql`select 1 from observations where id = ${mark}`).length,
    },
  ],
  'POST /api/v1/database-health/reports': [
    {
      ...{ usual: 201, needs: needs.postgres },
      send: ({ site, mark, now }) =>
        sendJson(site.keys.ingest, '/api/v1/database-health/reports', makeReport(now, { session: mark })),
      async applied({ clickhouse }, { mark }) {
        const [row] = await select<{ count: string }>(
          clickhouse,
          `SELECT countIf(kind = 'report') AS count FROM pool_reports WHERE session = '${mark}'`,
        );
        return Number(row?.count);
      },
    },
  ],
  'GET /api/v1/analytics/requests': [analytics('requests', needs.clickhouse)],
  'GET /api/v1/analytics/totals': [analytics('totals', needs.clickhouse)],
  'GET /api/v1/analytics/top': [analytics('top', needs.clickhouse)],
  'GET /api/v1/analytics/reporters': [analytics('reporters', needs.both)],
  'GET /api/v1/analytics/versions': [analytics('versions', needs.both)],
  'GET /api/v1/analytics/failures': [analytics('failures', needs.clickhouse)],
  'GET /api/v1/analytics/failures/groups': [analytics('failures/groups', needs.clickhouse)],
  'GET /api/v1/analytics/messages': [analytics('messages', needs.clickhouse)],
  'GET /api/v1/analytics/messages/groups': [analytics('messages/groups', needs.clickhouse)],
  'GET /api/v1/analytics/metrics': [analytics('metrics', needs.clickhouse)],
  'GET /api/v1/analytics/calls': [analytics('calls', needs.both)],
  // Takes turns with the reads of ClickHouse.
  'GET /api/v1/analytics/rejections': [analytics('rejections', needs.both)],
  'GET /api/v1/analytics/database-health': [analytics('database-health', needs.both)],
  'GET /api/v1/analytics/database-health/acquisitions': [
    analytics('database-health/acquisitions', needs.both),
  ],
  // Takes turns with the reads of ClickHouse.
  'GET /api/v1/analytics/monitors': [analytics('monitors', needs.both)],
  'GET /api/v1/analytics/monitors/:slug/checks': [analytics('monitors/api/checks', needs.both)],
  'GET /api/v1/analytics/monitors/:slug/series': [analytics('monitors/api/series', needs.both)],
  'GET /api/v1/analytics/monitors/:slug/phases': [analytics('monitors/api/phases', needs.both)],
  'POST /api/v1/analytics/sql': [
    {
      ...{ usual: 200, needs: needs.clickhouse },
      send: ({ site }) => sendJson(site.keys.read, '/api/v1/analytics/sql', { sql: 'SELECT 1' }),
    },
  ],
  'GET /clickhouse': [tool('/clickhouse?query=SELECT%201')],
  'POST /clickhouse': [tool('/clickhouse', 'SELECT 1')],
  'GET /clickhouse/': [tool('/clickhouse/?query=SELECT%201')],
  'POST /clickhouse/': [tool('/clickhouse/', 'SELECT 1')],
  'GET /clickhouse/ping': [{ usual: 200, needs: needs.nothing, send: () => ({ path: '/clickhouse/ping' }) }],
  'POST /mcp': [
    {
      ...{ usual: 200, needs: needs.postgres },
      send: ({ site }) => {
        const { headers, ...sent } = sendJson(site.keys.manage[0] ?? '', '/mcp', {
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
        });
        return { ...sent, headers: { ...headers, accept: 'application/json, text/event-stream' } };
      },
    },
  ],
};
