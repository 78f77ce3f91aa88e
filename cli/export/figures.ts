import { join, resolve } from 'node:path';
import Type from 'typebox';
import { exportStatement } from '../../analytics/exports/export-statement.js';
import {
  type ExportedTable,
  type ExportFormat,
  exportedTables,
  exportFormatNames,
  exportFormats,
} from '../../contract/exported-tables.js';
import { findEventStore } from '../../control/event-stores/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { parseRange } from '../../lib/query-parameters.js';
import { ServiceError } from '../../lib/service-error.js';
import { abortOnSignal } from '../core/abort-on-signal.js';
import type { CommandContext } from '../core/context.js';
import { defineCommand } from '../core/define-command.js';
import { formatBytes } from '../core/output.js';
import { createProgressBar } from '../core/progress-bar.js';
import { pageOption } from '../page.js';
import type { Piece } from './pieces.js';
import { type ReadPiece, writePieces } from './write-pieces.js';

const interrupted = 'Interrupted; the same command goes on where it was.';

export const exportFiguresCommand = defineCommand({
  runsRemotely: true,
  name: 'export figures',
  summary: 'write the figures of a page to files',
  help: `Writes the rows of tables of the SQL of a page to FOLDER/PAGE/TABLE: a file for each day of tables by the hour and the day, and
for each hour of others, in UTC. PAGE is the slug, so that several pages may share a folder. Days and hours are written whole,
and only ten minutes after their end. Files that are there stay, so that the same command goes on after an interruption, and
adds what is new later. A page of the name "figures" is exported for apply with: heartline export -- figures`,
  options: {
    page: pageOption,
    from: { value: 'TIME', help: 'the first day or hour, such as 2026-01-31 or now-30d', required: true },
    to: { value: 'TIME', help: 'the last one; now by default', default: 'now' },
    table: {
      value: 'TABLE',
      help: `a table; repeat it for more. requests_hour by default; there are ${exportedTables.join(', ')}`,
      multiple: true,
      choices: exportedTables,
    },
    format: {
      value: 'parquet|csv|jsonl',
      help: 'the format of the files; parquet by default',
      choices: exportFormatNames,
      default: 'parquet',
    },
    out: { value: 'FOLDER', help: 'the folder, which is made; it gets one for the page', required: true },
  },
  json: '{"folder", "tables": [...], "from", "to", "written", "skipped", "bytes"}',
  async run(context, { page, format, out, table = ['requests_hour'], ...ends }) {
    const now = context.clock.now();
    const { from, to } = parseRange(ends, now);
    const folder = join(resolve(out), page);
    const tables = exportedTables.filter((one) => table.includes(one));
    const bar = createProgressBar();
    const reader = await openReader(context, page, format);
    const counts = await abortOnSignal(interrupted, (signal) =>
      writePieces({
        ...{ folder, tables, from, to, now, format, signal },
        read: (one, piece) => reader.read(one, piece, signal),
        onProgress: (share, what) => bar.show(share, what),
      }),
    ).finally(async () => {
      bar.clear();
      await reader.close();
    });
    const { written, skipped, bytes } = counts;
    const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const text = `${written} files with ${formatBytes(bytes)} were written to ${folder}; ${skipped} were there.\n`;
    return { json: { folder, tables, ...span, ...counts }, text };
  },
});

type Reader = {
  read(...given: [...Parameters<ReadPiece>, AbortSignal]): Promise<Buffer>;
  close(): Promise<void>;
};

/** Reads as the SQL of the page does, with its limits: on the stores, or of an installation elsewhere. */
async function openReader(context: CommandContext, slug: string, format: ExportFormat): Promise<Reader> {
  const inputOf = (table: ExportedTable) => ({ sql: exportStatement(table), format: exportFormats[format] });
  if (context.isRemote) {
    const { client } = context;
    const path = await client.pathOf(slug);
    // A folder gets the name of the slug: nothing is written for a page that is not there.
    await client.send('GET', path, { answer: Type.Unknown() });
    return {
      read: (table, piece, signal) =>
        client.download(`${path}/analytics/sql`, { ...inputOf(table), ...timesOf(piece) }, signal),
      async close() {},
    };
  }
  // Loaded late, because no other command of this noun needs these modules.
  const { openPageSql } = await import('../../analytics/sql/open-page-sql.js');
  const { runPageSql } = await import('../../analytics/sql/run-sql.js');
  const stores = await context.openStores();
  const pageId = await loadPageId(stores.sql, slug);
  if ((await findEventStore(stores, pageId)) !== undefined) throw new ServiceError('ownEventStore');
  const pageSql = openPageSql({ ...stores, cluster: context.config.clickhouseCluster });
  return {
    read: (table, { from, to }, signal) =>
      runPageSql(pageSql, pageId, { ...inputOf(table), times: { from, to } }, signal),
    close: () => pageSql.sqlClient.close(),
  };
}

function timesOf({ from, to }: Piece): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
