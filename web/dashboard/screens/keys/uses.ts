import type { PageScope } from '../../../../contract/scopes.js';

type Use = { title: string; text: string };
type Request = { method: 'GET' | 'POST'; path: string; body?: string };

/** The first request that somebody makes with a key of each scope. */
function requestOf(scope: PageScope, slug: string): Request {
  const page = `/api/v1/pages/${encodeURIComponent(slug)}`;
  const requests: Readonly<Record<PageScope, Request>> = {
    ingest: {
      method: 'POST',
      path: '/api/v1/events',
      body: '[{"service": "shop", "endpoint": "/cart/:id", "status": 200, "ms": 12.5}]',
    },
    incident: {
      method: 'POST',
      path: '/api/v1/incidents',
      body: `{"title": "Slow answers", "summary": "Some pages load slowly.", "startedAt": "${new Date().toISOString()}"}`,
    },
    read: { method: 'GET', path: '/api/v1/analytics/totals?from=now-1h' },
    manage: { method: 'GET', path: `${page}/monitors` },
  };
  return requests[scope];
}

/** Names the key in a program, such as `INGEST_KEY`. */
export function variableOf(scope: PageScope): string {
  return `${scope.toUpperCase()}_KEY`;
}

/** Lines that use a key: with curl, with Node.js, and as a line of an environment file, which alone has the key. */
export function usesOf(given: {
  scope: PageScope;
  slug: string;
  baseUrl: string;
  key: string;
  environment: string;
}): Use[] {
  const { scope, slug, baseUrl, key, environment } = given;
  const { method, path, body } = requestOf(scope, slug);
  const variable = variableOf(scope);
  // Code of the reader, which this service does not run.
  const inNode = ['process', 'env', variable].join('.');
  const curl = [
    `curl '${baseUrl}${path}' -H "Authorization: Bearer $${variable}"`,
    ...(body === undefined ? [] : [`  -H 'Content-Type: application/json' -d '${body}'`]),
  ].join(' \\\n');
  const json = body === undefined ? '' : `, 'Content-Type': 'application/json'`;
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    `  headers: { Authorization: \`Bearer \${${inNode}}\`${json} },`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${body.replaceAll(/"(\w+)":/g, '$1:')}),`]),
  ];
  return [
    { title: 'curl', text: curl },
    {
      title: 'Node.js',
      text: [`const response = await fetch('${baseUrl}${path}', {`, ...options, '});'].join('\n'),
    },
    { title: environment, text: `${variable}=${key}` },
  ];
}
