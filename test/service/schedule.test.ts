import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { deferred } from '../../lib/deferred.js';
import type { Job, JobDeps } from '../../service/jobs/job.js';
import { startSchedule } from '../../service/jobs/schedule.js';
import { silentLog } from '../support/silent-log.js';
import { openTestClickHouse, openTestPostgres } from '../support/stores.js';

t.test('the end of the schedule ends a run that heeds it', async (t) => {
  const { sql } = await openTestPostgres(t);
  const { clickhouse } = await openTestClickHouse(t);
  const deps: JobDeps = {
    sql,
    clickhouse,
    clickhouseOf: () => clickhouse,
    clock: systemClock,
    log: silentLog,
  };
  const begun = deferred<void>();
  let reason: unknown;
  const job: Job = {
    ...{ name: 'endless', summary: 'wait for the end', schedule: '* * * * * *', everySeconds: 1 },
    run: ({ signal }) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => {
          reason = signal.reason;
          resolve();
        });
        begun.resolve();
      }),
  };
  const schedule = startSchedule([job], deps);
  await begun.promise;
  await schedule.stop();
  t.match(reason, { name: 'AbortError' });
});
