import { createServer } from 'node:http';
import t from 'tap';
import { createApp } from '../../api/app.js';
import type { OpenRoute } from '../../api/route.js';
import { createRouteTable } from '../../api/route-table.js';
import { createKeyCache } from '../../control/keys/index.js';
import { systemClock } from '../../lib/clock.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { listenUntilEnd } from '../support/listen.js';
import { requestAt } from '../support/request-at.js';
import { silentLog } from '../support/silent-log.js';

const answer = { status: 200, headers: [], body: undefined };

/** Answers with its path and the parameters that the router has found. */
const makeRoute = (path: `/${string}`, isPeekable = true, isView = false): OpenRoute => ({
  ...{ method: 'GET', path, operationId: path, summary: path, answers: {}, errors: [] },
  handle(ctx) {
    ctx.body = { path, params: { ...ctx['params'] } };
  },
  ...(isPeekable && { peek: () => answer }),
  ...(isView && { redirectsOtherForms: true }),
});
const makeView = (path: `/${string}`): OpenRoute => makeRoute(path, true, true);

const routes = [
  makeRoute('/api/public/:slug/summary'),
  makeRoute('/badge/:service.svg'),
  makeRoute('/embed.js', false),
  makeRoute('/:language/feed.rss'),
  makeView('/'),
  makeView('/history'),
  makeView('/:language/'),
  makeView('/:language/history'),
  makeView('/:language'),
];

// The routes need no key, so no query connects.
const keys = createKeyCache({
  ...{ sql: openPostgres('postgres://none@127.0.0.1:1/none'), clock: systemClock, log: silentLog },
});
const deps = { routes, keys, bodyTimeoutMs: 1_000 };
const table = createRouteTable(deps);
const server = createServer(createApp({ ...deps, log: silentLog, metrics: { request() {} } }).callback());
const url = `http://127.0.0.1:${await listenUntilEnd(t, server)}`;

t.test('the fast path finds the route and the parameters that the application finds', async (t) => {
  for (const path of [
    ...['/', '/de', '/de/', '/DE/', '/history', '/History/', '/de/history', '/de/history/'],
    ...['/api/public/acme/summary', '/API/public/Acme/Summary/', '/api/public/ac%6De/summary'],
    ...['/feed.rss/', '/DE/Feed.rss', '/de/feed.rss/', '/Badge/a.svg'],
    ...[
      '/badge/payments.svg',
      '/badge/a.b.svg',
      '/badge/',
      '/de/feed.rss',
      '/de/feed%2Erss',
      '/a%2Fb/history',
    ],
  ]) {
    const { status, body } = await requestAt(url, 'acme.localhost', path);
    const found = table.findPeekable(path);
    t.strictSame(
      found && { path: found.route.path, params: { ...found.params } },
      status === 200 ? body : undefined,
      path,
    );
  }
});

t.test('nothing is found for unknown paths, and for routes that do not answer from memory', async (t) => {
  for (const path of ['/embed.js', '/nowhere/at/all', '/api/public/acme', '/badge/payments.png']) {
    t.equal(table.findPeekable(path), undefined, path);
  }
});
