import { readFile } from 'node:fs/promises';
import t from 'tap';
import { readableColumns } from '../../../contract/sql-columns.js';
import { readableTables, sqlLimits } from '../../../contract/sql-tables.js';
import { insertPoolReports } from '../../../database-health/pool-reports/insert-pool-reports.js';
import { confineStatements } from '../../../sql/confine-sql-user.js';
import { makePoolBlock } from '../../support/pool-blocks.js';
import { insertReports, insertRequests, newPageId, openTestPageSql } from '../support.js';

const text = await readFile(new URL('../../../../docs/sql.md', import.meta.url), 'utf8');
const { clickhouse, rowsOf } = await openTestPageSql(t);

t.test('docs/sql.md lists every column with its type and comment', async (t) => {
  for (const table of readableTables) {
    const [, section = ''] = text.split(`\n### ${table}\n`);
    const rows = (section.split(/\n##/)[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
    const result = await clickhouse.query({
      query: `SELECT name, type, comment FROM system.columns
              WHERE database = currentDatabase() AND table = {table:String} ORDER BY position`,
      query_params: { table },
      format: 'JSONEachRow',
    });
    const columns = await result.json<{ name: string; type: string; comment: string }>();
    t.ok(columns.length > 0);
    t.same(
      rows,
      columns.map(({ name, type, comment }) => `| \`${name}\` | \`${type}\` | ${comment} |`),
      table,
    );
    t.same(readableColumns[table].columns, columns, `the columns that DESCRIBE shows of ${table}`);
  }
});

t.test('the examples of docs/sql.md give rows', async (t) => {
  const page = newPageId();
  const now = Date.now();
  for (const at of [now, now - 86_400_000]) {
    await insertRequests(clickhouse, page, [{ at, status: 500, latencyMs: [10], message: 'broken' }]);
    await insertReports(clickhouse, page, { kind: 'service', service: 'api' }, [at]);
    await insertPoolReports({ clickhouse }, makePoolBlock(page, [{ to: at }]));
  }
  const examples = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql);
  t.equal(examples.length, 6);
  for (const sql of examples) t.ok((await rowsOf(page, sql)).length > 0, sql);
});

t.test('docs/sql.md has the limits and the statements for administrators', (t) => {
  for (const limit of [
    `| ${sqlLimits.queryBytes / 1024} KiB |`,
    `| ${sqlLimits.timeSeconds} s |`,
    `| ${sqlLimits.rowsRead / 1e6} million |`,
    `| ${sqlLimits.memoryBytes / 1024 / 1024} MiB |`,
    `| ${sqlLimits.resultRows / 1e6} million rows, ${sqlLimits.resultBytes / 1e6} MB |`,
    `| Functions and operators in a statement | ${sqlLimits.functions} |`,
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
