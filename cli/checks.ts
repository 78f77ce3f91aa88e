import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type ImportCounts, importChecks, importUpptime } from '../control/monitors/index.js';
import { loadPageId } from '../control/pages/index.js';
import { type ImportedDay, importDays } from '../rollups/import-days.js';
import { defineCommand } from './core/define-command.js';
import { formatTable } from './core/output.js';
import { createProgressBar } from './core/progress-bar.js';
import { pageOption } from './page.js';
import { readLines } from './read-lines.js';

/** Longer than any line that holds a check. */
const lineCharsMax = 10_000;

export const checksCommands = [
  defineCommand({
    name: 'checks import',
    summary: 'import the history of monitors from another service',
    help: `Imports checks that were made elsewhere. FILE has one JSON object a line, or is "-" for standard input:

  {"monitor": "api", "at": "2026-01-31T23:00:00Z", "up": true, "ms": 82}

  monitor  slug of a monitor of the page
  at       time of the check
  up       whether the monitor counted as up then
  ok       whether this check passed; as "up" by default
  ms       response time in milliseconds; null or left out when there was none

Each check counts for the time until the next one, at most twice the interval of its monitor. To resume an import that
was interrupted, run it again: lines that are already stored change nothing. Uptime shows the checks in about a minute.`,
    options: { page: pageOption, file: { value: 'FILE', help: 'the file to import', required: true } },
    json: '{"imported", "refused", "reasons", "firstRefused"}',
    async run(context, { page, file }) {
      // Fails for a missing file before any store is started for it.
      const bytes = file === '-' ? undefined : (await stat(file)).size;
      const { sql, clickhouse, clock } = await context.openStores();
      const pageId = await loadPageId(sql, page);
      const bar = createProgressBar();
      const input = countBytes(file === '-' ? process.stdin : createReadStream(file));
      const counts = await importChecks(
        { sql, clickhouse, clock },
        {
          pageId,
          lines: readLines(input.chunks, lineCharsMax),
          onProgress: ({ imported, refused }) =>
            bar.show(bytes && input.read() / bytes, `${imported} checks imported, ${refused} lines refused`),
        },
      ).finally(() => bar.clear());
      const failure = counts.refused > 0 ? explainRefused(counts) : undefined;
      return { json: counts, text: `${counts.imported} checks were imported.\n`, failure };
    },
  }),

  defineCommand({
    name: 'import upptime',
    summary: 'import the sites and the uptime of an Upptime repository',
    help: `FOLDER is a clone of an Upptime repository, or the history folder in it. Sites that the page does not have become
monitors, checked every minute from then on. The uptime of each day is imported from the day on which Upptime first
checked the site, as far back as days are kept; a day with checks by Heartline stays as it is. When you run the command
again, it changes only the current day.`,
    arguments: { folder: 'FOLDER' },
    options: { page: pageOption },
    json: '{"sites": [...]}',
    async run(context, { page, folder }) {
      const { sql, clickhouse, secretKey, clock } = await context.openStores();
      const storeDays = (days: readonly ImportedDay[]) => importDays(clickhouse, days);
      const pageId = await loadPageId(sql, page);
      const sites = await importUpptime({ sql, secretKey, clock, storeDays }, { pageId, folder });
      const rows = sites.map(({ slug, monitor, days, note = '' }) => [slug, monitor, String(days), note]);
      return { json: { sites }, text: formatTable(['SLUG', 'MONITOR', 'DAYS', 'NOTE'], rows) };
    },
  }),
];

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
  return [`${refused} lines were refused.`, ...counted, 'The first refused lines:', ...lines].join('\n');
}
