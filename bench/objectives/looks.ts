import { loadGoodAndTotals } from '../../analytics/objectives/good-and-totals.js';
import { burnWindowMinutes } from '../../contract/manage/objective-report.js';
import type { RequestsSli } from '../../contract/manage/objectives.js';
import { newId, type PageId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { migrate } from '../../sql/migrate.js';
import { ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { fillRequests, servicesPerPage } from '../support/fill-requests.js';
import { loadReadCost, nameQueries } from '../support/read-cost.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';

/** Measures a look at the burn rates of many pages at once: all windows of one objective on each. */
const pages = Number(process.argv[2] ?? 1_000);
const looks = 5;
const slis: Readonly<Record<string, RequestsSli>> = {
  'all requests of a page': {},
  'one service': { service: 'service-1' },
  'all requests of a page, under 300 ms': { underMs: 300 },
  'one endpoint': { endpoint: '/e/1' },
};

await withStores(async ({ databaseUrl, clickhouseUrl }) => {
  const sql = openPostgres(databaseUrl);
  await ensureDatabase(clickhouseUrl);
  const clickhouse = openClickHouse(clickhouseUrl);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  await migrate({ sql, clickhouse, log });
  const now = Math.floor(Date.now() / minuteMs) * minuteMs;
  const ids = Array.from({ length: pages }, (_, i) => newId<PageId>(now + i));
  const rows = await fillRequests(clickhouse, ids, now);
  line(
    `${pages} pages of ${servicesPerPage} services, ${rows.toLocaleString('en')} rows by the minute; a look each 30 s:`,
  );
  const periods = burnWindowMinutes.map((minutes) => ({ from: now - minutes * minuteMs, to: now }));
  for (const [what, sli] of Object.entries(slis)) {
    const named = nameQueries(clickhouse, what);
    const startedAt = performance.now();
    for (let look = 0; look < looks; look += 1) {
      const found = await loadGoodAndTotals(
        named,
        ids.map((pageId) => ({ pageId, sli })),
        periods,
      );
      const [counts] = found;
      if (counts?.some(({ total }) => total === 0)) throw new Error('A look has found nothing.');
    }
    const ms = (performance.now() - startedAt) / looks;
    const cost = await loadReadCost(clickhouse, what);
    line(
      [
        what.padEnd(40),
        `${(cost.queries / looks).toFixed(0)} queries`.padStart(12),
        `${Math.round(cost.rows / looks).toLocaleString('en')} rows`.padStart(18),
        `${(cost.processorMs / looks).toFixed(0)} ms of a core`.padStart(20),
        `${ms.toFixed(0)} ms`.padStart(10),
      ].join(' '),
    );
  }
});
