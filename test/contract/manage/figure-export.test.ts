import t from 'tap';
import {
  deleteFigureExport,
  findFigureExport,
  setFigureExport,
} from '../../../control/figure-exports/index.js';
import { systemClock } from '../../../lib/clock.js';
import { hourMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { startBucket } from '../../support/bucket.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { openManageClient } from '../../support/manage-client.js';
import { setPage } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { allowPrivateAddresses: true, roles: withoutJobs });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
const bucket = await startBucket(t);
const path = '/acme/figure-export';
const { secretAccessKey, ...settings } = bucket.settings;
const whole = { ...settings, secretAccessKey };
const put = (body: unknown, options: Parameters<typeof send>[3] = {}) => send('PUT', path, body, options);
const entries = async () => [
  ...(await sql`
    select action, before, after from audit_log where target_type = 'figure-export' order by at, id`),
];

t.test('404: a page that exports nothing', async (t) => {
  for (const [method, at] of [
    ['GET', path],
    ['DELETE', path],
    ['POST', `${path}/test`],
  ] as const)
    t.match(await send(method, at), {
      status: 404,
      body: { error: 'The page does not export its figures.' },
    });
});

t.test('400: what does not fit is named, and changes nothing', async (t) => {
  const cases: [body: object, error: RegExp][] = [
    [settings, /\/secretAccessKey is required/],
    [{ ...whole, endpoint: 's3.example.com' }, /not a URL/],
    [{ ...whole, endpoint: 'ftp://s3.example.com' }, /http/],
    [{ ...whole, endpoint: `${settings.endpoint}/figures` }, /without the bucket/],
    [{ ...whole, bucket: 'a/b' }, /\/bucket/],
    [{ ...whole, prefix: '/a' }, /\/prefix/],
    [{ ...whole, prefix: 'a/../b' }, /\/prefix must not have/],
    [{ ...whole, tables: [] }, /\/tables/],
    [{ ...whole, tables: ['keys'] }, /\/tables\/0/],
    [{ ...whole, format: 'xml' }, /\/format/],
    [{ ...whole, since: '2020-01-01T00:00:00Z' }, /\/since must be/],
    [{ ...whole, since: 'soon' }, /\/since must match/],
    [{ ...whole, unknown: 1 }, /unknown/],
  ];
  for (const [body, error] of cases)
    t.match(await put(body), { status: 400, body: { error } }, String(error));
  t.equal((await send('GET', path)).status, 404);
  t.same(await entries(), []);
});

t.test('201, then 200 without a change; the secret stays inside', async (t) => {
  t.equal((await put(whole, { headers: { 'if-match': '"a-b"' } })).status, 412);
  const made = await put(whole);
  t.equal(made.status, 201, JSON.stringify(made.body));
  const usual = { prefix: 'acme', format: 'parquet', tables: ['requests_hour'], enabled: true };
  const state = { lastPutAt: null, failures: 0, lastError: null };
  t.match(made.body, { ...settings, ...usual, hasSecret: true, state });
  t.equal((await put(settings)).status, 200, 'the secret stays when it is absent');
  t.equal((await put(whole, { headers: { 'if-none-match': '*' } })).status, 412);
  const shown = await send('GET', path);
  t.same(shown.body, made.body);
  const tag = shown.headers.get('etag') ?? '';
  t.equal((await send('GET', path, undefined, { headers: { 'if-none-match': tag } })).status, 304);
  t.match(await entries(), [
    { action: 'figure-export.create', before: null, after: { bucket: 'figures', tables: ['requests_hour'] } },
  ]);
  t.notOk(JSON.stringify([made.body, shown.body, await entries()]).includes(secretAccessKey));
});

t.test('200: a change, from a given hour', async (t) => {
  const since = new Date(Date.now() - 3 * hourMs).toISOString();
  const begun = `${since.slice(0, 13)}:00:00.000Z`;
  const added = await put({ ...settings, tables: ['checks', 'requests_hour'], since });
  const [requests] = (await findFigureExport({ sql }, service.pageId))?.progress ?? [];
  const goesOn = new Date(requests?.exportedUntil ?? 0).toISOString();
  t.ok(goesOn > begun, 'the table that was there goes on where it is');
  const state = {
    exportedUntil: begun,
    tables: [
      { table: 'requests_hour', exportedUntil: goesOn },
      { table: 'checks', exportedUntil: begun, finalUntil: begun },
    ],
  };
  t.match(added, { status: 200, body: { tables: ['requests_hour', 'checks'], state } });
  const again = await put({ ...settings, tables: ['checks', 'requests_hour'], since });
  t.same(again.body, added.body, 'the same again changes nothing');
  const earlier = new Date(Date.parse(begun) - hourMs).toISOString();
  const changed = await put({ ...settings, tables: ['checks', 'requests_hour'], since: earlier });
  t.match(changed.body, { state: { tables: [{ exportedUntil: earlier }, { exportedUntil: earlier }] } });
  t.match((await put({ ...settings, enabled: false })).body, {
    enabled: false,
    state: { nextAttemptAt: null },
  });
  t.match((await entries()).at(-3), {
    action: 'figure-export.update',
    after: { tables: ['requests_hour', 'checks'], since: begun },
  });
  t.equal((await put({ ...whole, secretAccessKey: 'another secret' })).status, 200);
  t.match((await entries()).at(-1), { after: { secretChanged: true, enabled: true } });
  t.notOk(JSON.stringify(await entries()).includes('another secret'));
  t.equal((await put(whole)).status, 200);
});

