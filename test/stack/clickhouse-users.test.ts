import { join } from 'node:path';
import t from 'tap';
import { sqlUserPassword } from '../../lib/secrets/secret-box.js';
import { startClickHouse } from '../../stack/clickhouse.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { askClickHouse, asUser, greetNative, recordingLog } from './support.js';

const secretKey = 'k'.repeat(32);
const pageA = '0198a000-0000-7000-8000-00000000000a';
const pageB = '0198a000-0000-7000-8000-00000000000b';

const server = await startClickHouse({
  dir: join(await temporaryFolder(t), 'clickhouse'),
  database: 'heartline',
  readerTables: ['one', 'other'],
  secretKey,
  log: recordingLog(),
});
t.teardown(() => server.stop());
const reader = asUser(server.url, 'heartline_sql', sqlUserPassword(secretKey));
for (const table of ['one', 'other', 'hidden']) {
  await askClickHouse(
    server.url,
    `CREATE TABLE ${table} (page_id UUID, n Int32) ENGINE MergeTree ORDER BY page_id`,
  );
  await askClickHouse(
    server.url,
    `INSERT INTO ${table} VALUES ('${pageA}', 1) ('${pageA}', 2) ('${pageB}', 3)`,
  );
}

t.test('the confined user sees the rows of the page in the header, and none without a header', async (t) => {
  for (const table of ['one', 'other']) {
    const count = async (headers: Record<string, string>): Promise<string> =>
      (await askClickHouse(reader, `SELECT count(), sum(n) FROM ${table}`, headers)).text;
    t.equal(await count({ 'X-Heartline-Page': pageA }), '2\t3', table);
    t.equal(await count({ 'X-Heartline-Page': pageB }), '1\t3', table);
    t.equal(await count({}), '0\t0', table);
    for (const page of ['', 'x', `${pageA}' OR 1=1 --`, '00000000-0000-0000-0000-000000000000']) {
      t.equal(await count({ 'X-Heartline-Page': page }), '0\t0', `${table} for "${page}"`);
    }
  }
});

t.test('the confined user reads no other table and changes nothing', async (t) => {
  await askClickHouse(server.url, 'SYSTEM FLUSH LOGS');
  for (const sql of [
    'SELECT count() FROM hidden',
    'SELECT count() FROM system.query_log',
    'SELECT count() FROM system.processes',
    'SELECT count() FROM system.users',
    'INSERT INTO one VALUES (generateUUIDv4(), 1)',
    'CREATE TABLE mine (n Int32) ENGINE Memory',
    'DROP TABLE one',
    'SET max_execution_time = 0',
    'SELECT count() FROM one SETTINGS max_rows_to_read = 0',
    "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
  ]) {
    const answer = await askClickHouse(reader, sql, { 'X-Heartline-Page': pageA });
    t.match(answer.text, /ACCESS_DENIED|READONLY|Cannot modify/, sql);
  }
});

t.test('a wrong password is refused', async (t) => {
  for (const user of ['heartline', 'heartline_sql', 'nobody']) {
    const answer = await askClickHouse(asUser(server.url, user, 'wrong'), 'SELECT 1');
    t.match(answer, { status: 403, text: /AUTHENTICATION_FAILED/ }, user);
  }
});

t.test('a login as the user of the engine without a password is refused', async (t) => {
  for (const settings of ['', '&max_sessions_for_user=0', '&session_id=mine&max_sessions_for_user=9']) {
    const response = await fetch(`${new URL(server.url).origin}/?query=SELECT+1${settings}`);
    t.match(await response.text(), /USER_SESSION_LIMIT_EXCEEDED/, `HTTP${settings}`);
  }
  t.match(
    await greetNative(`clickhouse://default@127.0.0.1:${server.tcpPort}/`),
    /has overflown session count/,
    'native protocol',
  );
});
