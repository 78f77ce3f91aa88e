import t from 'tap';
import { changeAlertsOfRule, endAlertsOfRule, listAlerts } from '../../control/alerts/index.js';
import { createQuery } from '../../control/queries/index.js';
import { loadRule, type PutRuleFields, putRule, type RuleDeps } from '../../control/rules/index.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import type { JobDeps } from '../../service/jobs/job.js';
import { watchQueries } from '../../service/jobs/look-at-queries.js';
import { lookAtRules } from '../../service/jobs/watch-rules.js';
import { insertRequests, openTestPageSql } from '../analytics/support.js';
import { testActor } from '../support/actor.js';
import { makePage } from '../support/pages.js';
import { silentLog } from '../support/silent-log.js';
import { openTestPostgres } from '../support/stores.js';

const { sql } = await openTestPostgres(t);
const { clickhouse, pageSql } = await openTestPageSql(t);
const begin = Math.floor(Date.now() / hourMs) * hourMs - 10 * hourMs;
let now = begin;
const clock = { now: () => now };
const jobDeps: JobDeps = { sql, clickhouse, clickhouseOf: () => clickhouse, pageSql, clock, log: silentLog };
const deps = { sql, clock, by: testActor };
const ruleDeps: RuleDeps = { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
let pages = 0;

/** A page with a rule that runs a statement every minute. */
async function makeAsking(statement: string, fields: Partial<PutRuleFields> = {}) {
  const { id: pageId } = await makePage(sql, { slug: `asking-${++pages}` });
  const { id: query } = await createQuery(deps, {
    ...{ pageId, userId: null, name: 'Asked', sql: statement, isShared: true },
  });
  await putRule(ruleDeps, {
    ...{ pageId, slug: 'asking', name: 'Late orders', kind: 'query', target: { query } },
    ...{ condition: { operator: '>', value: 5 }, ...fields },
  });
  t.teardown(() => sql`update rules set enabled = false where page_id = ${pageId}`);
  return {
    pageId,
    query,
    send: (minute: number, requests: number, endpoint = '/orders') =>
      insertRequests(clickhouse, pageId, [
        { at: begin + minute * minuteMs, status: 200, requests, endpoint },
      ]),
    state: async () => {
      const { state, error } = await loadRule({ sql }, { pageId, slug: 'asking' });
      return error === null ? state : `${state}: ${error}`;
    },
    alerts: async () => {
      const all = await listAlerts({ sql }, { pageId, state: 'all', limit: 100, after: undefined });
      return all.map(({ title, state, value }) => ({ title, state, value }));
    },
  };
}

async function lookAt(minute: number): Promise<void> {
  now = begin + minute * minuteMs + 20_000;
  await watchQueries(jobDeps);
}

const countOf =
  'SELECT sum(requests) FROM requests_minute WHERE minute >= {from:DateTime} AND minute < {to:DateTime}';

t.test('a number above the line is an alert, over the window of the rule', async (t) => {
  const { send, state, alerts } = await makeAsking(countOf, {
    condition: { operator: '>', value: 5, windowMinutes: 2 },
  });
  await send(0, 4);
  await send(1, 4);
  await lookAt(1);
  t.strictSame([await state(), await alerts()], ['ok', []]);
  await lookAt(2);
  t.strictSame(await alerts(), [{ title: 'Late orders is 8', state: 'firing', value: 8 }]);
  await lookAtRules(jobDeps);
  t.equal(await state(), 'firing', 'the other looks leave it alone');
  await lookAt(3);
  t.match(await alerts(), [{ state: 'resolved' }]);
});

t.test('a label and a number a row are an alert each', async (t) => {
  const { send, alerts } = await makeAsking(
    'SELECT endpoint, sum(requests) FROM requests_minute GROUP BY endpoint',
  );
  for (const [endpoint, requests] of [
    ['/a', 6],
    ['/b', 3],
    ['[c]', 9],
  ] as const)
    await send(0, requests, endpoint);
  await lookAt(1);
  t.strictSame((await alerts()).map(({ title }) => title).sort(), ['/a is 6', '[c] is 9']);
});

t.test('no data is what the rule says', async (t) => {
  const nothing = 'SELECT sum(requests) FROM requests_minute HAVING count() > 0';
  const keeps = await makeAsking(nothing);
  const alarms = await makeAsking(nothing, { noData: 'alert' });
  await lookAt(1);
  t.strictSame([await keeps.state(), await alarms.state()], ['no-data', 'firing']);
  await alarms.send(0, 1);
  await lookAt(2);
  t.equal(await alarms.state(), 'ok');
});

t.test('a query that fails is an error, and leaves the state as it was', async (t) => {
  const other = await makeAsking('SELECT name FROM system.users');
  const text = await makeAsking("SELECT 'x'");
  const { pageId, send, state } = await makeAsking(countOf);
  await send(0, 9);
  await lookAt(1);
  t.match(
    [await other.state(), await text.state()],
    [/^error: /, /^error: .*of the type String, and no number/],
  );
  t.equal(await state(), 'firing');
  await sql`delete from queries where page_id = ${pageId}`;
  await lookAt(2);
  t.match(await state(), /^firing: .*is gone/);
});

t.test('a query sees the rows of its page alone', async (t) => {
  const one = await makeAsking(countOf);
  const other = await makeAsking(countOf);
  await one.send(0, 9);
  await lookAt(1);
  t.strictSame([await one.state(), await other.state()], ['firing', 'ok']);
});

t.test('a page with an event store of its own says why it is not asked', async (t) => {
  const { state } = await makeAsking(countOf);
  now = begin + minuteMs + 20_000;
  const away = () => Promise.reject(new Error('Nothing is asked of it.'));
  const own = { store: {}, loadRows: away, command: away };
  await watchQueries({ ...jobDeps, clickhouseOf: () => own });
  t.match(await state(), /^error: .*a ClickHouse of its own/);
});
