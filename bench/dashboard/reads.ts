import { questions } from '../ingest/questions.js';
import { withFilledPage } from '../support/filled-page.js';
import { printGoals } from '../support/goals.js';
import { line } from '../support/report.js';
import { mergeTables } from '../support/table-sizes.js';
import { measureReads, type Read } from './measure-reads.js';

/**
 * Measures the reads of the dashboard over two weeks of a page with 2,000 endpoints of 20 services, and the questions of
 * `npm run bench:query`; with a range of 30 days or more, over all that is kept. It prints the disk that each table takes.
 * `npm run bench:dashboard-reads [-- PART OF A NAME]`
 */
const daysFilled = 400;

/** The reads of screens, one a line. */
const reads: readonly Read[] = [
  ['totals', 'from=now-14d'],
  ['totals', 'from=now-7d&compare=previous'],
  ['totals', 'from=now-24h&compare=previous'],
  ['totals', 'from=now-14d&service=service-7'],
  ['totals', 'from=now-14d&service=service-7&endpoint=/api/v1/resource-7/:id'],
  ['totals', 'from=now-14d&status=500'],
  ['totals', 'from=now-14d&method=GET'],
  ['top', 'from=now-14d&by=service&points=28'],
  ['top', 'from=now-7d&by=service&points=28&compare=previous'],
  ['top', 'from=now-14d&by=status'],
  ['top', 'from=now-14d&by=method'],
  ['top', 'from=now-14d&by=endpoint&limit=200&points=28'],
  ['top', 'from=now-14d&by=endpoint&limit=200&order=errorShare'],
  ['top', 'from=now-14d&by=endpoint&limit=200&order=p95'],
  ['top', 'from=now-14d&by=endpoint&limit=200&search=resource-12'],
  ['top', 'from=now-14d&by=endpoint&limit=200&service=service-7&points=28'],
  ['top', 'from=now-7d&by=endpoint&limit=50&points=28&compare=previous'],
  ['top', 'from=now-24h&by=endpoint&limit=200&points=24&compare=previous'],
  ['top', 'from=now-6h&by=endpoint&limit=200&points=24'],
  ['top', 'from=now-1h&by=endpoint&limit=200&points=30&compare=previous'],
  ['top', 'from=now-14d&by=status&service=service-7&endpoint=/api/v1/resource-7/:id'],
  ['requests', 'from=now-14d'],
  ['requests', 'from=now-7d'],
  ['requests', 'from=now-24h'],
  ['requests', 'from=now-14d&service=service-7'],
  ['requests', 'from=now-14d&groupBy=status'],
  ['requests', 'from=now-14d&service=service-7&endpoint=/api/v1/resource-7/:id&groupBy=status'],
  ['totals', 'from=now-400d'],
  ['totals', 'from=now-90d&compare=previous'],
  ['totals', 'from=now-365d&compare=previous'],
  ['totals', 'from=now-400d&service=service-7'],
  ['totals', 'from=now-100d&service=service-7&endpoint=/api/v1/resource-7/:id'],
  ['top', 'from=now-400d&by=service&points=30'],
  ['top', 'from=now-90d&by=service&points=30&compare=previous'],
  ['top', 'from=now-90d&by=endpoint&limit=200&points=30'],
  ['top', 'from=now-90d&by=endpoint&limit=200&order=p95'],
  ['top', 'from=now-30d&by=endpoint&limit=200&points=30&compare=previous'],
  ['requests', 'from=now-400d'],
  ['requests', 'from=now-400d&service=service-7'],
  ['requests', 'from=now-400d&groupBy=service'],
  ['requests', 'from=now-30d&service=service-7'],
  ['requests', 'from=now-60d&step=3600'],
  ['requests', 'from=now-90d&service=service-7&endpoint=/api/v1/resource-7/:id'],
  ['messages', 'from=now-14d'],
  ['messages/groups', 'from=now-14d'],
  ['messages/groups', 'from=now-14d&service=service-7'],
  ['messages/groups', 'from=now-14d&service=service-7&endpoint=/api/v1/resource-7/:id'],
  ['calls', 'from=now-14d'],
  ['calls', 'from=now-24h&step=3600&limit=2000'],
  ['reporters', ''],
];

await withFilledPage(async (page) => {
  const [, , part = ''] = process.argv;
  const asked = [...reads, ...questions].filter((read) => read.join('?').includes(part));
  for (const { name, rows, bytes } of await mergeTables(page.clickhouse))
    line(
      `${name.padEnd(30)} ${rows.toLocaleString('en').padStart(12)} rows ${(bytes / 1e6).toFixed(2).padStart(9)} MB`,
    );
  printGoals([await measureReads(page, asked)]);
}, daysFilled);
