import Router from '@koa/router';
import { Validator } from '@seriousme/openapi-schema-validator';
import t from 'tap';
import { describeApi } from '../../api/openapi/describe-api.js';
import { type Description, operationsOf } from '../support/api-description.js';
import { requestAt } from '../support/request-at.js';
import { makeRouteTable } from '../support/route-table.js';
import { startTestService } from '../support/service.js';

/** The router behind a middleware of the application, if the middleware has one. */
function routerOf(middleware: object): Router[] {
  return 'router' in middleware && middleware.router instanceof Router ? [middleware.router] : [];
}

const namesOf = (description: unknown) =>
  operationsOf(description as Description).map(({ method, path }) => `${method} ${path}`);

t.test('the description names exactly the routes that the router has', async (t) => {
  const { routes, app } = makeRouteTable();
  const routers = app.middleware.flatMap(routerOf);
  t.equal(routers.length, 1);
  const served = routers.flatMap(({ stack }) =>
    stack.flatMap(({ methods, path }) =>
      methods
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${String(path).replaceAll(/:(\w+)/g, '{$1}')}`),
    ),
  );
  t.ok(served.length >= 10);
  t.strictSame(namesOf(describeApi(routes, '/')).sort(), served.sort());
});

t.test('the description has every added route', async (t) => {
  const { routes } = makeRouteTable();
  const [first] = routes;
  if (first === undefined) throw new Error('There are no routes.');
  const more = { ...first, path: '/api/v9/thing/:id', operationId: 'another' } as const;
  t.ok(namesOf(describeApi([...routes, more], '/')).includes('POST /api/v9/thing/{id}'));
});

/** The methods of an address: `/monitors/trial` also takes the methods of a monitor with the slug `trial`. */
function methodsOf(operations: readonly { path: string; method: string }[], address: string): string[] {
  const isOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(address);
  return [...new Set(operations.filter(({ path }) => isOf(path)).map(({ method }) => method))];
}

const operationIds = `
  postEvents postReporterEvents postOtlpTraces postOtlpMetrics postRemoteWrite createIncident changeIncident
  appendUpdate postObservation postPoolReport getSummary getPublicStatus getResponseTimes
  getUpptimeSummary getPublicMetrics getIncidents getStatuspageSummary getStatuspageStatus
  getStatuspageComponents getStatuspageIncidents getStatuspageUnresolvedIncidents
  getStatuspageMaintenances getStatuspageUpcomingMaintenances getStatuspageActiveMaintenances getLogo
  getRssFeed getRssFeedInLanguage getAtomFeed getAtomFeedInLanguage getJsonFeed getJsonFeedInLanguage
  getPageBadge getPageBadgeData getBadge getBadgeData getEmbedState getEmbedPage getEmbedScript getIcon
  openPrivatePage takePass ping postPing pingReport postPingReport getOnCallCalendar getSharedBoard getSharedTile signUp subscribe showSubscribe
  showConfirmation confirm showUnsubscription unsubscribe showChoice changeChoice getRequests getTotals
  getTop getReporters getMessages getMessageGroups getFailures getFailureGroups getCalls getVersions
  getRejections getDatabaseHealth getAcquisitions getMonitors getMonitorChecks getSeriesOfMonitor getPhasesOfMonitor getMinuteMetrics
  postSql getClickhouse postClickhouse getClickhouseSlash postClickhouseSlash pingClickhouse signIn getApplySchema getHealth getReadiness getMetrics getAsset showManage showAccount
  showInstallation showPageOverview showPageScreen showDocs showDocsPage visitPrivatePage showPreview
  showSignIn signInByForm confirmSignInByForm signOutByForm beginProviderSignIn finishProviderSignIn
  showSetup setUpByForm showReset resetByForm showInvitationForm showInvitation acceptInvitationByForm
  showForgot forgotByForm showReport showSharedBoard showAlertLink answerAlertLink postMcp getDescription showStatusPage showStatusText showStatusCard
  showHistory showMonth showIncident showIncidentCard showStatusPageInLanguage showStatusTextInLanguage
  showStatusCardInLanguage showHistoryInLanguage showMonthInLanguage showIncidentInLanguage
  showIncidentCardInLanguage showSubscribeInLanguage
`
  .trim()
  .split(/\s+/);

/** The reference that `npm run docs:api` writes names those of the management API. */
const managed = new Set(
  makeRouteTable().routes.flatMap((route) => ('permission' in route ? [route.operationId] : [])),
);

/** Reads an error in JSON, or as ClickHouse writes it, without fields. */
function readRefusal(text: string): { error?: string | undefined; hint?: string | undefined } {
  if (text.startsWith('{')) return JSON.parse(text);
  const form = /^Code: 48\. DB::Exception: (Method not allowed\.) (.*) \(NOT_IMPLEMENTED\)\n$/;
  const [, error, hint] = form.exec(text) ?? [];
  return { error, hint };
}

t.test('over HTTP', async (t) => {
  const api = await startTestService(t);
  const answer = await api.get('/openapi.json');
  const description = answer.body as Description;

  t.test('200: valid OpenAPI 3.1 with description version 1.0.0', async (t) => {
    t.equal(answer.status, 200);
    t.match(answer.headers.get('content-type'), /^application\/json/);
    t.equal(description.openapi, '3.1.0');
    t.equal(description.info.version, '1.0.0');
    const validator = new Validator();
    const { valid, errors } = await validator.validate(description);
    t.ok(valid, JSON.stringify(errors));
    t.equal(validator.version, '3.1');
    t.notMatch(JSON.stringify(validator.resolveRefs()), /"\$ref"/, 'every reference has a target');
  });

  t.test('the description is sent compressed, and not again to a client that has it', async (t) => {
    const { url } = api;
    for (const path of ['/openapi.json', '/apply.schema.json']) {
      const host = new URL(url).host;
      const whole = await requestAt(url, host, path);
      const packed = await requestAt(url, host, path, { headers: { 'accept-encoding': 'gzip, br' } });
      t.equal(packed.headers.get('content-encoding'), 'br', path);
      const [bytes, packedBytes] = [whole, packed].map(({ headers }) =>
        Number(headers.get('content-length')),
      );
      t.ok(
        packedBytes !== undefined && packedBytes * 3 < (bytes ?? 0),
        `${path}: ${packedBytes} of ${bytes} bytes`,
      );
      const again = await requestAt(url, host, path, {
        headers: { 'if-none-match': whole.headers.get('etag') ?? '' },
      });
      t.same([again.status, again.body], [304, ''], path);
    }
  });

  t.test('its server is where the service listens', async (t) => {
    t.strictSame(description.servers, [{ url: api.url }]);
  });

  t.test('operation ids stay the same: generated clients have functions with these names', async (t) => {
    const ids = operationsOf(description).map(({ operation }) => operation.operationId);
    t.strictSame(
      ids.filter((id) => !managed.has(id)),
      operationIds,
    );
    t.equal(new Set(ids).size, ids.length);
  });

  t.test('every operation and parameter is described', async (t) => {
    const undescribed = operationsOf(description).flatMap(({ method, path, operation }) => [
      ...(/^[A-Z].*\.$/.test(operation.description) ? [] : [`${method} ${path}`]),
      ...(operation.parameters ?? [])
        .filter(({ $ref, description: text = '' }) => $ref === undefined && text === '')
        .map(({ name }) => `${method} ${path}: ${name}`),
    ]);
    t.strictSame(undescribed, []);
  });

  t.test('every body has a schema, and none a default, which generators take for required', async (t) => {
    const wrong = operationsOf(description).flatMap(({ method, path, operation }) =>
      [...Object.values(operation.responses), operation.requestBody ?? {}]
        .flatMap(({ content = {} }) => Object.entries(content))
        .filter(([, { schema }]) => /"default":|^\{\}$/.test(JSON.stringify(schema)))
        .map(([type]) => `${method} ${path} ${type}`),
    );
    t.strictSame(wrong, []);
    t.notMatch(JSON.stringify(description.components.schemas), '"default":');
    t.match(JSON.stringify(description.components.schemas), '`GET` when missing');
  });

  t.test('every operation exists, and requires a key exactly when the description says so', async (t) => {
    const wrong: string[] = [];
    for (const { path, method, operation } of operationsOf(description)) {
      const { security, responses } = operation;
      const url = api.url + path.replaceAll(/\{\w+\}/g, 'x');
      const { status } = await fetch(url, { method });
      const isRight = security.length > 0 ? status === 401 : status !== 401 && status < 500;
      if (!isRight) wrong.push(`${method} ${path}: ${status}`);
      if (!(String(status) in responses)) wrong.push(`${method} ${path} does not describe its ${status}`);
    }
    t.strictSame(wrong, []);
  });

  t.test('401: the message names the kind of key', async (t) => {
    const wrong: string[] = [];
    for (const { path, method, operation } of operationsOf(description)) {
      const { security } = operation;
      if (security.length === 0 || managed.has(operation.operationId)) continue;
      const kind = 'ingest' in (security[0] ?? {}) ? 'ingest key' : 'API key';
      const answer = await fetch(api.url + path, { method });
      const { hint, error } = (await answer.json()) as { hint: string; error: string };
      if (error !== `Invalid or revoked ${kind}.` || !hint.includes('Authorization'))
        wrong.push(`${method} ${path}: ${error} ${hint}`);
    }
    t.strictSame(wrong, []);
  });

  t.test('405: every other method of every path, with Allow', async (t) => {
    // Views exist on the host of a page only: get-status-page.test.ts tests those.
    const all = operationsOf(description);
    const views = new Set(all.flatMap(({ path, operation }) => ('308' in operation.responses ? [path] : [])));
    const operations = all.filter(({ path }) => !views.has(path));
    const wrong: unknown[] = [];
    for (const path of new Set(operations.map((one) => one.path))) {
      const known = methodsOf(operations, path);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
        (name) => !known.includes(name),
      )) {
        const answer = await fetch(api.url + path, { method });
        const { error, hint = '' } = readRefusal(await answer.text());
        // Every GET takes HEAD as well, and any-origin.test.ts tests which ones take OPTIONS.
        const allowed = (answer.headers.get('allow') ?? '')
          .split(', ')
          .filter((name) => !['HEAD', 'OPTIONS'].includes(name));
        const isRight =
          answer.status === 405 &&
          error === 'Method not allowed.' &&
          /^This address takes [A-Z]+( and [A-Z]+)*\.$/.test(hint) &&
          allowed.sort().join() === known.sort().join();
        if (!isRight) wrong.push({ method, path, status: answer.status, error, hint, allowed, known });
      }
    }
    t.strictSame(wrong, []);
  });

  t.test('404: any other path', async (t) => {
    for (const path of [
      ...['/api', '/nowhere', '/en/history', '/%E0%A4%A'],
      ...['/api/v1', '/api/v3/events', '/api/v1/events/1', '/../etc/passwd'],
    ]) {
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(api.url + path, { method });
        t.equal(answer.status, 404, `${method} ${path}`);
        t.strictSame(await answer.json(), { error: 'Not found', code: 'not_found' });
      }
    }
  });
});
