import { readFile } from 'node:fs/promises';
import { openPageSql } from '../../analytics/sql/open-page-sql.js';
import { type PageSqlDeps, runPageSql } from '../../analytics/sql/run-sql.js';
import { systemClock } from '../../lib/clock.js';
import { dayMs } from '../../lib/times.js';
import { type FilledPage, withFilledPage } from '../support/filled-page.js';
import { type Judged, meets, printGoals } from '../support/goals.js';
import { line, median, quantile } from '../support/report.js';
import { fillViews } from './fill-views.js';

/**
 * Runs the thirty questions of docs/sql-questions.md over two weeks of a page with 2,000 endpoints of 20 services, as the page
 * itself asks them: checked, confined and on one core. `npm run bench:sql [-- NUMBER OF A QUESTION]`
 */
const runs = 5;
const bound = { below: 1_000 };

type Question = { number: string; title: string; sql: string };

async function loadQuestions(): Promise<Question[]> {
  const text = await readFile(new URL('../../../docs/sql-questions.md', import.meta.url), 'utf8');
  return [...text.matchAll(/### (\d+)\. ([^\n]+)\n\n```sql\n(.*?)\n```/gs)].map(
    ([, number = '', title = '', sql = '']) => ({ number, title, sql }),
  );
}

/** Runs a question over the two weeks and prints its row. Returns the slowest run in milliseconds. */
async function measure(pageSql: PageSqlDeps, page: FilledPage, question: Question): Promise<number> {
  const times = { from: page.now - 14 * dayMs, to: page.now };
  const tookMs: number[] = [];
  let bytes = 0;
  for (let run = 0; run <= runs; run += 1) {
    const startedAt = performance.now();
    const answer = await runPageSql(pageSql, page.pageId, { sql: question.sql, format: 'JSON', times });
    bytes = answer.length;
    // The first run fills the caches of the server.
    if (run > 0) tookMs.push(performance.now() - startedAt);
  }
  const slowest = quantile(tookMs, 1);
  line(
    `${question.number.padStart(2)} ${question.title.padEnd(76)} ${median(tookMs).toFixed(0).padStart(6)} ms ` +
      `${slowest.toFixed(0).padStart(6)} ms ${bytes.toLocaleString('en').padStart(10)} B  ${meets(slowest, bound) ? 'met' : 'NOT MET'}`,
  );
  return slowest;
}

await withFilledPage(async (page) => {
  const { clickhouse, clickhouseUrl, secretKey } = page;
  await fillViews(page);
  const pageSql = openPageSql({ clickhouse, clickhouseUrl, secretKey, clock: systemClock });
  const [, , only] = process.argv;
  const asked = (await loadQuestions()).filter(({ number }) => only === undefined || number === only);
  line(`\n   ${'question'.padEnd(76)}       p50   slowest     answer  slowest below 1 s`);
  const judged: Judged[] = [];
  for (const question of asked) {
    const measured = await measure(pageSql, page, question);
    judged.push({ goal: `question ${question.number}`, bound, measured, digits: 0, unit: ' ms' });
  }
  await pageSql.sqlClient.close();
  printGoals(judged);
});
