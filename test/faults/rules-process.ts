import { setTimeout as wait } from 'node:timers/promises';
import type { JobDeps } from '../../service/jobs/job.js';
import { lookAtRules } from '../../service/jobs/watch-rules.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { silentLog } from '../support/silent-log.js';

/**
 * Looks at all rules again and again, in a process of its own, until it is killed. The arguments are the databases, the time at
 * which its clock was `begin`, and `begin`; a second is a minute of its clock, so that ten minutes are a day's work of rules.
 */
const [databaseUrl = '', clickhouseUrl = '', startedAt = '', begin = ''] = process.argv.slice(2);
const clickhouse = openClickHouse(clickhouseUrl);
const deps: JobDeps = {
  ...{
    sql: openPostgres(databaseUrl, { max: 4 }),
    clickhouse,
    clickhouseOf: () => clickhouse,
    log: silentLog,
  },
  clock: { now: () => Number(begin) + (Date.now() - Number(startedAt)) * 60 },
};
for (;;) {
  // A run that fails is repeated, as the scheduler does.
  await lookAtRules(deps).catch(() => undefined);
  await wait(200);
}
