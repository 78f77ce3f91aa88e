import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import { line } from '../support/report.js';
import { isHistogram, listPartitions, mergeTable, select } from '../support/table-sizes.js';

/** Other declarations of requests_minute; each changes some text of the original statement. */
const variants: readonly { name: string; change(statement: string): string }[] = [
  { name: 'as it is', change: (statement) => statement },
  {
    name: 'LowCardinality names',
    change: (statement) => changeNames(statement, 'LowCardinality(String)', ''),
  },
  { name: 'names CODEC(ZSTD)', change: (statement) => changeNames(statement, 'String', 'CODEC(ZSTD(1))') },
  {
    name: 'no codecs (LZ4)',
    change: (statement) => statement.replaceAll(/ CODEC\((?:[^()]|\([^()]*\))*\)/g, ''),
  },
  {
    name: 'ZSTD alone, without T64 and DoubleDelta',
    change: (statement) => statement.replaceAll(/CODEC\((T64|DoubleDelta), /g, 'CODEC('),
  },
];

const names = ['service', 'endpoint', 'method'];

/** Prints what the rows of requests_minute take in each variant, by kind of column. */
export async function compareVariants(clickhouse: ClickHouseClient): Promise<void> {
  const [shown] = await select<{ statement: string }>(clickhouse, 'SHOW CREATE TABLE requests_minute');
  if (shown === undefined) throw new Error('The table requests_minute does not exist.');
  for (const { name, change } of variants) {
    const changed = change(shown.statement);
    if (name !== 'as it is' && changed === shown.statement) throw new Error(`"${name}" changes nothing.`);
    await clickhouse.command({ query: changed.replace('.requests_minute', '.variant') });
    for (const { id } of await listPartitions(clickhouse, 'requests_minute')) {
      const query = `INSERT INTO variant SELECT * FROM requests_minute WHERE _partition_id = '${id}'`;
      await clickhouse.command({ query });
    }
    const { bytes } = await mergeTable(clickhouse, 'variant');
    const columns = await select<{ name: string; type: string; bytes: string }>(
      clickhouse,
      `SELECT name, type, data_compressed_bytes AS bytes FROM system.columns
       WHERE database = currentDatabase() AND table = 'variant'`,
    );
    await clickhouse.command({ query: 'DROP TABLE variant SYNC' });
    const sum = (isCounted: (column: { name: string; type: string }) => boolean): string =>
      megabytes(columns.filter(isCounted).reduce((total, column) => total + Number(column.bytes), 0));
    const isName = (column: { name: string }): boolean => names.includes(column.name);
    line(
      `  ${name.padEnd(40)} ${megabytes(bytes)} MB: names ${sum(isName)}, numbers ${sum((column) => !isName(column) && !isHistogram(column))}, histograms ${sum(isHistogram)}`,
    );
  }
}

function changeNames(statement: string, type: string, codec: string): string {
  return statement.replaceAll(
    /(`(?:service|endpoint|method)`) String( COMMENT '[^']*')/g,
    `$1 ${type}$2 ${codec}`,
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2).padStart(7);
}
