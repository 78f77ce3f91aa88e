import { finished } from 'node:stream/promises';
import { openPageSql } from '../analytics/sql/open-page-sql.js';
import { runPageSql } from '../analytics/sql/run-sql.js';
import { sqlFormats } from '../contract/analytics.js';
import { findPage } from '../control/pages/find-page.js';
import type { CommandContext, OpenStores } from './context.js';
import { oneOf, parseOptions } from './parse-options.js';
import { UsageError } from './usage-error.js';

const textFormats = ['Pretty', 'PrettyCompact', 'Vertical', 'Markdown'];
const pageFormats = [...textFormats, ...Object.keys(sqlFormats)];

/** `heartline sql`: as the service's own user, or confined to a page as the API's SQL is. */
export async function sqlCommand(context: CommandContext, argv: string[]): Promise<void> {
  const { values, positionals } = parseOptions(
    argv,
    { page: { type: 'string' }, format: { type: 'string', default: 'Pretty' } },
    ['The statement'],
  );
  const [sql = ''] = positionals;
  const { page, format } = values;
  if (!/^\w+$/.test(format)) throw new UsageError(`--format must be the name of a format, not "${format}".`);
  if (page === undefined) return runAsService(await context.openStores(), sql, format);
  return runForPage(context, { sql, format: oneOf(format, pageFormats, '--format'), slug: page });
}

async function runAsService({ clickhouse }: OpenStores, query: string, format: string): Promise<void> {
  const { stream } = await clickhouse.exec({
    query,
    http_headers: { 'X-ClickHouse-Format': format },
    // So that an error in the middle of the query ends the command with one, and not the output with its text.
    clickhouse_settings: { wait_end_of_query: 1 },
  });
  stream.pipe(process.stdout, { end: false });
  await finished(stream);
}

type PageInput = { sql: string; format: string; slug: string };

async function runForPage(context: CommandContext, { sql, format, slug }: PageInput): Promise<void> {
  const stores = await context.openStores();
  const { secretKey } = stores;
  if (secretKey === undefined) {
    throw new Error(
      'HEARTLINE_SECRET_KEY is needed for --page: the password of its ClickHouse user comes from it.',
    );
  }
  const onCluster = context.config.clickhouseCluster !== undefined;
  const page = await findPage(stores, { slug });
  if (page === undefined) throw new Error(`There is no page "${slug}".`);
  const pageSql = openPageSql({ ...stores, secretKey, onCluster, log: context.log });
  try {
    process.stdout.write(await runPageSql(pageSql, page.id, { sql, format }));
  } finally {
    await pageSql.sqlClient.close();
  }
}
