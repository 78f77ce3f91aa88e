import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { createApp, createListener } from '../../api/app.js';
import { listen } from '../../api/http-server.js';
import type { BatchRoute } from '../../api/route.js';
import { eventRoutes } from '../../api/routes/events.js';
import { noteSeenVersions } from '../../control/deployments/index.js';
import { createKeyCache } from '../../control/keys/index.js';
import { createDeliveryBuffer } from '../../ingest/buffer/delivery-buffer.js';
import { createCumulativeCommit } from '../../ingest/cumulative/cumulative-commit.js';
import { createNameRegistry } from '../../ingest/names/name-registry.js';
import { createVersionRegistry } from '../../ingest/names/version-registry.js';
import { tracesRequest } from '../../ingest/otlp/schemas.js';
import { createIngest } from '../../ingest/pipeline.js';
import { createPostgresCommit } from '../../ingest/postgres/postgres-commit.js';
import { createServiceSignals } from '../../ingest/signals/service-signals.js';
import { systemClock } from '../../lib/clock.js';
import { deferred } from '../../lib/deferred.js';
import { newId, type PageId } from '../../lib/ids.js';
import { messagesMax } from '../../lib/protobuf/decode.js';
import { hourMs } from '../../lib/times.js';
import { createMetrics } from '../../service/metrics.js';
import { captureLog } from '../support/capture-log.js';
import { makeControlledStore } from '../support/controlled-store.js';
import { stopTime } from '../support/fake-time.js';
import { likeServiceError } from '../support/like-service-error.js';
import { encodeOtlp } from '../support/otlp.js';
import { makeKey, makePage, setPage } from '../support/pages.js';
import { openConnection } from '../support/raw-http.js';
import { openTestPostgres } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';

const { sql } = await openTestPostgres(t);
const captured = captureLog();
const { log } = captured;
const deps = { sql, clock: systemClock, log };
const { id: pageId } = await makePage(sql);
await makePage(sql, { slug: 'without' });
await setPage(deps, { slug: 'without', capabilities: { 'internal-analytics': false } });
const { key } = await makeKey(deps, { slug: 'acme', scope: 'ingest' });
const { key: readKey } = await makeKey(deps, { slug: 'acme', scope: 'read' });
const { key: incapableKey } = await makeKey(deps, { slug: 'without', scope: 'ingest' });

const { commit: metrics, ingest: counts } = createMetrics();
const store = makeControlledStore();
const buffer = createDeliveryBuffer(deps, 'default');
const commit = createPostgresCommit({ store, buffer, log, metrics });
const cumulative = createCumulativeCommit({ store, buffer, log, metrics });
t.teardown(() => commit.close());
const registry = createNameRegistry(deps);
const rejections = { add() {}, addUnread() {} };
const ingest = createIngest({
  ...{ ...deps, registry, metrics: counts, rejections },
  versions: createVersionRegistry({ ...deps, noteVersions: noteSeenVersions }),
  signals: createServiceSignals(deps),
  commitOf: () => commit,
  postgresCommitOf: () => commit,
  cumulativeCommitOf: () => cumulative,
});

const hanging = deferred<object>();
let signal: AbortSignal | undefined;
const events = eventRoutes({ ingest });
const makeRoute = (path: `/${string}`, accept: BatchRoute['accept']): BatchRoute[] =>
  events.slice(0, 1).map((route) => ({ ...route, path, accept }));
const routes: BatchRoute[] = [
  ...events,
  ...makeRoute('/throws', () => {
    throw new Error('A defect.');
  }),
  ...makeRoute('/hangs', (_grant, _body, time) => {
    signal = time.leave();
    return hanging.promise;
  }),
];
// PostgreSQL never gets a query that begins while the time of a test stands still.
const keys = createKeyCache({ ...deps, pollEveryMs: hourMs });
await keys.start();
t.teardown(() => keys.stop());
const bodyTimeoutMs = 400;

/** Requests as they are counted, without their time. */
type Counted = { route: string; method: string; status: number; seconds: number };

async function serve(makeListener: (app: Parameters<typeof createListener>[0]) => RequestListener) {
  const counted: Counted[] = [];
  const request = (route: string, method: string, status: number, seconds: number) =>
    void counted.push({ route, method, status, seconds });
  const listener = makeListener({ routes, keys, bodyTimeoutMs, log, metrics: { request } });
  const server = await listen(listener, '127.0.0.1', 0);
  t.teardown(() => server.close(0));
  return { url: server.url, counted };
}

const fast = await serve(createListener);
const koa = await serve((app) => createApp(app).callback());

