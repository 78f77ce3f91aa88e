import t from 'tap';
import { changeAlertsOfRule, endAlertsOfRule } from '../../control/alerts/index.js';
import { createQuery } from '../../control/queries/index.js';
import { loadRule, putRule } from '../../control/rules/index.js';
import { systemClock } from '../../lib/clock.js';
import type { JobDeps } from '../../service/jobs/job.js';
import { watchQueries } from '../../service/jobs/look-at-queries.js';
import { openTestPageSql, slowSql } from '../analytics/support.js';
import { testActor } from '../support/actor.js';
import { makePage } from '../support/pages.js';
import { silentLog } from '../support/silent-log.js';
import { openTestPostgres } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';

const { sql } = await openTestPostgres(t);
const { clickhouse, pageSql } = await openTestPageSql(t);
const jobDeps: JobDeps = {
  ...{ sql, clickhouse, clickhouseOf: () => clickhouse, pageSql, clock: systemClock, log: silentLog },
};
const deps = { sql, clock: systemClock, by: testActor };

async function makeAsking(slug: string, statement: string) {
  const { id: pageId } = await makePage(sql, { slug });
  const { id: query } = await createQuery(deps, {
    ...{ pageId, userId: null, name: 'Asked', sql: statement, isShared: true },
  });
  await putRule(
    { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule },
    {
      ...{ pageId, slug: 'asking', name: 'Asking', kind: 'query', target: { query } },
      condition: { operator: '>', value: 5 },
    },
  );
  return () => loadRule({ sql }, { pageId, slug: 'asking' });
}

t.test('a page whose query does not end delays no other, and says that it takes too long', async (t) => {
  const slow = await makeAsking('slow', slowSql);
  const quick = await Promise.all(
    Array.from({ length: 20 }, (_, at) => makeAsking(`quick-${at}`, 'SELECT 9')),
  );
  let hasEnded = false;
  const run = watchQueries(jobDeps).then(() => {
    hasEnded = true;
  });
  await waitUntil('the other pages are looked at', async () => {
    const rules = await Promise.all(quick.map((load) => load()));
    return rules.every(({ state }) => state === 'firing');
  });
  t.equal(hasEnded, false, 'the slow query still runs');
  await run;
  t.match(await slow(), { state: 'error', error: /longer than|more time/ });
});
