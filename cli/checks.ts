import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  type ImportCounts,
  type ImportedSite,
  importChecks,
  importUpptime,
  loadUpptime,
  loadUpptimeNotes,
  type Remedy,
} from '../control/monitors/index.js';
import { loadPageId, publishResponseTimes } from '../control/pages/index.js';
import type { PageId } from '../lib/ids.js';
import { withPrintedCommands } from '../lib/printed-commands.js';
import { type ImportedDay, importDays } from '../rollups/compute-points.js';
import { quoteForShell } from '../service/addresses.js';
import type { ControlStore } from './core/context.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
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
  dnsMs, connectMs, tlsMs, firstByteMs, status, error
           parts of the response time, the HTTP status, and the class of a failure, such as "timeout"

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
      const { sql, clickhouse, clock, by } = await context.openStores();
      const pageId = await loadPageId(sql, page);
      const bar = createProgressBar();
      const input = countBytes(file === '-' ? process.stdin : createReadStream(file));
      const counts = await importChecks(
        { sql, clickhouse, clock, by },
        {
          pageId,
          lines: readLines(input.chunks, lineCharsMax),
          onProgress: ({ imported, refused }) =>
            bar.show(bytes && input.read() / bytes, `${imported} checks imported, ${refused} lines refused`),
        },
      ).finally(() => bar.clear());
      const failure = counts.refused > 0 ? explainRefused(counts) : undefined;
      const firstAt = counts.firstAt === null ? null : new Date(counts.firstAt);
      const moved = keepSeriesStart ? '' : await extendSeries({ sql, clock, by }, pageId, firstAt);
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
monitors, checked every minute from then on: http, or tcp where Upptime pings a port. The uptime of each day is imported
from the day on which Upptime first checked the site, as far back as days are kept; a day with checks by Heartline stays
as it is. Variables of the environment are filled in for the names of secrets in addresses. When you run the command again, it changes only the current day.

Slugs are converted to lower case, with "-" in place of "_" and ".". Sites that cannot become monitors are refused, such
as those whose URL is a secret: each is listed with its reason and the command that creates its monitor, and the exit
code is 1. Run that command, then the import again: it takes their history.`,
    arguments: { folder: 'FOLDER' },
    options: {
      page: pageOption,
      rename: {
        value: 'OLD=NEW',
        help: "import the site with Upptime's slug OLD as the monitor NEW; may be repeated",
        multiple: true,
        parse: parseRename,
      },
      keepSeriesStart,
    },
    json: '{"sites": [...], "notes": [...]}',
    async run(context, { page, folder, rename = [], keepSeriesStart = false }) {
      // Fails for a folder of another kind before any store is started for it.
      const [found, notes] = [await loadUpptime(folder), await loadUpptimeNotes(folder)];
      const { sql, clickhouse, secretKey, clock, by } = await context.openStores();
      const storeDays = (days: readonly ImportedDay[]) => importDays(clickhouse, days);
      const pageId = await loadPageId(sql, page);
      const input = { pageId, sites: found, renames: new Map(rename) };
      const imported = await importUpptime(
        { sql, secretKey, clock, by, storeDays, variable: context.variable },
        input,
      );
      const sites = imported.map(({ remedy, ...site }) => ({
        ...site,
        ...(remedy && {
          command: remedyCommand(context.commandPrefix, { page, folder, renames: rename, ...site, remedy }),
        }),
      }));
      const rows = sites.map(({ slug, monitor, days, note = '' }) => [slug, monitor, String(days), note]);
      const [firstDay] = sites.flatMap((site) => site.firstDay ?? []).sort();
      const first = firstDay === undefined ? null : new Date(firstDay);
      const moved = keepSeriesStart ? '' : await extendSeries({ sql, clock, by }, pageId, first);
      return {
        json: { sites, notes },
        text:
          formatTable(['SLUG', 'MONITOR', 'DAYS', 'NOTE'], rows) +
          notes.map((note) => `The repository: ${withPrintedCommands(note)}\n`).join('') +
          moved,
        failure: explainRefusedSites(sites),
      };
    },
  }),
];

/** Lets the response times of the page begin with an imported day. Returns what to print about it. */
async function extendSeries(deps: ControlStore, pageId: PageId, first: Date | null): Promise<string> {
  if (first === null || !(await publishResponseTimes(deps, { pageId, since: first }))) return '';
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

function parseRename(text: string): readonly [string, string] {
  const equals = text.lastIndexOf('=');
  if (equals < 1) throw new UsageError(`--rename must be like old_slug=new-slug, not "${text}".`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

type Rename = readonly [old: string, slug: string];
type RefusedSite = {
  page: string;
  folder: string;
  /** The names that the command was given: without them its sites would be other ones. */
  renames: readonly Rename[];
  slug: string;
  remedy: Remedy;
};

/**
 * The command after which a refused site can be imported, for a shell. Words in capitals stand for what only a person
 * knows.
 */
function remedyCommand(prefix: string, { page, folder, renames, slug, remedy }: RefusedSite): string {
  if ('rename' in remedy) {
    const kept = renames.filter(([old]) => old !== remedy.rename);
    const all = [...kept, [remedy.rename, 'NEW']].map(([old, slug]) => option('--rename', `${old}=${slug}`));
    const words = [option('--page', page), ...all, folder];
    return [prefix, 'import upptime', ...words.flat().map(quoteForShell)].join(' ');
  }
  const { name, kind, url, tlsExpiryDays } = remedy.create;
  const words = [
    ...[option('--page', page), option('--slug', slug), option('--name', name), option('--type', kind)],
    ...[option('--url', url), tlsExpiryDays === undefined ? [] : ['--tls-expiry-days', `${tlsExpiryDays}`]],
  ];
  return [prefix, 'monitor create', ...words.flat().map(quoteForShell)].join(' ');
}

/** A value that begins with "-" would be taken for an option. */
function option(name: string, value: string): string[] {
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value];
}

function explainRefusedSites(sites: readonly (ImportedSite & { command?: string })[]): string | undefined {
  const refused = sites.filter(({ monitor }) => monitor === 'refused');
  if (refused.length === 0) return undefined;
  const listed = refused.map(({ slug, note = '', command }) =>
    [`  ${slug}: ${note}`, ...(command === undefined ? [] : [`    ${command}`])].join('\n'),
  );
  const summary = `${refused.length} of ${sites.length} sites were refused; all others are imported.`;
  const advice = refused.some(({ command }) => command !== undefined)
    ? ' Run the command below a site, with your own value for a word in capitals, and import again.'
    : '';
  return [summary + advice, ...listed].join('\n');
}
