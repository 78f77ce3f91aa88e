import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Type from 'typebox';
import { ImportedSubscribers } from '../../../../contract/manage/subscribers.js';
import { importLimits, parseConsent } from '../../../../contract/subscriber-import.js';
import { loadPageById } from '../../../../control/pages/index.js';
import { type ImportedRow, importSubscribers } from '../../../../control/subscribers/index.js';
import { type CsvRow, isEmptyRow, readCsvRows } from '../../../../lib/csv/read-csv.js';
import type { PageId } from '../../../../lib/ids.js';
import { createLimiter } from '../../../../lib/limiter.js';
import { ServiceError, storeUnavailable } from '../../../../lib/service-error.js';
import { hangUpSignal } from '../../../hang-up.js';
import { manageBodyRoute } from '../../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList } from '../deps.js';

/** Characters that are read in one turn of the event loop. */
const turnChars = 64 * 1024;
/** An import ends this long before its request is answered with 503: a COMMIT that is on its way then arrives in time. */
const commitMs = 500;
/** An import holds a connection for up to 4 s; two of the eight leave room for the other requests of all pages. */
const importsMax = { max: 2, maxPerKey: 1, waitingMaxPerKey: 2, waitingMax: 16 };

/** Many subscribers at once, from a file. */
export function manageImportRoutes(deps: CommandRoutesDeps): ManageRouteList {
  const running = createLimiter<PageId>(importsMax);
  return [
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/subscribers/import',
      operationId: 'importSubscribers',
      summary: 'Add many addresses to the subscribers of a page, from CSV',
      description: `Add up to ${importLimits.rows} addresses to the subscribers of a page, from CSV with the columns \`email\`, \`confirmed\` and, if you like, \`language\`; other columns are ignored. \`confirmed\` is true for an address that has agreed to get email, and false for one that is asked by email. Repeating an import changes nothing, suppressed addresses stay so, and refused lines are named`,
      permission: 'notifications.write',
      body: {
        schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
        mediaType: 'text/csv',
        bytesMax: importLimits.bytes,
      },
      answers: { 200: ImportedSubscribers },
      errors: ['invalidBody', 'rateLimited'],
      async manage({ ctx, by, page: { id }, body, msLeft }) {
        const release = await running.take(id, hangUpSignal(ctx.res));
        if (release === undefined) throw tooManyImports();
        try {
          const rows = await readRows(body);
          const page = await loadPageById(deps.sql, id);
          // It has waited for its turn, and is not to be stored after its sender was told 503.
          const timeoutMs = msLeft() - commitMs;
          if (timeoutMs <= 0) throw storeUnavailable();
          const imported = await importSubscribers({ ...deps, by }, { page, rows, timeoutMs });
          if (imported.added > 0) deps.onAnnounced();
          ctx.body = imported;
        } finally {
          release();
        }
      },
    }),
  ];
}

function tooManyImports(): ServiceError {
  const message = 'Other imports run now; wait for them.';
  return new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
}

/** @throws ServiceError `invalidBody`; `bodyTooLarge` for more rows than one import has */
async function readRows(body: Buffer): Promise<ImportedRow[]> {
  if (!isUtf8(body)) throw new ServiceError('invalidBody', { message: 'The file is not UTF-8.' });
  const rows: ImportedRow[] = [];
  let columns: Columns | undefined;
  let turnEnd = turnChars;
  for (const row of readCsvRows(body.toString('utf8'))) {
    if (row.end > turnEnd) {
      turnEnd = row.end + turnChars;
      await nextTurn();
    }
    if (isEmptyRow(row)) continue;
    if (columns === undefined) columns = readHeader(row.cells);
    else rows.push(readRow(row, columns));
    if (rows.length > importLimits.rows) {
      throw new ServiceError('bodyTooLarge', {
        message: `The file has more than ${importLimits.rows} addresses; send it in parts.`,
      });
    }
  }
  if (columns === undefined) readHeader([]);
  return rows;
}

/** Places of the columns; `language` is -1 in a file without it. */
type Columns = { email: number; confirmed: number; language: number };

/** @throws ServiceError `invalidBody` for a first line that lacks a column */
function readHeader(cells: readonly string[]): Columns {
  const names = cells.map((cell) => cell.toLowerCase());
  const email = names.indexOf('email');
  const confirmed = names.indexOf('confirmed');
  if (email < 0 || confirmed < 0) {
    throw new ServiceError('invalidBody', {
      message:
        'The first line must name the columns email and confirmed, and may name language; confirmed says for each address whether it has agreed.',
    });
  }
  return { email, confirmed, language: names.indexOf('language') };
}

function readRow({ line, cells }: CsvRow, { email, confirmed, language }: Columns): ImportedRow {
  return {
    line,
    email: cells[email] ?? '',
    language: cells[language] ?? '',
    confirmed: parseConsent(cells[confirmed] ?? ''),
  };
}
