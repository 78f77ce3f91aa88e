import t from 'tap';
import { openPageSql } from '../../../analytics/sql/open-page-sql.js';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { pageHeader } from '../../../contract/sql-tables.js';
import { systemClock } from '../../../lib/clock.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { insertRequests, newPageId, openTestPageSql } from '../support.js';

const { clickhouse, clickhouseUrl, pageSql } = await openTestPageSql(t);
const [mine, theirs] = [newPageId(), newPageId()];
for (const page of [mine, theirs]) await insertRequests(clickhouse, page, [{ at: Date.now() }]);

/** As the confined user, without the check of the statement. */
async function run(
  query: string,
  headers: Record<string, string> = { [pageHeader]: mine },
): Promise<unknown[]> {
  const result = await pageSql.sqlClient.query({ query, http_headers: headers, format: 'JSONEachRow' });
  return result.json();
}

t.test('rows are filtered by the header, whatever the statement says', async (t) => {
  t.same(await run('SELECT DISTINCT page_id FROM requests_minute'), [{ page_id: mine }]);
  for (const header of ['', 'x', '%', `${theirs}'`, `' OR 1 = 1 --`]) {
    t.same(
      await run('SELECT page_id FROM requests_minute', { [pageHeader]: header }),
      [],
      `header "${header}"`,
    );
  }
  t.same(await run('SELECT page_id FROM requests_minute', {}), [], 'no header');
});

t.test('the user is signed in with the password of any key of the list', async (t) => {
  const other = 'another secret of forty characters......';
  const sql = { sql: 'SELECT 1 AS x', format: 'JSONEachRow' };
  const open = (secretKey: string) => {
    const opened = openPageSql({ clickhouse, clickhouseUrl, secretKey, clock: systemClock });
    t.teardown(() => opened.sqlClient.close());
    return opened;
  };
  const both = open(`${other},${testSecretKey}`);
  for (const time of ['first', 'second'])
    t.equal(String(await runPageSql(both, mine, sql)), '{"x":1}\n', time);
  await t.rejects(runPageSql(open(other), mine, sql), likeServiceError('storeUnavailable'));
});

for (const query of [
  'SELECT * FROM landing',
  "INSERT INTO messages (service) VALUES ('x')",
  'TRUNCATE TABLE requests_minute',
  'DROP TABLE requests_minute',
  'CREATE TABLE x (a UInt8) ENGINE = Memory',
  'ALTER TABLE requests_minute DELETE WHERE 1',
  'SELECT 1 SETTINGS max_execution_time = 100',
  'SELECT 1 SETTINGS readonly = 2',
  'SELECT * FROM system.query_log',
  "SELECT * FROM url('http://127.0.0.1/', 'CSV', 'x String')",
  "SELECT * FROM file('/etc/passwd', 'LineAsString')",
  "SELECT * FROM remote('127.0.0.1', 'system.one')",
  'KILL QUERY WHERE 1',
  'SYSTEM FLUSH LOGS',
]) {
  t.test(`the grants alone refuse: ${query}`, (t) => t.rejects(pageSql.sqlClient.command({ query })));
}