const path = '/api/v1/events';
const batch = '[{"endpoint":"/a","status":200,"service":"s"},{"endpoint":"/b","status":700}]';
const reporter = { reporterId: 'r', englishName: 'R', region: 'eu', team: 'a', expectedEverySeconds: 60 };
const bearer = `authorization: Bearer ${key}`;
const lengthOf = (body: string) => `content-length: ${Buffer.byteLength(body, 'latin1')}`;

/** A request as one text, each character a byte. Has a length unless it has a coding. */
function post(body = batch, headers: readonly string[] = [bearer], target = `POST ${path} HTTP/1.1`): string {
  const hasFrame = headers.some((header) => /^(?:content-length|transfer-encoding):/.test(header));
  const own = ['host: acme.localhost', 'x-request-id: mine', ...headers];
  return `${[target, ...own, ...(hasFrame ? [] : [lengthOf(body)])].join('\r\n')}\r\n\r\n${body}`;
}

const close = 'connection: close';
const chunked = 'transfer-encoding: chunked';
const gzip = 'content-encoding: gzip';
const zipped = gzipSync(batch).toString('latin1');
const chunks = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const tooMany = JSON.stringify(Array.from({ length: 1_001 }, () => ({ endpoint: '/a', status: 200 })));
const most = 2 * 1024 * 1024;

/** Each ends with a request after which the connection closes. */
const requests: Record<string, string> = {
  ...{ 'a batch': post(batch, [bearer, close]), 'no event': post('[]', [bearer, close]) },
  'a report': post(JSON.stringify({ reporter, events: [] }), [bearer, close], 'POST /api/v2/events HTTP/1.1'),
  'no reporter': post(batch, [bearer, close], 'POST /api/v2/events HTTP/1.1'),
  ...{ 'no body': post('', [bearer, close]), 'no JSON': post('{', [bearer, close]) },
  ...{ 'no array': post('{}', [bearer, close]), 'too many': post(tooMany, [bearer, close]) },
  'a byte order mark': post(`\xef\xbb\xbf${batch}`, [bearer, close]),
  'neither a length nor a coding': `POST ${path} HTTP/1.1\r\nhost: a\r\nx-request-id: mine\r\n${bearer}\r\n${close}\r\n\r\n`,
  ...{ 'no key': post(batch, [close]), 'no such key': post(batch, [`${bearer.slice(0, -1)}_`, close]) },
  'an unknown key': post(batch, [`authorization: Bearer key_ingest_${'x'.repeat(43)}`, close]),
  'the key of another header': post(batch, [`x-api-key: ${key}`, close]),
  'two keys': post(batch, [bearer, `authorization: Bearer ${readKey}`, close]),
  'the wrong scope': post(batch, [`authorization: Bearer ${readKey}`, close]),
  'no capability': post(batch, [`authorization: Bearer ${incapableKey}`, close]),
  'a compressed body': post(zipped, [bearer, gzip, close]),
  'a compressed body cut short': post(zipped.slice(0, -9), [bearer, gzip, close]),
  'more behind a compressed body': post(`${zipped}x`, [bearer, gzip, close]),
  'not compressed': post(batch, [bearer, gzip, close]),
  'an unknown coding': post(batch, [bearer, 'content-encoding: zstd', close]),
  chunks: post(chunks(batch), [bearer, chunked, close]),
  'chunks without an end': post('zz\r\n', [bearer, chunked, close]),
  'chunks and a length': post(chunks(batch), [bearer, chunked, 'content-length: 3', close]),
  'two lengths': post(batch, [bearer, lengthOf(batch), 'content-length: 3', close]),
  'a length that is none': post(batch, [bearer, 'content-length: -1', close]),
  'a length below that of the body': post(batch, [bearer, 'content-length: 2']),
  'too long a length': post('', [bearer, `content-length: ${most + 1}`, close]),
  'too much in chunks': post(chunks(' '.repeat(most + 1)), [bearer, chunked, close]),
  'too slow a body': post('[', [bearer, 'content-length: 3', close]),
  'too slow chunks': post('1\r\n[\r\n', [bearer, chunked, close]),
  expectation: post(batch, [bearer, 'expect: 100-continue', close]),
  'another expectation': post(batch, [bearer, 'expect: more', close]),
  'two hosts': post(batch, [bearer, 'host: b', close]),
  'no host': `POST ${path} HTTP/1.1\r\nx-request-id: mine\r\n${bearer}\r\n${lengthOf(batch)}\r\n${close}\r\n\r\n${batch}`,
  'HTTP/1.0': post(batch, [bearer], `POST ${path} HTTP/1.0`),
  ...Object.fromEntries(
    [`${path}?a=1`, `${path}#a`, `${path}/`, path.toUpperCase(), `/${path}`, '/api/v1/%65vents'].map(
      (target) => [target, post(batch, [bearer, close], `POST ${target} HTTP/1.1`)],
    ),
  ),
  ...Object.fromEntries(
    ['GET', 'HEAD', 'OPTIONS', 'PUT'].map((method) => [
      method,
      post(batch, [bearer, close], `${method} ${path} HTTP/1.1`),
    ]),
  ),
  'a defect': post(batch, [bearer, close], 'POST /throws HTTP/1.1'),
  'several in a row': [post(), post('{'), post(batch, []), post(), post(batch, [bearer, close])].join(''),
  'a broken body behind a batch': post() + post('zz\r\n', [bearer, chunked]),
  'no HTTP behind a batch': `${post()}no HTTP\r\n\r\n`,
  'no HTTP behind a refused batch': `${post(batch, [])}no HTTP\r\n\r\n`,
};

