import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { JobDeps } from '../../service/jobs/job.js';
import { lookAtRules } from '../../service/jobs/watch-rules.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { silentLog } from '../support/silent-log.js';

/** A pass over all rules, at the time `at` of the clock; or a complaint of the product. */
export type RulesEvent = { event: 'begun' | 'ended'; at: number } | { event: 'complaint'; text: string };

/**
 * Looks at all rules whenever the clock has moved, in a process of its own, until it is killed or its parent is gone. The arguments
 * are the databases and a file with the time. The time is read at each call, as that of a machine is: a process that was suspended
 * goes on at once with the new one.
 */
const [databaseUrl = '', clickhouseUrl = '', clockFile = ''] = process.argv.slice(2);
const tell = (event: RulesEvent) => process.send?.(event);
const complain = (fields: object, text: string) =>
  tell({ event: 'complaint', text: `${text} ${'err' in fields ? fields.err : ''}` });
const clickhouse = openClickHouse(clickhouseUrl, { max: 4 });
const deps: JobDeps = {
  sql: openPostgres(databaseUrl, { max: 4 }),
  clickhouse,
  clickhouseOf: () => clickhouse,
  log: { ...silentLog, warn: complain, error: complain },
  clock: { now: () => Number(readFileSync(clockFile, 'utf8')) },
};

process.on('disconnect', () => process.exit());
for (let looked = 0; ; ) {
  const at = deps.clock.now();
  if (at === looked) {
    await wait(5);
    continue;
  }
  tell({ event: 'begun', at });
  try {
    await lookAtRules(deps);
    looked = at;
    tell({ event: 'ended', at });
  } catch (err) {
    // The next pass repeats it, as the schedule does.
    complain({ err }, 'A pass failed.');
  }
}
