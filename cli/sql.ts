import { finished } from 'node:stream/promises';
import { queryParameters, type SqlTimes } from '../analytics/sql/sql-parameters.js';
import { serverFormat, sqlFormats } from '../contract/analytics/sql.js';
import { arrowSettings } from '../contract/sql-tables.js';
import { loadPageId } from '../control/pages/index.js';
import type { TextPosition } from '../lib/mistakes/text-position.js';
import { parseEnds } from '../lib/query-parameters.js';
import { ServiceError } from '../lib/service-error.js';
import type { CommandContext } from './core/context.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { oneOf } from './core/parse-arguments.js';

const textFormats = ['Pretty', 'PrettyCompact', 'Vertical', 'Markdown'];
const pageFormats = [...textFormats, ...Object.keys(sqlFormats)];

export const sqlCommand = defineCommand({
  name: 'sql',
  summary: 'query ClickHouse',
  help: `Runs one statement on ClickHouse and prints its result. With --page it may be a SELECT, SHOW TABLES, DESCRIBE TABLE
or SHOW CREATE TABLE; /docs/sql of the service lists the tables. It may then contain {from:DateTime} and {to:DateTime}, whose values
--from and --to give. CSV begins with a line of the columns' names.`,
  arguments: { statement: 'STATEMENT' },
  options: {
    page: { value: 'SLUG', help: 'read only, and only the rows of this page' },
    from: {
      value: 'TIME',
      help: 'what {from:DateTime} stands for, such as now-6h, 2026-01-31 or a time with a zone',
    },
    to: { value: 'TIME', help: 'what {to:DateTime} stands for' },
    format: {
      value: 'NAME',
      help: 'a ClickHouse output format, such as Pretty, JSONEachRow, CSV or Parquet; Pretty by default',
      default: 'Pretty',
      parse: parseFormat,
    },
  },
  async run(context, { statement, page, format, from, to }) {
    const given = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    const input = { sql: statement, format, times: parseEnds(given, context.clock.now()) };
    if (page === undefined) return runAsService(context, input);
    oneOf(format, pageFormats, '--format');
    await runForPage(context, { ...input, slug: page });
  },
});

function parseFormat(text: string, option: string): string {
  if (!/^\w+$/.test(text)) throw new UsageError(`${option} must be the name of a format, not "${text}".`);
  return text;
}

type Input = { sql: string; format: string; times: SqlTimes };

/** Runs the statement as the user of the service, without limits. */
async function runAsService(context: CommandContext, { sql, format, times }: Input): Promise<void> {
  const { clickhouse } = await context.openStores();
  const { stream } = await clickhouse.exec({
    query: sql,
    query_params: queryParameters(times),
    http_headers: { 'X-ClickHouse-Format': serverFormat(format) },
    // An error in the middle of the query then fails the command, instead of ending the output with its text.
    clickhouse_settings: { wait_end_of_query: 1, ...arrowSettings },
  });
  stream.pipe(context.stdout, { end: false });
  await finished(stream);
}

type PageInput = Input & { slug: string };

/** Runs the statement confined to the rows of a page, as the API does. */
async function runForPage(context: CommandContext, { slug, ...input }: PageInput): Promise<void> {
  // Loaded late, because no other command needs these modules.
  const { openPageSql } = await import('../analytics/sql/open-page-sql.js');
  const { runPageSql } = await import('../analytics/sql/run-sql.js');
  const stores = await context.openStores();
  const cluster = context.config.clickhouseCluster;
  const pageId = await loadPageId(stores.sql, slug);
  const pageSql = openPageSql({ ...stores, cluster });
  try {
    context.stdout.write(await runPageSql(pageSql, pageId, input));
  } catch (error) {
    throw error instanceof ServiceError && error.position !== undefined
      ? new Error(`${error.message}\n${pointAt(input.sql, error.position)}`)
      : error;
  } finally {
    await pageSql.sqlClient.close();
  }
}

/** Most characters of the line on either side of the fault. */
const aroundMax = 60;

/** Returns the line of a position, with a caret below the character. Tabs stay, so that the caret stands where it should. */
export function pointAt(text: string, { line, column }: TextPosition): string {
  const characters = [...(text.split('\n')[line - 1] ?? '')];
  const at = column - 1;
  const from = Math.max(0, at - aroundMax);
  const shown = characters.slice(from, at + aroundMax).join('');
  const indent = characters.slice(from, at).map((character) => (character === '\t' ? '\t' : ' '));
  return `  ${shown.trimEnd()}\n  ${indent.join('')}^`;
}
