import { gzipSync } from 'node:zlib';
import type { Test } from 'tap';
import { revokeKey } from '../../control/keys/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from './actor.js';
import { makeKey, setPage } from './pages.js';
import { openConnection, postHead } from './raw-http.js';
import { countRequests } from './rollups.js';
import type { Answer, TestService } from './service.js';
import { waitUntil } from './wait-until.js';

const invalidKey = { error: 'Invalid or revoked ingest key.', code: 'ingest_key.invalid' };
const event = { endpoint: '/a', status: 200 };

/**
 * The refusals that both versions of the event route share, one subtest each. `bodyOf` makes a valid body from
 * events. The last subtest checks that the store has nothing of the refused requests.
 */
export async function testRefusals(
  t: Test,
  api: TestService,
  path: string,
  bodyOf: (events: unknown[]) => object,
): Promise<void> {
  const good = bodyOf([event]);
  const isRefusal = (t: Test, answer: Answer, status: number, error: string, what = error) => {
    t.equal(answer.status, status, what);
    const { hint, code, ...body } = answer.body as { hint?: string; code?: string };
    t.strictSame(body, { error }, what);
    t.type(code, 'string');
    if ([401, 403, 405].includes(status)) t.match(hint, /\.$/, what);
    t.match(answer.headers.get('content-type'), /^application\/json/);
  };

  await t.test('400: the body is not JSON', async (t) => {
    for (const body of ['', '{', 'events=1', '[{"endpoint":"/a","status":200}', '[NaN]', '\u0000']) {
      isRefusal(t, await api.post(path, body), 400, 'The request body is not valid JSON.', body);
    }
    const latin1 = Buffer.from('[{"endpoint":"/é","status":200}]', 'latin1');
    isRefusal(t, await api.post(path, latin1), 400, 'The request body is not valid UTF-8.');
  });

  await t.test('400: the body does not inflate', async (t) => {
    const zipped = gzipSync(JSON.stringify(good));
    for (const body of [
      Buffer.from('[]'),
      zipped.subarray(0, -12),
      Buffer.concat([zipped.subarray(0, 20), zipped]),
    ]) {
      const answer = await api.post(path, body, { headers: { 'content-encoding': 'gzip' } });
      isRefusal(t, answer, 400, 'The request body could not be decompressed.');
    }
    const answer = await api.post(path, Buffer.from([1, 2, 3]), { headers: { 'content-encoding': 'br' } });
    isRefusal(t, answer, 400, 'The request body could not be decompressed.');
  });

  await t.test('401: no key, or a malformed one', async (t) => {
    isRefusal(t, await api.post(path, good, { key: null }), 401, invalidKey.error);
    const { ingestKey } = api;
    const headers = ['', 'Bearer', 'Bearer ', ingestKey, `Basic ${ingestKey}`, `Bearer ${ingestKey}x`];
    headers.push(
      `Bearer ${ingestKey.slice(0, -1)}`,
      `Bearer ${ingestKey} ${ingestKey}`,
      'Bearer key_ingest_',
    );
    headers.push(`Bearer ${ingestKey.toUpperCase()}`, `Bearer "${ingestKey}"`, `Bearer ${'x'.repeat(8_000)}`);
    for (const authorization of headers) {
      const answer = await api.post(path, good, { key: null, headers: { authorization } });
      isRefusal(t, answer, 401, invalidKey.error, authorization.slice(0, 70));
      t.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  });

  await t.test('401: an unknown key', async (t) => {
    const key = `key_ingest_${'0'.repeat(43)}`;
    isRefusal(t, await api.post(path, good, { key }), 401, invalidKey.error);
    isRefusal(t, await api.post(path, good, { key }), 401, invalidKey.error, 'and again');
  });

  await t.test('401: a revoked key, seconds after it worked', async (t) => {
    const deps = { sql: api.stores.sql, clock: systemClock, by: testActor };
    const { id, key } = await makeKey(deps, { slug: 'acme', scope: 'ingest' });
    t.equal((await api.post(path, bodyOf([]), { key })).status, 202);
    await revokeKey(deps, { id });
    const isRevoked = async () => (await api.post(path, bodyOf([]), { key })).status === 401;
    await waitUntil('the revoked key is refused', isRevoked, 5_000);
    isRefusal(t, await api.post(path, good, { key }), 401, invalidKey.error);
  });

  await t.test('403: a key of another scope', async (t) => {
    for (const [scope, key] of [
      ['incident', api.incidentKey],
      ['read', api.readKey],
    ] as const) {
      const answer = await api.post(path, good, { key });
      isRefusal(t, answer, 403, `This key has the scope ${scope}; this route needs the scope ingest.`);
      t.match(answer.body, { hint: 'key_ingest_' });
    }
  });

  await t.test('403: the account has no internal analytics', async (t) => {
    const post = () => api.post(path, bodyOf([]), { key: api.otherIngestKey });
    const setCapability = async (on: boolean, status: number) => {
      const capabilities = { 'internal-analytics': on };
      await setPage({ sql: api.stores.sql, clock: systemClock }, { slug: 'other', capabilities });
      await waitUntil(`the answer is ${status}`, async () => (await post()).status === status, 5_000);
    };
    t.equal((await post()).status, 202);
    await setCapability(false, 403);
    isRefusal(t, await post(), 403, 'This capability is not available for the account of this page.');
    await setCapability(true, 202);
  });

  await t.test('405: another method than POST, with any key', async (t) => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      for (const key of [api.ingestKey, null]) {
        const answer = await api.post(path, undefined, { method, key });
        isRefusal(t, answer, 405, 'Method not allowed.', method);
        t.equal(answer.headers.get('allow'), 'POST', method);
      }
    }
    const head = await fetch(api.url + path, { method: 'HEAD' });
    t.equal(head.status, 405);
    t.equal(head.headers.get('allow'), 'POST');
  });

  await t.test('413: more than 1,000 events', async (t) => {
    const answer = await api.post(path, bodyOf(Array.from({ length: 1_001 }, () => event)));
    isRefusal(t, answer, 413, 'A batch holds at most 1,000 events.');
    const nothings = await api.post(path, bodyOf(Array.from({ length: 1_001 }, () => null)));
    isRefusal(t, nothings, 413, 'A batch holds at most 1,000 events.');
  });

  await t.test('413: more than 2 MiB, with and without a length, compressed and not', async (t) => {
    const json = JSON.stringify(good);
    const most = 2 * 1024 * 1024;
    const fits = await api.post(path, json.padEnd(most), { key: api.otherIngestKey });
    t.match(fits, { status: 202, body: { accepted: 1 } });
    const tooLarge = 'The request body is too large.';
    isRefusal(t, await api.post(path, json.padEnd(most + 1)), 413, tooLarge);
    isRefusal(t, await api.post(path, json.padEnd(8 * most)), 413, tooLarge);
    const packed = { headers: { 'content-encoding': 'gzip' } };
    isRefusal(t, await api.post(path, gzipSync(json.padEnd(most + 1)), packed), 413, tooLarge);
    const connection = await openConnection(t, api.url);
    const headers = { authorization: `Bearer ${api.ingestKey}`, 'transfer-encoding': 'chunked' };
    connection.send(postHead(path, headers));
    for (let i = 0; i < 5; i += 1) connection.send(`80000\r\n${' '.repeat(0x80000)}\r\n`);
    t.match(await connection.readUntil(/too large/), /^HTTP\/1.1 413 /);
  });

  await t.test('413: a compression bomb of gigabytes, in little memory', async (t) => {
    const layer = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
    const bomb = Buffer.concat(Array.from({ length: 30 }, () => layer));
    t.ok(bomb.length < 2 * 1024 * 1024, 'it is small enough to be read');
    const before = process.memoryUsage.rss();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.post(path, bomb, { headers: { 'content-encoding': 'gzip' } })),
    );
    const grown = process.memoryUsage.rss() - before;
    for (const answer of answers) isRefusal(t, answer, 413, 'The request body is too large.');
    t.ok(grown < 300 * 1024 * 1024, `${Math.round(grown / 2 ** 20)} MiB more`);
  });

  await t.test('415: an unknown encoding', async (t) => {
    for (const encoding of ['zstd', 'compress', 'gzip, br', 'constructor', 'toString']) {
      const answer = await api.post(path, good, { headers: { 'content-encoding': encoding } });
      isRefusal(t, answer, 415, 'Content-Encoding must be gzip, br, deflate or identity.', encoding);
    }
  });

  await t.test('the answer names the first of several reasons', async (t) => {
    const huge = ' '.repeat(3 * 1024 * 1024);
    const statusOf = async (body: string, options = {}) => (await api.post(path, body, options)).status;
    t.equal(await statusOf(huge, { method: 'PUT', key: null }), 405);
    t.equal(await statusOf(huge, { key: null }), 401, 'and the answer arrives although the body is refused');
    t.equal(await statusOf(huge, { key: api.readKey }), 403);
    t.equal(await statusOf(huge), 413);
    t.equal(await statusOf('{', { key: api.readKey }), 403);
    t.equal(await statusOf('{', { headers: { 'content-encoding': 'zstd' } }), 415);
  });

  await t.test('nothing of the refused requests is stored', async (t) => {
    await api.settle();
    t.equal(await countRequests(api.stores.clickhouse, api.pageId), 0);
  });
}
