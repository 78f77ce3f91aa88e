import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type ImportCounts, importChecks, importUpptime } from '../control/monitors/index.js';
import { loadPageId, publishResponseTimes } from '../control/pages/index.js';
import type { PageId } from '../lib/ids.js';
import { type ImportedDay, importDays } from '../rollups/import-days.js';
import type { Sql } from '../sql/open-postgres.js';
import { defineCommand } from './core/define-command.js';
import { formatTable, isoTime } from './core/output.js';
import { createProgressBar } from './core/progress-bar.js';
import { pageOption } from './page.js';
import { readLines } from './read-lines.js';

/** Longer than any line that holds a check. */
const lineCharsMax = 10_000;

const keepSeriesStart = {
  help: 'leave the first day of the response times on the page as it is; otherwise an earlier imported day becomes the first',
} as const;

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
was interrupted, run it again: lines that are already stored change nothing. Uptime shows the checks in about a minute.
The response times of the page begin with the first imported day from then on, unless they begin earlier.`,
    options: {
      page: pageOption,
      file: { value: 'FILE', help: 'the file to import', required: true },
      keepSeriesStart,
    },
    json: '{"imported", "firstAt", "refused", "reasons", "firstRefused"}',
    async run(context, { page, file, keepSeriesStart = false }) {
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
      const firstAt = counts.firstAt === null ? null : new Date(counts.firstAt);
      const moved = keepSeriesStart ? '' : await extendSeries({ sql }, pageId, firstAt);
      return {
        json: { ...counts, firstAt: isoTime(firstAt) },
        text: `${counts.imported} checks were imported.\n${moved}`,
        failure,
      };
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
    options: { page: pageOption, keepSeriesStart },
    json: '{"sites": [...]}',
    async run(context, { page, folder, keepSeriesStart = false }) {
      const { sql, clickhouse, secretKey, clock } = await context.openStores();
      const storeDays = (days: readonly ImportedDay[]) => importDays(clickhouse, days);
      const pageId = await loadPageId(sql, page);
      const sites = await importUpptime({ sql, secretKey, clock, storeDays }, { pageId, folder });
      const rows = sites.map(({ slug, monitor, days, note = '' }) => [slug, monitor, String(days), note]);
      const [firstDay] = sites.flatMap((site) => site.firstDay ?? []).sort();
      const first = firstDay === undefined ? null : new Date(firstDay);
      const moved = keepSeriesStart ? '' : await extendSeries({ sql }, pageId, first);
      return { json: { sites }, text: formatTable(['SLUG', 'MONITOR', 'DAYS', 'NOTE'], rows) + moved };
    },
  }),
];

/** Lets the response times of the page begin with an imported day. Returns what to print about it. */
async function extendSeries({ sql }: { sql: Sql }, pageId: PageId, first: Date | null): Promise<string> {
  if (first === null || !(await publishResponseTimes({ sql }, { pageId, since: first }))) return '';
  const day = first.toISOString().slice(0, 10);
  return `The response times of the page begin on ${day} now; --keep-series-start keeps their first day.\n`;
}

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
