import { readFile } from 'node:fs/promises';
import t from 'tap';
import { readableViews } from '../../../contract/sql-tables.js';
import { viewColumns } from '../../../contract/sql-view-columns.js';
import { select } from '../../support/rollups.js';
import { openTestClickHouse } from '../../support/stores.js';

const { clickhouse } = await openTestClickHouse(t);

t.test('the views of the store have the columns that are described, and no others', async (t) => {
  const columns = await select<{ table: string; name: string; type: string }>(
    clickhouse,
    `SELECT table, name, type FROM system.columns
     WHERE database = currentDatabase() AND startsWith(table, 'sql_') ORDER BY table, position`,
  );
  const described = [...readableViews]
    .sort()
    .flatMap((view) =>
      viewColumns[view].columns.map(({ name, type }) => ({ table: `sql_${view}`, name, type })),
    );
  t.strictSame(columns, described);
});

t.test('docs/sql.md lists the columns of every view, and each begins with its page', async (t) => {
  const text = await readFile(new URL('../../../../docs/sql.md', import.meta.url), 'utf8');
  const wrong = readableViews.filter((view) => {
    const { comment, columns } = viewColumns[view];
    const rows = columns.map(({ name, type, comment }) => `| \`${name}\` | \`${type}\` | ${comment} |`);
    const section = `\n### ${view}\n\n${comment}.\n\n| Column | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
    const isDescribed = columns.every((column) => column.comment.length >= 5);
    return !text.includes(section) || columns[0]?.name !== 'page_id' || !isDescribed;
  });
  t.same(wrong, []);
});

t.test('a view reads with the rights of the user who reads', async (t) => {
  const views = await select<{ name: string; create_table_query: string }>(
    clickhouse,
    `SELECT name, create_table_query FROM system.tables
     WHERE database = currentDatabase() AND engine = 'View' AND startsWith(name, 'sql_') ORDER BY name`,
  );
  t.strictSame(
    views.map(({ name }) => name),
    readableViews.map((view) => `sql_${view}`).sort(),
  );
  t.strictSame(
    views.filter(({ create_table_query }) => !create_table_query.includes('SQL SECURITY INVOKER')),
    [],
  );
});
