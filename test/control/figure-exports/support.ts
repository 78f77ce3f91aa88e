import type { Test } from 'tap';
import type { HourlyTable } from '../../../contract/exported-tables.js';
import type { PutFigureExport } from '../../../contract/manage/figure-export.js';
import { exportHours, findFigureExport, setFigureExport } from '../../../control/figure-exports/index.js';
import { createEgress } from '../../../lib/outbound/egress.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { startBucket } from '../../support/bucket.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

/** The begin of the first hour that is exported. */
export const begin = Date.UTC(2027, 0, 31, 5);
/** Just after that hour is settled. */
export const due = begin + hourMs + 10 * minuteMs;
export const bothTables: HourlyTable[] = ['requests_hour', 'checks'];

export type ExportHoursDeps = Parameters<typeof exportHours>[0];

/** Opens what exports the hours of the page `acme` to a bucket. Before each test its export begins anew, and one hour is due. */
export async function openExport(t: Test) {
  const { sql } = await openTestPostgres(t);
  const bucket = await startBucket(t);
  const clock = {
    /** Milliseconds since the epoch. */
    time: begin,
    now(): number {
      return clock.time;
    },
  };
  const deps = { sql, clock, by: testActor, secretKey: testSecretKey };
  const page = await makePage(sql);
  const set = (fields: Partial<PutFigureExport> = {}) =>
    setFigureExport(deps, page.id, { ...bucket.settings, format: 'csv', tables: bothTables, ...fields });
  const find = async () => {
    const found = await findFigureExport({ sql }, page.id);
    if (found === undefined) throw new Error('There is no export.');
    return found;
  };
  t.beforeEach(async () => {
    await sql`delete from figure_exports`;
    bucket.puts.length = 0;
    bucket.answer = () => undefined;
    clock.time = begin;
    await set();
    clock.time = due;
  });
  return {
    ...{ sql, bucket, clock, deps, page, set, find },
    /** Runs the job once, with `given` in place of what is usual. */
    run: (given: Partial<ExportHoursDeps> = {}) =>
      exportHours({
        ...{ sql, clock, log: silentLog, secretKey: testSecretKey },
        egress: createEgress({ allowPrivateAddresses: true }),
        readPiece: async () => Buffer.from('rows'),
        loadOldestWaiting: async () => ({}),
        ...given,
      }),
    /** Returns how far each table is, in hours since `begin`. */
    hoursOf: async () =>
      Object.fromEntries(
        (await find()).progress.map(({ table, exportedUntil }) => [table, (exportedUntil - begin) / hourMs]),
      ),
  };
}

/** The name of the object of an hour of the day of `begin`. */
export function nameOf(table: HourlyTable, hour = '05'): string {
  return `acme/${table}/2027/01/31/${hour}.csv`;
}