/** The parser refuses their head. */
const neverRequests = new Set(['chunks and a length', 'two lengths', 'a length that is none']);

/** Everything that a server answers to the bytes, until it closes the connection. */
async function ask(t: Test, { url }: { url: string }, bytes: string): Promise<string> {
  const connection = await openConnection(t, url);
  connection.send(Buffer.from(bytes, 'latin1'));
  return (await connection.readToEnd()).replaceAll(/^Date: .*\r\n/gm, '');
}

t.test('an answer equals that of the application, byte for byte, and counts and logs as much', async (t) => {
  // The names are registered from here on.
  for (const server of [fast, koa]) await ask(t, server, requests['a batch'] ?? '');
  const seen = new Set<string>();
  for (const [what, bytes] of Object.entries(requests)) {
    const outcomes: object[] = [];
    for (const server of [koa, fast]) {
      server.counted.splice(0);
      const before = captured.entries().length;
      const answer = await ask(t, server, bytes);
      const count = bytes.split('x-request-id: mine').length - 1 - (neverRequests.has(what) ? 1 : 0);
      await waitUntil('the requests are counted', () => server.counted.length === count);
      const lines = captured
        .entries()
        .slice(before)
        .map(({ time: _time, ms: _ms, err, ...line }) =>
          JSON.stringify({ ...line, fails: err !== undefined }),
        );
      const counted = server.counted.map(({ seconds: _seconds, ...request }) => JSON.stringify(request));
      outcomes.push({ answer, counted: counted.sort(), lines: lines.sort() });
      for (const [, status = ''] of answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)) seen.add(status);
    }
    t.strictSame(outcomes[1], outcomes[0], what);
  }
  const expected = ['202', '400', '401', '403', '404', '405', '408', '413', '415', '417', '500'];
  t.strictSame([...seen].sort(), expected);
});

t.test('a batch for an absolute target is accepted', async (t) => {
  const bytes = post(batch, [bearer, close], `POST http://b.localhost${path} HTTP/1.1`);
  t.match(await ask(t, fast, bytes), /^HTTP\/1\.1 202 /);
});

t.test('pipelined batches are answered in their order, whatever becomes of each', async (t) => {
  const count = 300;
  const all = Array.from({ length: count }, (_, i) => {
    const headers = [
      `x-request-id: ${i}`,
      ...(i % 7 === 0 ? [] : [bearer]),
      ...(i === count - 1 ? [close] : []),
    ];
    const body = i % 5 === 0 ? chunks(batch) : batch;
    return post(body, [...headers, ...(i % 5 === 0 ? [chunked] : [])]).replace('x-request-id: mine\r\n', '');
  });
  const answer = await ask(t, fast, all.join(''));
  t.strictSame(
    [...answer.matchAll(/HTTP\/1\.1 (\d+) [\s\S]*?x-request-id: (\d+)/g)].map(([, ...pair]) =>
      pair.join(' '),
    ),
    all.map((_, i) => `${i % 7 === 0 ? 401 : 202} ${i}`),
  );
});

t.test('a body is the same in any number of parts', async (t) => {
  const part = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const marked = `\xef\xbb\xbf${batch}`;
  const counted: unknown[] = [];
  for (const lengths of [[1, 1, 1, 1], [1, 2], [3], [5, 70], Array.from(marked, () => 1)]) {
    let rest = marked;
    const parts = lengths.map((length) => {
      const text = rest.slice(0, length);
      rest = rest.slice(length);
      return part(text);
    });
    const body = [...parts, ...(rest === '' ? [] : [part(rest)]), part('')].join('');
    const answer = await ask(t, fast, post(body, [bearer, chunked, close]));
    counted.push(/"accepted":\d,"rejected":\d/.exec(answer)?.[0] ?? answer);
  }
  t.strictSame(counted, Array(5).fill('"accepted":1,"rejected":1'));
});