t.test('another endpoint or key needs the secret again', async (t) => {
  for (const other of [{ endpoint: 'https://s3.example.com' }, { accessKeyId: 'somebody' }]) {
    t.match(await put({ ...settings, ...other }), {
      status: 400,
      body: { error: /secretAccessKey is required/ },
    });
  }
});

t.test('200: a test puts an object, and says what the bucket answers', async (t) => {
  const test = () => send('POST', `${path}/test`);
  t.match(await test(), { status: 200, body: { isUsable: true, error: null } });
  t.match(String(bucket.objects.get('acme/heartline-test.txt')?.body), 'Heartline can put objects');
  t.match((await entries()).at(-1), {
    action: 'figure-export.test',
    after: { object: 'heartline-test.txt', error: null },
  });
  const denied = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
  for (const [reply, error] of [
    [{ status: 403, body: denied }, 'The bucket answers 403 (AccessDenied): Access Denied'],
    [{ status: 503, body: '<html>' }, 'The bucket answers 503.'],
    [
      { status: 301, body: '<Code>PermanentRedirect</Code>' },
      /answers 301 \(PermanentRedirect\), and redirects/,
    ],
  ] as const) {
    bucket.answer = () => reply;
    t.match(await test(), { status: 200, body: { isUsable: false, error } });
    t.match((await entries()).at(-1), { action: 'figure-export.test', after: { error } }, 'a failure too');
  }
  bucket.answer = () => undefined;
  await put({ ...whole, secretAccessKey: 'wrong' });
  t.match((await test()).body, { isUsable: false, error: /SignatureDoesNotMatch/ });
  await put(whole);
});

t.test('429: one test of a page at a time', async (t) => {
  let arrived = (): void => {};
  let release = (): void => {};
  const isThere = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  bucket.answer = async () => {
    arrived();
    await isReleased;
    return undefined;
  };
  const first = send('POST', `${path}/test`);
  await isThere;
  t.match(await send('POST', `${path}/test`), { status: 429, body: { error: /is tried now/ } });
  release();
  t.match(await first, { status: 200, body: { isUsable: true } });
  bucket.answer = () => undefined;
});

t.test('409: another page exports to the same place', async (t) => {
  const deps = { sql, clock: systemClock, by: testActor, secretKey: testSecretKey };
  await setFigureExport(deps, service.otherPageId, { ...whole, prefix: 'taken' });
  t.match(await put({ ...settings, prefix: 'taken' }), {
    status: 409,
    body: { code: 'conflict', field: '/prefix', error: /Another page exports to this bucket/ },
  });
  t.match((await send('GET', path)).body, { prefix: 'acme' });
  await deleteFigureExport(deps, service.otherPageId);
});

t.test('403: a page without analytics exports nothing, and may look at the export and end it', async (t) => {
  const deps = { sql, clock: systemClock };
  await setPage(deps, { slug: 'acme', capabilities: { 'internal-analytics': false } });
  const refused = { status: 403, body: { code: 'capability.unavailable' } };
  t.match(await put(whole), refused);
  t.match(await send('POST', `${path}/test`), refused);
  t.equal((await send('GET', path)).status, 200);
  await setPage(deps, { slug: 'acme', capabilities: { 'internal-analytics': true } });
});

t.test('403, 404: who may not see it, and another page', async (t) => {
  for (const method of ['GET', 'DELETE'] as const) {
    t.equal((await send(method, path, undefined, { key: keys.read })).status, 403);
    t.equal((await send(method, path, undefined, { key: keys.other })).status, 404);
  }
  const deps = { sql, clock: systemClock };
  const { headers } = await signInAs(deps, { slug: 'acme', role: 'editor' });
  t.equal((await put(whole, { key: null, headers })).status, 403);
  t.equal((await put(whole, { key: keys.other })).status, 404);
  t.equal((await send('POST', `${path}/test`, undefined, { key: keys.other })).status, 404);
  t.equal((await send('GET', '/other/figure-export', undefined, { key: keys.other })).status, 404);
});

t.test('204: nothing is exported any more', async (t) => {
  t.equal((await send('DELETE', path, undefined, { headers: { 'if-match': '"a-b"' } })).status, 412);
  t.equal((await send('DELETE', path)).status, 204);
  t.equal((await send('GET', path)).status, 404);
  t.match((await entries()).at(-1), { action: 'figure-export.delete', after: null });
  t.notOk(JSON.stringify(await entries()).includes(secretAccessKey));
});
