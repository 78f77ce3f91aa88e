import { againAfterHours, settledAfterMinutes } from '../../contract/exported-tables.js';
import { startDeadline } from '../../lib/timeout.js';
import { hourMs, minuteMs, secondMs } from '../../lib/times.js';
import { type ExportDeps, exportPage } from './export-page.js';
import { listDueExports } from './figure-export.js';

/** Pages whose hours are put at once, so that up to seven buckets that hang delay no other page. */
const lanes = 8;
/** No page and no hour begins later in a run, of which there is one a minute. */
const beginMsMax = 45 * secondMs;
/** Whatever is on its way is then left to the next run. An hour that began with the run has met its own limits before. */
const runMsMax = 55 * secondMs;

type Deps = Omit<ExportDeps, 'signal'> & {
  /** Ends the run early. */
  signal?: AbortSignal | undefined;
};

/**
 * Puts the hours that are over into the buckets of their pages, each table hour by hour, and puts each again a day later. An
 * hour of a table has one object, whose name follows from both, and the table moves on once the bucket has acknowledged it:
 * a run that is cut off is repeated under the same names, so that no hour is missing or there twice.
 *
 * @throws Error when a store of the service failed for some pages, after all others are done.
 */
export async function exportHours({ signal, ...deps }: Deps): Promise<void> {
  const now = deps.clock.now();
  const due = await listDueExports(deps.sql, {
    now,
    settledBefore: now - settledAfterMinutes * minuteMs,
    finalBefore: now - againAfterHours * hourMs,
  });
  if (due.length === 0) return;
  const deadline = startDeadline(runMsMax, signal);
  const mayBegin = (): boolean => !deadline.signal.aborted && deps.clock.now() - now <= beginMsMax;
  let failures = 0;
  const exportNext = async (): Promise<void> => {
    for (let pageId = due.shift(); pageId !== undefined && mayBegin(); pageId = due.shift()) {
      await exportPage({ ...deps, signal: deadline.signal }, { now, mayBegin }, pageId).catch((err) => {
        failures += 1;
        deps.log.error(
          { pageId, err },
          'The figures of a page could not be exported; the next run tries again.',
        );
      });
    }
  };
  await Promise.all(Array.from({ length: lanes }, exportNext));
  deadline.end();
  if (failures > 0) throw new Error(`The figures of ${failures} pages could not be exported.`);
}