t.test('a body in pieces, and one that ends with its time, count from when the request came', async (t) => {
  const connection = await openConnection(t, fast.url);
  const bytes = post();
  for (const byte of bytes) connection.send(byte);
  t.match(await connection.readUntil(/\}$/), /"accepted":1/);
  fast.counted.splice(0);
  t.match(await ask(t, fast, requests['too slow a body'] ?? ''), /^HTTP\/1.1 408 /);
  t.match(fast.counted, [{ status: 408 }]);
  t.ok((fast.counted[0]?.seconds ?? 0) >= bodyTimeoutMs / 1000 - 0.01, 'the wait is in the metric');
});

t.test('a caller that hangs up is a 499, in its body and while it waits', async (t) => {
  fast.counted.splice(0);
  for (const bytes of [
    post('[', [bearer, 'content-length: 9']),
    post(batch, [bearer], 'POST /hangs HTTP/1.1'),
  ]) {
    const before = fast.counted.length;
    const connection = await openConnection(t, fast.url);
    connection.send(bytes);
    // The server has read what came before.
    await ask(t, fast, post('', [close], 'GET /nowhere HTTP/1.1'));
    connection.socket.destroy();
    if (bytes.includes('/hangs')) {
      await waitUntil('the signal ends the work', () => signal?.aborted === true);
      hanging.resolve({ accepted: 0 });
    }
    await waitUntil('the request has ended', () => fast.counted.length > before + 1);
  }
  t.match(
    fast.counted.filter(({ route }) => route !== 'none'),
    [{ status: 499 }, { status: 499, route: '/hangs' }],
  );
});

t.test('a page rests after a body of OTLP that was refused for its many objects', async (t) => {
  const body = encodeOtlp({ resourceSpans: Array(messagesMax).fill({}) }, tracesRequest);
  const [loud, quiet] = [newId<PageId>(0), newId<PageId>(0)];
  const form = { signal: 'traces', encoding: 'protobuf' } as const;
  const time = { answerBy: Number.POSITIVE_INFINITY };
  await t.rejects(ingest.acceptOtlp(loud, body, form, time), likeServiceError('bodyTooLarge'));
  const answered: string[] = [];
  const accept = async (name: string, pageId: PageId): Promise<void> => {
    await ingest.acceptOtlp(pageId, Buffer.alloc(0), form, time);
    answered.push(name);
  };
  await Promise.all([accept('the same page', loud), accept('another page', quiet)]);
  t.strictSame(answered, ['another page', 'the same page']);
});

t.test('work that takes 8.5 s is answered with 503', async (t) => {
  const advance = stopTime(t);
  Object.assign(hanging, deferred<object>());
  signal = undefined;
  // Its timers begin in the stopped time.
  const { url } = await serve(createListener);
  const connection = await openConnection(t, url);
  connection.send(post(batch, [bearer, close], 'POST /hangs HTTP/1.1'));
  while (signal === undefined) await advance(0);
  await advance(8_400);
  t.equal((signal as AbortSignal).aborted, false);
  await advance(200);
  t.match(await connection.readToEnd(), /^HTTP\/1\.1 503 [\s\S]*retry-after: 2\r\n/i);
  t.ok((signal as AbortSignal).aborted);
  hanging.reject(new Error('Late.'));
});

t.test(
  'the memory of a body is freed once its events are in a block, and kept when it is refused',
  async (t) => {
    const event = { service: 'shop', endpoint: '/of-a-new-service', method: 'GET', status: 200 };
    const makeBody = (one: object, count: number) => Buffer.from(JSON.stringify(Array(count).fill(one)));
    const time = { answerBy: Number.POSITIVE_INFINITY };
    const lengths: number[] = [];
    for (const message of ['before its names are known', 'after']) {
      const body = makeBody({ ...event, message }, 100);
      t.match(await ingest.acceptEvents(pageId, [body], time), { accepted: 100 });
      lengths.push(body.length);
    }
    t.strictSame(lengths, [0, 0]);
    const refused = makeBody(event, 1_001);
    await t.rejects(ingest.acceptEvents(pageId, [refused], time), likeServiceError('tooManyEvents'));
    t.not(refused.length, 0);
  },
);
