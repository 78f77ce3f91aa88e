import { finished } from 'node:stream/promises';
import { sqlFormats } from '../contract/analytics.js';
import { loadPageId } from '../control/pages/index.js';
import type { CommandContext, OpenStores } from './core/context.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { oneOf } from './core/parse-arguments.js';

const textFormats = ['Pretty', 'PrettyCompact', 'Vertical', 'Markdown'];
const pageFormats = [...textFormats, ...Object.keys(sqlFormats)];

export const sqlCommand = defineCommand({
  name: 'sql',
  summary: 'query ClickHouse',
  help: 'Runs one statement on ClickHouse and prints its result.',
  arguments: { statement: 'STATEMENT' },
  options: {
    page: { value: 'SLUG', help: 'read only, and only the rows of this page' },
    format: {
      value: 'NAME',
      help: 'a ClickHouse output format, such as Pretty, JSONEachRow, CSV or Parquet; Pretty by default',
      default: 'Pretty',
      parse: parseFormat,
    },
  },
  async run(context, { statement, page, format }) {
    if (page === undefined) return runAsService(await context.openStores(), statement, format);
    oneOf(format, pageFormats, '--format');
    await runForPage(context, { sql: statement, format, slug: page });
  },
});

function parseFormat(text: string, option: string): string {
  if (!/^\w+$/.test(text)) throw new UsageError(`${option} must be the name of a format, not "${text}".`);
  return text;
}

/** Runs the statement as the user of the service, without limits. */
async function runAsService({ clickhouse }: OpenStores, query: string, format: string): Promise<void> {
  const { stream } = await clickhouse.exec({
    query,
    http_headers: { 'X-ClickHouse-Format': format },
    // An error in the middle of the query then fails the command, instead of ending the output with its text.
    clickhouse_settings: { wait_end_of_query: 1 },
  });
  stream.pipe(process.stdout, { end: false });
  await finished(stream);
}

type PageInput = { sql: string; format: string; slug: string };

/** Runs the statement confined to the rows of a page, as the API does. */
async function runForPage(context: CommandContext, { sql, format, slug }: PageInput): Promise<void> {
  // Loaded late, because no other command needs these modules.
  const { openPageSql } = await import('../analytics/sql/open-page-sql.js');
  const { runPageSql } = await import('../analytics/sql/run-sql.js');
  const stores = await context.openStores();
  const onCluster = context.config.clickhouseCluster !== undefined;
  const pageId = await loadPageId(stores.sql, slug);
  const pageSql = openPageSql({ ...stores, onCluster });
  try {
    process.stdout.write(await runPageSql(pageSql, pageId, { sql, format }));
  } finally {
    await pageSql.sqlClient.close();
  }
}
