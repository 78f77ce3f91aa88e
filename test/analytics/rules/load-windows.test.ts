import fc from 'fast-check';
import t from 'tap';
import { loadWindowCounts, loadWindowPercentiles } from '../../../analytics/rules/load-windows.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';
import { openTestClickHouse } from '../../support/stores.js';
import { insertRequests, type LandingRow, newPageId } from '../support.js';

const { clickhouse } = await openTestClickHouse(t);
/** A whole hour of yesterday. */
const hour = Math.floor(Date.now() / hourMs - 24) * hourMs;
const pages = [newPageId(), newPageId()] as const;
const services = ['shop', 'blog'];
const endpoints = ['/cart', '/pay'];

// Two days of rows, of two pages, in minutes before and behind whole hours.
const rows: (LandingRow & { pageId: (typeof pages)[number] })[] = pages.flatMap((pageId, page) =>
  services.flatMap((service, s) =>
    endpoints.flatMap((endpoint, e) =>
      Array.from({ length: 90 }, (_, i) => ({
        ...{ pageId, service, endpoint, at: hour - (i * 23 + s) * minuteMs, status: i % 7 === 0 ? 503 : 200 },
        ...{ requests: 1 + ((i * 13 + page + s + e) % 5) },
      })),
    ),
  ),
);
for (const pageId of pages)
  await insertRequests(
    clickhouse,
    pageId,
    rows.filter((row) => row.pageId === pageId),
  );

t.test('a window counts its minutes, however whole hours lie in it', async (t) => {
  const windows = fc.array(fc.integer({ min: 1, max: 1_440 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(windows, fc.integer({ min: -70, max: 0 }), async (windowsMinutes, minutes) => {
      const to = hour + minutes * minuteMs;
      const asked = { pageIds: pages, levels: ['service' as const], to, windowsMinutes };
      const found = new Map(
        (await loadWindowCounts(clickhouse, asked)).map((row) => [`${row.pageId} ${row.service}`, row]),
      );
      for (const pageId of pages) {
        for (const service of services) {
          const sums = (failed: boolean) =>
            windowsMinutes.map((window) =>
              sumOf(
                rows.filter(
                  (row) =>
                    row.pageId === pageId &&
                    row.service === service &&
                    row.at >= to - window * minuteMs &&
                    row.at < to &&
                    (!failed || row.status === 503),
                ),
              ),
            );
          const row = found.get(`${pageId} ${service}`);
          const none = windowsMinutes.map(() => 0);
          if (`${row?.requests ?? none}` !== `${sums(false)}` || `${row?.errors ?? none}` !== `${sums(true)}`)
            throw new Error(
              `${service}: ${row?.requests} of ${sums(false)}, ${row?.errors} of ${sums(true)}`,
            );
        }
      }
    }),
    propertyOf(t, { few: 10, many: 200 }),
  );
});

t.test('levels tell requests apart, and endpoints that are not asked for are not read', async (t) => {
  const [pageId] = pages;
  const asked = { pageIds: [pageId], to: hour + minuteMs, windowsMinutes: [600] };
  const ofPage = await loadWindowCounts(clickhouse, { ...asked, levels: ['page'] });
  const ofEndpoints = await loadWindowCounts(clickhouse, { ...asked, levels: ['endpoint'] });
  t.equal(ofPage.length, 1);
  t.equal(ofEndpoints.length, 4);
  t.equal(sumOfFirst(ofEndpoints), sumOfFirst(ofPage));
  const only = { services: ['shop'], endpoints: ['/cart'] };
  t.match(await loadWindowCounts(clickhouse, { ...asked, levels: ['method'], only }), [
    { pageId, service: 'shop', endpoint: '/cart', method: 'GET' },
  ]);
  t.strictSame(
    await loadWindowCounts(clickhouse, { ...asked, levels: ['page'], pageIds: [newPageId()] }),
    [],
  );
});

t.test('one read has the groups of several levels', async (t) => {
  const asked = { pageIds: pages, to: hour + minuteMs, windowsMinutes: [600, 7] };
  for (const levels of [['page', 'service'] as const, ['endpoint', 'method'] as const]) {
    const together = await loadWindowCounts(clickhouse, { ...asked, levels });
    const alone = await Promise.all(
      levels.map((level) => loadWindowCounts(clickhouse, { ...asked, levels: [level] })),
    );
    t.strictSame(sorted(together), sorted(alone.flat()));
    const times = { pageIds: pages, to: asked.to, windowMinutes: 600 };
    const timed = await loadWindowPercentiles(clickhouse, { ...times, levels });
    t.equal(timed.length, together.length);
    for (const level of levels) {
      const own = await loadWindowPercentiles(clickhouse, { ...times, levels: [level] });
      t.strictSame(sorted(timed.filter((row) => row.level === level)), sorted(own));
    }
  }
});

t.test('more names than a parameter takes are read in parts', async (t) => {
  const long = Array.from({ length: 1_500 }, (_, i) => `/${`${i}`.padEnd(60, 'x')}`);
  const asked = { pageIds: pages, to: hour + minuteMs, windowsMinutes: [600], levels: ['endpoint' as const] };
  const only = { services: ['shop', ...long], endpoints: ['/cart', ...long, '/pay'] };
  const found = await loadWindowCounts(clickhouse, { ...asked, only });
  const all = await loadWindowCounts(clickhouse, asked);
  t.strictSame(sorted(found), sorted(all));
  const shop = await loadWindowCounts(clickhouse, { ...asked, only: { services: ['shop'] } });
  t.strictSame(sorted(shop), sorted(all.filter(({ service }) => service === 'shop')));
});

t.test('percentiles are those of the window', async (t) => {
  const pageId = newPageId();
  await insertRequests(clickhouse, pageId, [
    { at: hour - 100 * minuteMs, latencyMs: Array.from({ length: 90 }, () => 10) },
    { at: hour - 2 * minuteMs, latencyMs: Array.from({ length: 10 }, () => 900) },
    { at: hour, latencyMs: [5_000, 5_000] },
  ]);
  const percentilesOf = async (windowMinutes: number) => {
    const asked = { pageIds: [pageId], levels: ['page' as const], to: hour, windowMinutes };
    const [row] = await loadWindowPercentiles(clickhouse, asked);
    return [row?.measured, ...(row?.percentiles ?? []).map((ms) => Math.round((ms ?? 0) / 10) * 10)];
  };
  t.strictSame(await percentilesOf(180), [100, 10, 890, 900]);
  t.strictSame(await percentilesOf(5), [10, 890, 900, 900]);
});

function sumOf(some: readonly LandingRow[]): number {
  return some.reduce((sum, { requests = 0 }) => sum + requests, 0);
}

function sumOfFirst(some: readonly { requests: number[] }[]): number {
  return some.reduce((sum, { requests: [first = 0] }) => sum + first, 0);
}

function sorted<Row extends { pageId: string; service: string; endpoint: string; method: string }>(
  some: readonly Row[],
): Row[] {
  const keyOf = ({ pageId, service, endpoint, method }: Row) => `${pageId} ${service} ${endpoint} ${method}`;
  return [...some].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
