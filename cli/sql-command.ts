import type { Command } from './command.js';

export const sql: Command = {
  name: 'sql',
  summary: 'ask ClickHouse',
  help: `heartline sql "SELECT …" [--page SLUG] [--format NAME]

Runs one statement on ClickHouse and prints its result.

  --page SLUG    read only, and only the rows of that page
  --format NAME  a ClickHouse output format, such as Pretty, JSONEachRow, CSV or Parquet; Pretty when left out
`,
  async run(context, argv) {
    const { sqlCommand } = await import('./sql.js');
    await sqlCommand(context, argv);
  },
};
