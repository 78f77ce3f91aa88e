import { request } from 'node:http';
import { gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import t from 'tap';
import { doorFormats } from '../../../contract/clickhouse.js';
import { sqlLimits } from '../../../contract/sql-tables.js';
import { systemClock } from '../../../lib/clock.js';
import { makeKey } from '../../support/pages.js';
import { openDoor } from './support.js';

/** The interface itself, without a client in between. */
const door = await openDoor(t);
const { ask, api, otherReadKey } = door;
const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

t.test('ping, HEAD, and a request without a statement need no key', async (t) => {
  for (const [method, path] of [
    ...[
      ['GET', '/clickhouse/ping'] as const,
      ['GET', '/clickhouse'] as const,
      ['GET', '/clickhouse/'] as const,
    ],
    ...[['HEAD', '/clickhouse/ping'] as const, ['HEAD', '/clickhouse'] as const],
  ]) {
    const { status, text } = await ask('', { method, path, headers: {} });
    t.strictSame([status, text], [200, method === 'HEAD' ? '' : 'Ok.\n'], `${method} ${path}`);
  }
});

t.test('signs in with headers, with HTTP Basic, and in the query string', async (t) => {
  const { readKey } = api;
  for (const options of [
    { headers: { 'x-clickhouse-user': 'acme', 'x-clickhouse-key': readKey } },
    { headers: basic('acme', readKey) },
    { headers: {}, query: { user: 'acme', password: readKey } },
  ]) {
    const { status, text } = await ask('SELECT 1', options);
    t.strictSame([status, text], [200, '1\n']);
  }
});

t.test(
  '403: a wrong key, one of another page or scope, and a slug that does not exist are the same',
  async (t) => {
    const { key: manageKey } = await makeKey(
      { sql: api.stores.sql, clock: systemClock },
      { slug: 'acme', scope: 'manage' },
    );
    for (const [user, password] of [
      ...[['acme', otherReadKey] as const, ['acme', manageKey] as const, ['acme', api.ingestKey] as const],
      ...[['other', api.readKey] as const, ['nobody', api.readKey] as const, ['acme', ''] as const],
    ]) {
      const { status, headers, text } = await ask('SELECT 1', { headers: basic(user, password) });
      t.equal(status, 403);
      t.equal(headers.get('x-clickhouse-exception-code'), '516');
      t.ok(
        text.startsWith(
          `Code: 516. DB::Exception: ${user}: Authentication failed: password is incorrect, or there is no user with such name.`,
        ),
        text,
      );
      t.match(text, /\(AUTHENTICATION_FAILED\)\n$/);
    }
  },
);

t.test('the statement is the query and the body, with a line feed between', async (t) => {
  t.match(await ask('2', { query: { query: 'SELECT 1 +' } }), { status: 200, text: '3\n' });
  t.match(await ask('ECT 1', { query: { query: 'SEL' } }), { status: 400, text: /^Code: 62\. / });
  t.match(await ask('', { method: 'GET', query: { query: 'SELECT 1;' } }), { status: 200, text: '1\n' });
  t.match(await ask(''), { status: 400, text: /SYNTAX_ERROR/ });
  t.match(await ask(`SELECT '${'x'.repeat(sqlLimits.queryBytes)}'`), { status: 400, text: /^Code: 62\. / });
});

t.test('answers have the headers of ClickHouse, and nothing of what others have', async (t) => {
  const { headers } = await ask('SELECT count() FROM requests_minute', { query: { query_id: 'mine-1' } });
  t.equal(headers.get('x-clickhouse-query-id'), 'mine-1');
  t.equal(headers.get('x-clickhouse-server-display-name'), 'heartline');
  t.equal(headers.get('x-clickhouse-timezone'), 'UTC');
  t.equal(headers.get('x-clickhouse-format'), 'TabSeparated');
  t.equal(headers.get('cache-control'), 'no-store');
  t.match(JSON.parse(headers.get('x-clickhouse-summary') ?? ''), { read_rows: '0', read_bytes: '0' });
  const { headers: odd } = await ask('SELECT 1', { query: { query_id: 'a b' } });
  t.match(odd.get('x-clickhouse-query-id'), /^[\da-f-]{36}$/);
});

t.test('an answer has every event that was acknowledged before', async (t) => {
  const event = { service: 'late', endpoint: '/cart', status: 200 };
  t.match(await api.post('/api/v1/events', { version: '1.0.0', events: [event] }), { status: 202 });
  const { text, headers } = await ask("SELECT sum(requests) FROM requests_minute WHERE service = 'late'");
  t.equal(text, '1\n');
  t.match(headers.get('heartline-as-of'), /^\d{4}-\d\d-\d\dT/);
});

t.test('formats: of the statement, of the header, by default, and no other', async (t) => {
  const statement = "SELECT 1 AS a, 'x' AS b";
  const texts: Record<string, string> = {
    TabSeparated: '1\tx\n',
    TabSeparatedWithNamesAndTypes: 'a\tb\nUInt8\tString\n1\tx\n',
    CSV: '1,"x"\n',
    CSVWithNames: '"a","b"\n1,"x"\n',
    JSONEachRow: '{"a":1,"b":"x"}\n',
    JSONCompactEachRow: '[1, "x"]\n',
    JSONStringsEachRow: '{"a":"1","b":"x"}\n',
    Values: "(1,'x')",
    Null: '',
  };
  for (const [format, expected] of Object.entries(texts)) {
    const { text, headers } = await ask(`${statement} FORMAT ${format};`);
    t.equal(text, expected, format);
    t.equal(headers.get('x-clickhouse-format'), format);
  }
  for (const format of Object.keys(doorFormats)) {
    const { status, text } = await ask(statement, { query: { default_format: format } });
    t.equal(status, 200, `${format}: ${text.slice(0, 200)}`);
  }
  t.match(await ask(statement, { query: { default_format: 'csv' } }), { text: '1,"x"\n' });
  for (const format of ['Template', 'PostgreSQLWire', 'MySQLWire', 'CapnProto', 'nonsense']) {
    const { status, headers } = await ask(`${statement} FORMAT ${format}`);
    t.strictSame([status, headers.get('x-clickhouse-exception-code')], [404, '73'], format);
  }
  const native = await ask(statement, {
    query: { default_format: 'Native', client_protocol_version: '54477' },
  });
  t.equal(native.headers.get('content-type'), 'application/octet-stream');
});

t.test(
  'compression: of the answer where it is asked for, of the query, and blocks of ClickHouse',
  async (t) => {
    const send = async (query: string, headers: Record<string, string>, body: Uint8Array<ArrayBuffer>) => {
      const response = await fetch(`${api.url}/clickhouse?${query}`, {
        ...{ method: 'POST', body },
        headers: { ...basic('acme', api.readKey), ...headers },
      });
      return { response, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const statement = Uint8Array.from(Buffer.from(`SELECT '${'a'.repeat(1_000)}'`));
    const text = `${'a'.repeat(1_000)}\n`;
    const raw = (query: string, encoding: string): Promise<{ coding: string | undefined; bytes: Buffer }> =>
      new Promise((resolve, reject) => {
        const sent = request(
          `${api.url}/clickhouse?${query}`,
          { method: 'POST', headers: { ...basic('acme', api.readKey), 'accept-encoding': encoding } },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => chunks.push(chunk));
            answer.on('end', () =>
              resolve({ coding: answer.headers['content-encoding'], bytes: Buffer.concat(chunks) }),
            );
          },
        );
        sent.on('error', reject);
        sent.end(statement);
      });
    const gzipped = await raw('enable_http_compression=1', 'gzip');
    t.strictSame([gzipped.coding, gunzipSync(gzipped.bytes).toString()], ['gzip', text]);
    const deflated = await raw('enable_http_compression=1', 'deflate');
    t.strictSame([deflated.coding, inflateSync(deflated.bytes).toString()], ['deflate', text]);
    const plainly = await raw('', 'gzip');
    t.strictSame([plainly.coding, plainly.bytes.toString()], [undefined, text]);
    const blocks = await raw('compress=1', '');
    // A block begins with its checksum, and names LZ4.
    t.strictSame([blocks.coding, blocks.bytes[16]], [undefined, 0x82]);
    const sent = await send('', { 'content-encoding': 'gzip' }, Uint8Array.from(gzipSync(statement)));
    t.strictSame([sent.response.status, sent.bytes.toString()], [200, text]);
    const bomb = gzipSync(Buffer.alloc(10_000_000, ' '));
    const refused = await send('', { 'content-encoding': 'gzip' }, Uint8Array.from(bomb));
    t.match(refused.bytes.toString(), /^Code: 62\. /);
    t.match((await send('decompress=1', {}, statement)).bytes.toString(), /^Code: 89\. /);
  },
);

t.test('the one database has its name, and is the default', async (t) => {
  const { text } = await ask('SELECT currentDatabase()');
  const name = text.trim();
  for (const database of ['', 'default', name]) {
    t.match(await ask('SELECT 1', { query: { database } }), { status: 200 }, database);
  }
  t.match(await ask('SELECT 1', { query: { database: 'system' } }), { status: 404, text: /^Code: 81\. / });
  t.match(await ask(`SELECT count() FROM ${name}.requests_minute`), { status: 200 });
});

t.test('an address or a method that does not exist is an exception as well', async (t) => {
  for (const [method, path, status] of [
    ...[['GET', '/clickhouse/nowhere', 404] as const, ['POST', '/clickhouse/ping/', 404] as const],
    ...[['PUT', '/clickhouse', 405] as const, ['DELETE', '/clickhouse/', 405] as const],
    ...[['OPTIONS', '/clickhouse', 405] as const, ['POST', '/clickhouse/ping', 405] as const],
  ]) {
    const { status: answered, headers, text } = await ask('', { method, path });
    const code = headers.get('x-clickhouse-exception-code');
    t.strictSame([answered, code], [status, '48'], `${method} ${path}`);
    t.match(text, /^Code: 48\. DB::Exception: (Not found|Method not allowed)\. .*\(NOT_IMPLEMENTED\)\n$/);
    t.equal(headers.has('allow'), status === 405);
  }
  const { headers } = await ask('', { path: '/clickhouses' });
  t.notOk(headers.has('x-clickhouse-exception-code'));
});

t.test('floats may be no numbers, and a text in an array may have a quote', async (t) => {
  const given = { param_a: '[nan,-inf,1]', param_b: "['it''s','']", param_c: '-inf' };
  const { text } = await ask('SELECT {a:Array(Float64)}, {b:Array(String)}, 5-{c:Float32}', { query: given });
  t.equal(text, "[nan,-inf,1]\t['it\\'s','']\tinf\n");
});

t.test('a place in an error is a place in the statement that was sent', async (t) => {
  const statement = 'SELECT version(), {a:String}, nonsense FROM system.tables';
  const { text } = await ask(statement, { query: { param_a: 'a long text that moves what follows' } });
  t.match(text, /^Code: 47\. DB::Exception: .*\(line 1, column 31\)/);
});
