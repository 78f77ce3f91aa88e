import { ClickHouseError } from '@clickhouse/client';
import t from 'tap';
import { sqlTables } from '../../../contract/sql-documented.js';
import { slowSql } from '../../analytics/support.js';
import { connect, openDoor } from './support.js';

/** The client that ClickHouse has for Node.js, as its own documentation uses it. */
const door = await openDoor(t);
const client = connect(t, door);

async function codeOf(asking: Promise<unknown>): Promise<string | undefined> {
  try {
    await asking;
    return undefined;
  } catch (error) {
    if (error instanceof ClickHouseError) return `${error.code} ${error.type}`;
    throw error;
  }
}

t.test('it pings, with and without a query', async (t) => {
  t.match(await client.ping(), { success: true });
  t.match(await client.ping({ select: true }), { success: true });
});

t.test('a query sees the rows of the page, in JSON and as a stream', async (t) => {
  const query = 'SELECT service, sum(requests) AS n FROM requests_minute GROUP BY service';
  const answer = await client.query({ query, format: 'JSON' });
  t.match(await answer.json(), { data: [{ service: 'shop' }], rows: 1 });
  const streamed = await client.query({ query, format: 'JSONEachRow' });
  const rows: unknown[] = [];
  for await (const part of streamed.stream()) rows.push(...part.map((row) => row.json()));
  t.match(rows, [{ service: 'shop' }]);
  t.equal(rows.length, 1);
});

t.test('parameters have types, and never leave their quotes', async (t) => {
  const text = "it's \\ a\ttext\n' OR 1 --";
  const answer = await client.query({
    query: `SELECT {text:String} AS text, {n:Int32} AS n, {big:UInt64} AS big, {ratio:Float64} AS ratio,
      {day:Date} AS day, {at:DateTime} AS at, {precise:DateTime64(3)} AS precise, {nothing:Nullable(String)} AS nothing,
      {words:Array(String)} AS words, {yes:Bool} AS yes, 5-{n:Int32} AS difference`,
    query_params: {
      ...{
        text,
        n: -7,
        big: '18446744073709551615',
        ratio: 0.25,
        day: '2026-02-03',
        nothing: null,
        yes: true,
      },
      ...{ at: new Date('2026-02-03T04:05:06Z'), precise: new Date('2026-02-03T04:05:06.789Z') },
      words: ["a'b", 'c, d'],
    },
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<Record<string, unknown>>();
  t.match(row, {
    ...{ text, n: -7, ratio: 0.25, day: '2026-02-03', at: '2026-02-03 04:05:06', nothing: null, yes: true },
    ...{ precise: '2026-02-03 04:05:06.789', words: ["a'b", 'c, d'], difference: 12 },
  });
  t.equal(await codeOf(client.query({ query: 'SELECT {n:Int32}' })), '456 UNKNOWN_QUERY_PARAMETER');
  for (const n of ['1; SELECT 2', '1 OR 1', 'x', '']) {
    const asked = client.query({ query: 'SELECT {n:Int32}', query_params: { n } });
    t.equal(await codeOf(asked), '457 BAD_QUERY_PARAMETER', n);
  }
  const table = client.query({ query: 'SELECT 1 FROM {t:Identifier}', query_params: { t: 'messages' } });
  t.equal(await codeOf(table), '457 BAD_QUERY_PARAMETER');
});

t.test('errors have the codes of ClickHouse', async (t) => {
  const codes: Record<string, string> = {
    'SELECT nonsense FROM requests_minute': '47 UNKNOWN_IDENTIFIER',
    'SELECT 1 FROM nowhere': '60 UNKNOWN_TABLE',
    'SELECT 1 FROM system.processes': '60 UNKNOWN_TABLE',
    'SELECT nonsense(1)': '46 UNKNOWN_FUNCTION',
    'SELECT (1': '62 SYNTAX_ERROR',
    'SELECT 1 SETTINGS max_threads = 4': '164 READONLY',
    'SELECT service, count() FROM requests_minute': '215 NOT_AN_AGGREGATE',
  };
  for (const [query, code] of Object.entries(codes))
    t.equal(await codeOf(client.query({ query })), code, query);
});

t.test('writes are refused as a read-only user gets it', async (t) => {
  const insert = client.insert({ table: 'messages', values: [{ message: 'x' }], format: 'JSONEachRow' });
  t.equal(await codeOf(insert), '164 READONLY');
  for (const query of [
    'CREATE TABLE x (a UInt8) ENGINE = Memory',
    'DROP TABLE messages',
    'SYSTEM SHUTDOWN',
  ]) {
    t.equal(await codeOf(client.command({ query })), '164 READONLY', query);
  }
});

t.test('settings that change nothing may be sent, and no other', async (t) => {
  const harmless = {
    max_execution_time: 60,
    wait_end_of_query: 1,
    send_progress_in_http_headers: 1,
  } as const;
  t.equal(await codeOf(client.query({ query: 'SELECT 1', clickhouse_settings: harmless })), undefined);
  for (const clickhouse_settings of [
    { readonly: '0x' },
    { join_use_nulls: 1 },
    { output_format_json_quote_64bit_integers: 1 },
    { additional_table_filters: '{}' },
    { nonsense: 1 },
  ] as Record<string, string | number>[]) {
    const asked = client.query({ query: 'SELECT 1', clickhouse_settings });
    t.equal(await codeOf(asked), '164 READONLY', JSON.stringify(clickhouse_settings));
  }
});

t.test('answers come compressed, and queries may', async (t) => {
  const packed = connect(t, door, { compression: { response: true, request: true } });
  const answer = await packed.query({
    query: 'SELECT name FROM system.tables',
    format: 'JSONCompactEachRow',
  });
  t.strictSame((await answer.json<[string]>()).map(([name]) => name).sort(), [...sqlTables].sort());
});

t.test('a key of another page, of another scope, or none is refused', async (t) => {
  const { ingestKey } = door.api;
  for (const password of [door.otherReadKey, ingestKey, 'key_read_x', '']) {
    const asked = connect(t, door, { password }).query({ query: 'SELECT 1' });
    t.equal(await codeOf(asked), '516 AUTHENTICATION_FAILED', password.slice(0, 10));
  }
  const theirs = connect(t, door, { username: 'other', password: door.otherReadKey });
  const rows = await theirs.query({
    query: 'SELECT DISTINCT service FROM requests_minute',
    format: 'JSONEachRow',
  });
  t.strictSame(await rows.json(), [{ service: 'theirs-secret' }]);
});

t.test('a query that asks for too much is stopped as the SQL route stops it', async (t) => {
  t.equal(await codeOf(client.query({ query: slowSql })), '159 TIMEOUT_EXCEEDED');
  const many = 'SELECT number FROM numbers(1000001)';
  t.equal(await codeOf(client.query({ query: many, format: 'TabSeparated' })), '396 TOO_MANY_ROWS_OR_BYTES');
});
