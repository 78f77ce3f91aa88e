import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type ImportCounts, importChecks } from '../control/monitors/import-checks.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';
import { createProgressBar } from './progress-bar.js';
import { readLines } from './read-lines.js';

/** Longer than any line that is a check. */
const lineCharsMax = 10_000;

export const checksImport: Command = {
  name: 'checks import',
  summary: 'bring the history of monitors from elsewhere',
  help: `heartline checks import --page SLUG --file FILE [--json]

Imports checks that were made elsewhere. FILE has one JSON object a line, or is "-" for standard input:

  {"monitor": "api", "at": "2026-01-31T23:00:00Z", "up": true, "ms": 82}

  monitor  slug of a monitor of the page
  at       when it was checked
  up       whether the monitor counted as up then
  ok       whether this check passed; as "up" when left out
  ms       response time in milliseconds; null or left out when there was none

Each check stands for the time until the next one, for twice the interval of its monitor at most. An import that broke
off is resumed by running it again: lines that are stored change nothing. Uptime shows them within a minute or so.

  --page SLUG  the page
  --file FILE  what to read
  --json       print one JSON object, {"imported", "refused", "reasons", "firstRefused"}
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string' },
      file: { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const pageSlug = required(values.page, '--page');
    const file = required(values.file, '--file');
    // Before any store is started for it.
    const bytes = file === '-' ? undefined : (await stat(file)).size;
    const { sql, clickhouse } = await context.openStores();
    const bar = createProgressBar(process.stderr);
    const input = countBytes(file === '-' ? process.stdin : createReadStream(file));
    const counts = await importChecks(
      { sql, clickhouse, clock: context.clock },
      {
        pageSlug,
        lines: readLines(input.chunks, lineCharsMax),
        onProgress: ({ imported, refused }) =>
          bar.show(bytes && input.read() / bytes, `${imported} checks imported, ${refused} lines refused`),
      },
    ).finally(() => bar.clear());
    context.print(values.json ? counts : `${counts.imported} checks were imported.\n`);
    if (counts.refused > 0) throw new Error(explainRefused(counts));
  },
};

function countBytes(stream: AsyncIterable<Buffer>): { chunks: AsyncIterable<Buffer>; read(): number } {
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of stream) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  return { chunks: chunks(), read: () => bytes };
}

function explainRefused({ refused, reasons, firstRefused }: ImportCounts): string {
  const counted = Object.entries(reasons).map(([reason, count]) => `  ${count} × ${reason}`);
  const lines = firstRefused.map(({ line, reason }) => `  line ${line}: ${reason}`);
  return [`${refused} lines were refused.`, ...counted, 'The first of them:', ...lines].join('\n');
}
