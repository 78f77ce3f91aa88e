import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { sqlFormats } from '../../../contract/analytics/sql.js';
import { documentedTables, sqlTables } from '../../../contract/sql-documented.js';

import { likeServiceError } from '../../support/like-service-error.js';
import { newPageId, openTestPageSql } from '../support.js';

const { pageSql, rowsOf } = await openTestPageSql(t);
const page = newPageId();
const textOf = async (sql: string, format: string) =>
  (await runPageSql(pageSql, page, { sql, format })).toString();

t.test('SHOW TABLES lists the tables', async (t) => {
  const tables = sqlTables.map((name) => ({ name, comment: documentedTables[name].comment }));
  for (const sql of ['SHOW TABLES', 'show tables;', ' /* all */ Show\n\tTables ; -- of this page\n;']) {
    t.same(await rowsOf(page, sql), tables, sql);
  }
});

t.test('DESCRIBE shows the columns of a table', async (t) => {
  const forms = ['DESCRIBE TABLE messages', 'describe messages', 'DESC messages', 'desc table `messages`;'];
  for (const sql of [...forms, `DESCRIBE TABLE "${pageSql.database}".messages -- all of them`]) {
    t.same(await rowsOf(page, sql), documentedTables.messages.columns, sql);
  }
  for (const table of sqlTables) {
    t.same(await rowsOf(page, `DESCRIBE TABLE ${table}`), documentedTables[table].columns, table);
  }
});

t.test('SHOW CREATE TABLE shows the columns, and nothing internal', async (t) => {
  for (const table of sqlTables) {
    const [row] = await rowsOf(page, `SHOW CREATE TABLE ${table}`);
    const statement = String(row?.['statement']);
    t.match(
      statement,
      new RegExp(`^CREATE TABLE ${table}\\n\\(\\n    \`page_id\` UUID COMMENT 'Status page`),
    );
    t.equal(statement.split('\n').length, documentedTables[table].columns.length + 4);
    t.notMatch(statement, /ENGINE|SETTINGS|PARTITION|TTL|_local|landing/);
    t.notMatch(statement, page);
    t.notMatch(statement, pageSql.database);
  }
  t.same(await rowsOf(page, 'show create reports'), await rowsOf(page, 'SHOW CREATE TABLE reports;'));
});

t.test('they come in every format', async (t) => {
  for (const format of [...Object.keys(sqlFormats), 'Pretty', 'Vertical', 'Markdown']) {
    for (const sql of ['SHOW TABLES', 'DESCRIBE reports', 'SHOW CREATE TABLE reports']) {
      const seen = sql.startsWith('DESC') ? 'last_report_at' : 'reports';
      // Parquet is compressed.
      t.match(
        await textOf(sql, format),
        format === 'Parquet' ? /^PAR1.*PAR1$/s : seen,
        `${sql} as ${format}`,
      );
    }
  }
  t.match(await textOf('DESCRIBE reports', 'TSVWithNames'), /^name\ttype\tcomment\npage_id\tUUID\t/);
  t.match(await textOf('SHOW CREATE TABLE messages', 'TSVWithNames'), /^statement\nCREATE TABLE messages\\n/);
});

t.test('an unknown table is refused with the nearest one and all others', async (t) => {
  for (const sql of [
    'DESCRIBE request_minute',
    'SHOW CREATE TABLE request_minute',
    'DESC x.request_minute',
  ]) {
    await t.rejects(
      rowsOf(page, sql),
      {
        ...likeServiceError('invalidSql'),
        message: /Did you mean requests_minute\? SHOW TABLES lists them all\.$/,
      },
      sql,
    );
  }
  for (const sql of [
    'DESCRIBE landing',
    'DESC system.tables',
    'DESC requests_minute_local',
    'DESC shard_users',
  ]) {
    await t.rejects(rowsOf(page, sql), { message: /^There is no table / }, sql);
  }
});

t.test('another statement is refused with what can be written', async (t) => {
  const refused: [sql: string, message: RegExp][] = [
    [
      'INSERT INTO messages VALUES (1)',
      /^INSERT is not available here \(line 1, column 1\)\. Write SELECT …, SHOW/,
    ],
    ['\nshow databases', /^SHOW DATABASES is not available here \(line 2, column 1\)\. Write/],
    ["SHOW TABLES LIKE 'm%'", /^The statement goes on at "LIKE" \(line 1, column 13\)\. Write/],
    ['DESCRIBE TABLE', /^The name of a table is missing\. Write/],
    ['DESCRIBE messages reports', /^The statement goes on at "reports" \(line 1, column 19\)/],
    [' ; -- nothing', /^The statement is empty\. Write/],
    ['SHOW TABLES; SHOW TABLES', /^More text follows the semicolon \(line 1, column 12\)\. Send one/],
  ];
  for (const [sql, message] of refused)
    await t.rejects(rowsOf(page, sql), { kind: 'invalidSql', message }, sql);
});
