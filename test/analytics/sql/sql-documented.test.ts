import { readFile } from 'node:fs/promises';
import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { sqlExamples } from '../../../contract/analytics/sql-examples.js';
import { readableColumns } from '../../../contract/sql-columns.js';
import { readableTables, sqlLimits } from '../../../contract/sql-tables.js';
import { insertPoolReports } from '../../../database-health/pool-reports/insert-pool-reports.js';
import { confineStatements } from '../../../sql/confine-sql-user.js';
import { exampleTexts } from '../../../web/dashboard/screens/sql/example-texts.js';
import { makePoolBlock } from '../../support/pool-blocks.js';
import { insertReports, insertRequests, newPageId, openTestPageSql } from '../support.js';

const text = await readFile(new URL('../../../../docs/sql.md', import.meta.url), 'utf8');
const { clickhouse, pageSql } = await openTestPageSql(t);

/** Rows of the table of columns in the section of a table, and the text of the section. */
function readSection(table: string): { rows: string[]; section: string } {
  const section = (text.split(`\n### ${table}\n`)[1] ?? '').split(/\n##/)[0] ?? '';
  return { rows: section.split('\n').filter((line) => line.startsWith('| `')), section };
}

t.test('docs/sql.md lists every column with its type and comment', async (t) => {
  for (const table of readableTables) {
    const result = await clickhouse.query({
      query: `SELECT name, type, comment FROM system.columns
              WHERE database = currentDatabase() AND table = {table:String} AND default_kind != 'EPHEMERAL' ORDER BY position`,
      query_params: { table },
      format: 'JSONEachRow',
    });
    const columns = await result.json<{ name: string; type: string; comment: string }>();
    t.ok(columns.length > 0);
    const all = columns.map(({ name, type, comment }) => `| \`${name}\` | \`${type}\` | ${comment} |`);
    // A section that begins with the columns of another table lists its own ones, and names those that it lacks.
    const { rows, section } = readSection(table);
    const [, base] = /^\nThe columns of \[(\w+)\]/.exec(section) ?? [];
    const inherited = base === undefined ? [] : readSection(base).rows;
    const lacks = inherited.filter((row) => !all.includes(row));
    t.same(
      [...rows, ...inherited.filter((row) => all.includes(row))].sort(),
      [...all].sort(),
      `the columns of ${table}`,
    );
    t.same(
      lacks.filter((row) => !section.includes(row.split(' ')[1] ?? '')),
      [],
      `columns that ${table} lacks`,
    );
    t.same(readableColumns[table].columns, columns, `the columns that DESCRIBE shows of ${table}`);
  }
});

t.test('the examples give rows, and docs/sql.md has some of them', async (t) => {
  const page = newPageId();
  const now = Date.now();
  for (const at of [now, now - 3_600_000, now - 10 * 3_600_000]) {
    await insertRequests(clickhouse, page, [{ at, status: 500, latencyMs: [10], message: 'broken' }]);
    await insertReports(clickhouse, page, { kind: 'service', service: 'api' }, [at]);
    await insertPoolReports({ clickhouse }, makePoolBlock(page, [{ to: at }]));
  }
  const documented = [...text.matchAll(/### ([^\n]+)\n\n([^`]+)\n\n```sql\n(.*?)\n```/gs)];
  t.ok(documented.length > 0);
  const titles = documented.map(([, title]) => title);
  t.same(
    documented.map(([, title, answers, sql]) => ({ title, answers: answers?.replaceAll('\n', ' '), sql })),
    sqlExamples
      .map(({ id, sql }) => ({ ...exampleTexts.en[id], sql }))
      .filter(({ title }) => titles.includes(title)),
  );
  t.equal(sqlExamples.length, 12);
  const times = { from: now - 6 * 3_600_000, to: now + 60_000 };
  for (const { id, sql } of sqlExamples) {
    const result = await runPageSql(pageSql, page, { sql, format: 'JSONEachRow', times });
    t.ok(result.length > 0, id);
    t.notMatch(result.toString(), /nan|inf/, `${id} has figures`);
  }
});

t.test('docs/sql.md has the limits and the statements for administrators', (t) => {
  for (const limit of [
    `| ${sqlLimits.queryBytes / 1024} KiB |`,
    `| ${sqlLimits.timeSeconds} s |`,
    `| ${sqlLimits.rowsRead / 1e6} million |`,
    `| ${sqlLimits.memoryBytes / 1024 / 1024} MiB |`,
    `| ${sqlLimits.resultRows / 1e6} million rows, ${sqlLimits.resultBytes / 1e6} MB |`,
    `| Functions and operators in a statement | ${sqlLimits.functions} |`,
    `| Tables in a statement | ${sqlLimits.tables} |`,
    `| ${sqlLimits.runningPerPage} running, ${sqlLimits.waitingPerPage} waiting,`,
  ]) {
    t.ok(text.includes(limit), limit);
  }
  const plain = (sql: string): string => sql.replace(/\s+/g, ' ');
  const documented = plain(text);
  for (const statement of confineStatements({ database: 'heartline', password: 'x' })) {
    const shown = statement.replace(/sha256_hash BY '\w+'/, "sha256_password BY 'PASSWORD'");
    t.ok(documented.includes(`${plain(shown)};`), shown);
  }
  t.end();
});
