import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { openConnection, parseAnswer, postHead } from '../support/raw-http.js';
import { startTestService, unansweredSmtp } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const api = await startTestService(t, { smtpUrl: unansweredSmtp });
const path = '/api/v1/events';
const batch = '[{"endpoint":"/a","status":200}]';
const asked = 'HTTP/1.1 100 Continue\r\n\r\n';
const expect = '100-continue';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const host = 'acme.localhost';

/** Sends the head of a request that waits to be asked for its body, and nothing more. */
async function announce(t: Test, to: string, headers: Record<string, string | number>) {
  const connection = await openConnection(t, api.url);
  connection.send(postHead(to, { expect, 'content-length': batch.length, ...headers }));
  return connection;
}

t.test('a refused request gets its answer at once, and is not asked for its body', async (t) => {
  for (const [what, to, headers, status] of [
    ['without a key', path, {}, 401],
    ['with an unknown key', path, bearer(`key_ingest_${'x'.repeat(43)}`), 401],
    ['with the wrong scope', path, bearer(api.readKey), 403],
    ['for a feature that is off', '/api/v1/database-health/reports', bearer(api.ingestKey), 404],
    ['with too long a body', path, { ...bearer(api.ingestKey), 'content-length': 3_000_000 }, 413],
    ['with too long a form', '/subscribe', { 'content-length': 3_000_000, host }, 413],
    ['with too long a sign-up', '/api/public/acme/subscribers', { 'content-length': 3_000_000, host }, 413],
    ['in an unknown coding', path, { ...bearer(api.ingestKey), 'content-encoding': 'zstd' }, 415],
    ['at an unknown address', '/api/v9/events', {}, 404],
    ['with another method', '/healthz', {}, 405],
    ['whose body is not read', '/ping/none', {}, 404],
  ] as const) {
    const started = performance.now();
    const connection = await announce(t, to, headers);
    const { status: got, head, body } = parseAnswer(await connection.readToEnd());
    t.equal(got, status, what);
    t.match(head, /connection: close/i, `${what}: a body that comes late is not taken for a request`);
    t.type(JSON.parse(body).error, 'string', what);
    t.ok(performance.now() - started < 2_000, `${what}: no wait for the body, for which 2 s are allowed`);
  }
});

t.test('429 comes before the body as well', async (t) => {
  const headers = { ...bearer(api.incidentKey), 'content-length': 2 };
  for (let at = 0; at < 60; at += 1) {
    await api.post('/api/v1/incidents', {}, { key: api.incidentKey });
  }
  const connection = await announce(t, '/api/v1/incidents', headers);
  t.equal(parseAnswer(await connection.readToEnd()).status, 429);
});

t.test('an accepted request is asked for its body when that is read', async (t) => {
  for (const [what, to, headers, body, status] of [
    ['with a key', path, bearer(api.ingestKey), batch, 202],
    ['compressed', path, { ...bearer(api.ingestKey), 'content-encoding': 'gzip' }, batch, 400],
    ['without a key', '/api/public/acme/subscribers', { host }, '{"email":"a@example.com"}', 202],
    ['as a form', '/subscribe', { host }, 'email=a%40example.com', 200],
  ] as const) {
    const connection = await announce(t, to, {
      ...headers,
      'content-length': body.length,
      connection: 'close',
    });
    t.equal(await connection.readUntil(/\r\n\r\n/), asked, what);
    connection.send(body);
    const all = await connection.readToEnd();
    t.equal(parseAnswer(all.slice(asked.length)).status, status, what);
    t.equal(all.split('100 Continue').length, 2, `${what}: once`);
  }
});

t.test('a chunked body is asked for, and the connection stays open', async (t) => {
  const connection = await openConnection(t, api.url);
  for (const count of [1, 2]) {
    connection.send(
      postHead(path, { ...bearer(api.ingestKey), expect: '100-Continue', 'transfer-encoding': 'chunked' }),
    );
    await connection.readUntil(new RegExp(`(?:100 Continue[\\s\\S]*){${count}}$`));
    connection.send(`${batch.length.toString(16)}\r\n${batch}\r\n0\r\n\r\n`);
    t.match(
      await connection.readUntil(new RegExp(`(?:"accepted":1[\\s\\S]*){${count}}`)),
      /^HTTP\/1\.1 100 /,
    );
  }
});

t.test(
  'a body that comes without being asked for is read, and that of a refused request dropped',
  async (t) => {
    for (const [key, status] of [
      [api.ingestKey, 202],
      [api.readKey, 403],
    ] as const) {
      const connection = await openConnection(t, api.url);
      const head = postHead(path, {
        ...bearer(key),
        expect,
        'content-length': batch.length,
        connection: 'close',
      });
      connection.send(head + batch);
      const all = (await connection.readToEnd()).replace(asked, '');
      t.equal(parseAnswer(all).status, status);
    }
  },
);

t.test('nothing is asked of a request without a body, and of HTTP/1.0', async (t) => {
  const connection = await openConnection(t, api.url);
  connection.send(`GET /healthz HTTP/1.1\r\nhost: test\r\nexpect: ${expect}\r\nconnection: close\r\n\r\n`);
  t.match(await connection.readToEnd(), /^HTTP\/1\.1 200 /);
  const old = await openConnection(t, api.url);
  const { authorization } = bearer(api.ingestKey);
  const length = `content-length: ${batch.length}`;
  old.send(
    `POST ${path} HTTP/1.0\r\nauthorization: ${authorization}\r\nexpect: ${expect}\r\n${length}\r\n\r\n${batch}`,
  );
  t.match(await old.readToEnd(), /^HTTP\/1\.1 202 /);
});

t.test('curl, which expects it for bodies of over 1 MB', async (t) => {
  const file = join(await temporaryFolder(t), 'batch.json');
  await writeFile(file, batch.padEnd(1_500_000));
  const run = async (...options: string[]) => {
    const report = ['-sS', '-v', '-w', '%{http_code} %{size_upload}', '-o', '/dev/null'];
    // Otherwise curl sends the body after a second.
    const args = [...report, '--expect100-timeout', '60', ...options];
    const { stdout, stderr } = await promisify(execFile)('curl', [
      ...args,
      '--data-binary',
      `@${file}`,
      api.url + path,
    ]);
    return { stdout, isAsked: stderr.includes('< HTTP/1.1 100 Continue') };
  };
  const accepted = await run('-H', `authorization: ${bearer(api.ingestKey).authorization}`);
  t.strictSame(accepted, { stdout: '202 1500000', isAsked: true });
  t.strictSame(await run(), { stdout: '401 0', isAsked: false });
});
