import { readFile } from 'node:fs/promises';
import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { insertPoolReports } from '../../../database-health/pool-reports/insert-pool-reports.js';
import { ServiceError } from '../../../lib/service-error.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { makePoolBlock } from '../../support/pool-blocks.js';
import { insertReports, insertRequests, newPageId, openTestPageSql } from '../support.js';
import { insertViewRows } from './view-rows.js';

const text = await readFile(new URL('../../../../docs/sql-questions.md', import.meta.url), 'utf8');
const { clickhouse, pageSql } = await openTestPageSql(t);
const page = newPageId();
/** A message with a sample behind it, as a block has both. */
const sampleAt = (at: number): string =>
  `no stock\0[{"e":"StockError","n":1,"s":[[${-at},"no stock","","","","at stock.js",[]]]}]`;
const now = Date.now();
const [recent, before] = [now - 90 * minuteMs, now - dayMs - 90 * minuteMs];
for (const at of [recent, before]) {
  await insertRequests(clickhouse, page, [
    {
      at,
      endpoint: '/cart',
      status: 500,
      latencyMs: [10, 20, 30, 40, 50],
      version: '1.0.0',
      message: sampleAt(at),
    },
    { at: at + minuteMs, endpoint: '/orders', latencyMs: [5] },
    { at: at - 5 * dayMs, endpoint: '/old', latencyMs: [5] },
  ]);
  await insertReports(clickhouse, page, { kind: 'service', service: 'api' }, [at]);
  await insertPoolReports({ clickhouse }, makePoolBlock(page, [{ to: at }]));
}
await insertRequests(clickhouse, page, [{ at: now - 5 * minuteMs, endpoint: '/new' }]);
await insertViewRows(clickhouse, page, 'api');

t.test('each of the thirty questions runs and has an answer', async (t) => {
  const questions = [...text.matchAll(/### (\d+)\. ([^\n]+)\n\n```sql\n(.*?)\n```/gs)];
  t.same(
    questions.map(([, number]) => Number(number)),
    Array.from({ length: 30 }, (_, at) => at + 1),
  );
  const times = { from: now - 3 * hourMs, to: now + minuteMs };
  const wrong = [];
  for (const [, number = '', title, sql = ''] of questions) {
    try {
      const answer = await runPageSql(pageSql, page, { sql, format: 'JSONEachRow', times });
      if (answer.length === 0) wrong.push({ number, title, answer: 'no row' });
      if (/\b(nan|inf)\b/.test(answer.toString())) wrong.push({ number, title, answer: answer.toString() });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      wrong.push({ number, title, error: error.message });
    }
  }
  t.same(wrong, []);
});
