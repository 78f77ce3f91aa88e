import type { Exactness } from './compare-answer.js';

export type KeyName = 'ingest' | 'read' | 'incident';

/**
 * A request that the docs print as a body, an answer, or both. The blocks begin with `body` and `answer`; the request
 * leaves where the first of them is.
 */
export type Exchange = {
  page: string;
  /** Method and path, or `nothing` when a preparation has the answer; `{from}` and `{to}` stand for the last hour. */
  send: string;
  /** A host in place of the page's own. */
  host?: string;
  body?: string;
  /** The body, where the docs describe it in words. */
  given?: string;
  key?: KeyName;
  answer?: string;
  /** Figures that a test cannot reproduce are compared by their fields and types. */
  exactness?: Exactness;
};

const range = 'from={from}&to={to}&step=60';

export const exchanges: readonly Exchange[] = [
  {
    page: 'docs/api.md',
    send: 'POST /api/v1/events',
    body: '[{"service": "shop"',
    key: 'ingest',
    answer: '{"accepted": 1, "rejected": 0, "rows": 1, "statements": 1}',
  },
  {
    page: 'docs/api.md',
    send: 'POST /api/v1/events',
    given: JSON.stringify([{ endpoint: '/cart/:id', status: 200, duration: 12.5 }]),
    key: 'ingest',
    answer: '{"accepted": 1, "rejected": 0, "rows": 1, "statements": 1,\n "warning"',
  },
  {
    page: 'docs/api.md',
    send: 'POST /api/v1/events',
    given: JSON.stringify([200, '200', '200'].map((status) => ({ endpoint: '/cart/:id', status }))),
    key: 'ingest',
    answer: '{"accepted": 1, "rejected": 2',
  },
  {
    page: 'docs/api.md',
    send: 'POST /api/v2/events',
    body: '{"reporter": {"reporterId": "shop-7f9c"',
    key: 'ingest',
  },
  {
    page: 'docs/api.md',
    send: 'POST /api/v2/events',
    body: '{"reporter": {"reporterId": "search-eu-1"',
    key: 'ingest',
  },
  {
    page: 'docs/api.md',
    send: 'POST /api/v1/events',
    body: '{"batchId":',
    key: 'ingest',
  },
  {
    page: 'docs/api.md',
    send: 'POST /api/v1/events',
    given: JSON.stringify({ batchId: '0b7d1f1e-6d0a-4a53-9f3e-2f1a0c6f9a55', events: [] }),
    key: 'ingest',
    answer: '{"accepted": 1, "rejected": 0, "rows": 1, "statements": 1, "duplicate"',
  },
  {
    page: 'docs/api.md',
    send: `GET /api/v1/analytics/requests?${range}&groupBy=endpoint`,
    key: 'read',
    answer:
      '{"from": "…", "to": "…", "step": 60, "keptFrom": null, "notKept": null, "unfinishedFrom": "…",\n "groupBy"',
    exactness: 'shape',
  },
  {
    page: 'docs/api.md',
    send: 'GET /api/v1/analytics/totals?from={from}&to={to}',
    key: 'read',
    answer: '{"from": "…", "to": "…", "keptFrom": null, "notKept": null, "previous": null',
    exactness: 'shape',
  },
  {
    page: 'docs/api.md',
    send: 'GET /api/v1/analytics/top?from={from}&to={to}&points=2',
    key: 'read',
    answer: '{"from": "…", "to": "…", "by": "endpoint"',
    exactness: 'shape',
  },
  {
    page: 'docs/api.md',
    send: 'GET /api/v1/analytics/messages/groups?from={from}&to={to}',
    key: 'read',
    answer: '{"keptFrom": null, "notKept": null, "groups": [\n {"message": "card 9',
    exactness: 'shape',
  },
  {
    page: 'docs/api.md',
    send: 'GET /api/v1/analytics/failures?from={from}&to={to}&service=shop&endpoint=/pay',
    key: 'read',
    answer: '{"keptFrom": null, "notKept": null, "samples"',
    exactness: 'shape',
  },
  {
    page: 'docs/api.md',
    send: `GET /api/v1/analytics/rejections?${range}`,
    key: 'read',
    answer:
      '{"from": "…", "to": "…", "step": 60, "keptFrom": null, "notKept": null, "unfinishedFrom": "…", "rejected"',
    exactness: 'shape',
  },
  {
    page: 'docs/api.md',
    send: 'POST /api/v1/incidents',
    body: '{"title": "Database outage"',
    key: 'incident',
    answer: '{"id": "019c1ac7-…"',
  },
  {
    page: 'docs/api.md',
    send: 'GET /api/public/acme/summary?include=response-time,coverage',
    answer: '{"slug": "acme", "lastChecked"',
    exactness: 'shape',
  },
  {
    page: 'docs/api.md',
    send: 'GET /api/public/acme/response-times',
    answer: '{"slug": "acme", "range": "24h"',
    exactness: 'shape',
  },
  {
    page: 'docs/api.md',
    send: 'GET /api/public/acme/incidents',
    answer: '{"slug": "acme", "incidents"',
    exactness: 'shape',
  },
  {
    page: 'docs/badges-and-feeds.md',
    send: 'GET /embed.json?language=en',
    answer: '{\n  "name": "Acme"',
    exactness: 'shape',
  },
  {
    page: 'docs/database-health.md',
    send: `GET /api/v1/analytics/database-health?${range}&groupBy=pool`,
    key: 'read',
    answer: '{"from": "2026-01-31T23:59:00.000Z"',
    exactness: 'shape',
  },
  {
    page: 'docs/sql.md',
    send: 'POST /api/v1/analytics/sql',
    body: '{"sql": "SELECT sum(requests) FROM requests_minute WHERE minute >= {from',
    key: 'read',
  },
  {
    page: 'docs/sql.md',
    send: 'POST /api/v1/analytics/sql',
    given: JSON.stringify({ sql: 'SELECT 1,\n  endpont FROM messages' }),
    key: 'read',
    answer: '{"error": "Unknown column `endpont`',
  },
  {
    page: 'docs/status-page.md',
    send: 'GET /api/public/acme/summary',
    host: 'elsewhere.localhost',
    answer: '{"error": "Not found"',
  },
  {
    page: 'docs/channels.md',
    send: 'nothing',
    answer: '{"type": "channel.test"',
    exactness: 'shape',
  },
  {
    page: 'docs/webhooks.md',
    send: 'nothing',
    answer: '{"type": "incident.created"',
    exactness: 'shape',
  },
];
