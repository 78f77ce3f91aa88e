import type { Test } from 'tap';
import type { PutFigureExport } from '../../contract/manage/figure-export.js';
import { findFigureExport, setFigureExport } from '../../control/figure-exports/index.js';
import type { PageId } from '../../lib/ids.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { exportFigures } from '../../service/jobs/export-figures.js';
import type { JobDeps } from '../../service/jobs/job.js';
import { insertRequests, openTestPageSql } from '../analytics/support.js';
import { testActor } from '../support/actor.js';
import { startBucket } from '../support/bucket.js';
import { captureLog } from '../support/capture-log.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { makePage } from '../support/pages.js';
import { openTestPostgres } from '../support/stores.js';

/** The begin of an hour in the past, so that no row of it has expired. */
export const begin = Math.floor(Date.now() / hourMs) * hourMs - 12 * hourMs;

/**
 * Opens the job that exports figures, with requests of the first two hours from `begin` of the page `acme`, and some of
 * another one.
 */
export async function openExportJob(t: Test) {
  const { sql } = await openTestPostgres(t);
  const { clickhouse, pageSql } = await openTestPageSql(t);
  const bucket = await startBucket(t);
  const { log, text } = captureLog();
  const clock = {
    /** Milliseconds since the epoch. */
    time: begin,
    now(): number {
      return clock.time;
    },
  };
  const deps = { sql, clock, by: testActor, secretKey: testSecretKey };
  const jobDeps: JobDeps = {
    ...{ sql, clickhouse, clickhouseOf: () => clickhouse, pageSql, clock, log },
    outgoing: { secretKey: testSecretKey, allowPrivateAddresses: true },
  };
  const page = await makePage(sql);
  const other = await makePage(sql, { slug: 'other' });
  await insertRequests(clickhouse, page.id, [
    { at: begin, endpoint: '/a', requests: 3, latencyMs: [10, 20, 30] },
    { at: begin + 59 * minuteMs, endpoint: '/a', requests: 2, latencyMs: [10, 40] },
    { at: begin + hourMs, endpoint: '/b', requests: 7 },
  ]);
  // Another insert, so that rows of one key are not merged yet.
  await insertRequests(clickhouse, page.id, [
    { at: begin, endpoint: '/a', requests: 4, latencyMs: [1, 2, 3, 4] },
  ]);
  await insertRequests(clickhouse, other.id, [{ at: begin, endpoint: '/of-other', requests: 9 }]);
  const set = (fields: Partial<PutFigureExport> = {}, pageId: PageId = page.id) =>
    setFigureExport(deps, pageId, { ...bucket.settings, format: 'jsonl', ...fields });
  return {
    ...{ sql, clickhouse, bucket, text, clock, deps, jobDeps, page, other, set },
    /** Runs the job so many milliseconds after `begin`. */
    runAt: async (sinceBegin: number) => {
      clock.time = begin + sinceBegin;
      await exportFigures(jobDeps);
    },
    /** Begins the export of the page anew at `begin`, into an empty prefix. */
    beginAnew: async (prefix: string, fields: Partial<PutFigureExport> = {}) => {
      await sql`delete from figure_exports`;
      bucket.puts.length = 0;
      clock.time = begin + hourMs;
      await set({ prefix, since: new Date(begin).toISOString(), ...fields });
    },
    state: async () => {
      const found = await findFigureExport({ sql }, page.id);
      const progress = found?.progress ?? [];
      return { ...found, exportedUntil: new Date(Math.min(...progress.map((one) => one.exportedUntil))) };
    },
    /** Returns the rows of an object in JSON by lines; none when the bucket does not have it. */
    rowsOf: (name: string): Record<string, unknown>[] =>
      String(bucket.objects.get(name)?.body ?? '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  };
}

/** The name of the object of the hour that begins so many milliseconds after `begin`. */
export function nameAt(sinceBegin: number, table = 'requests_hour', prefix = 'acme'): string {
  const iso = new Date(begin + sinceBegin).toISOString();
  return `${prefix}/${table}/${iso.slice(0, 10).replaceAll('-', '/')}/${iso.slice(11, 13)}.jsonl`;
}
