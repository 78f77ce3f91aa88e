import t from 'tap';
import { loadPageSummary } from '../../../analytics/summary/summary.js';
import { dayMs, hourMs } from '../../../lib/times.js';
import { importDays } from '../../../rollups/compute-points.js';
import { readLastHours } from '../../../rollups/series/read-last-hours.js';
import { readSeries } from '../../../rollups/series/read-series.js';
import { dayAxis, kindOfDay, markDays } from '../../../web/state/day-marks.js';
import { type Check, type Owner, openUptime } from '../../support/uptime.js';

const uptime = await openUptime(t);
const day = (of: number): number => Date.parse(`2026-03-${of}T00:00:00Z`);
const dayName = (of: number): string => `2026-03-${of}`;

/** The last check before midnight, at an interval of five minutes: it stands until 00:08 of the next day. */
function lastCheckOf(of: number, check: Partial<Check> = {}): Check {
  return { at: day(of + 1) - 2 * 60_000, intervalSeconds: 300, up: true, ok: true, ms: 100, ...check };
}

/** Computes the points, and loads the one service of the page as its summary and its page show it. */
async function load({ pageId }: Owner, now: number) {
  await uptime.run(now);
  await uptime.sql`update pages set history_days = 7 where id = ${pageId}`;
  const { sql, clickhouse } = uptime;
  const deps = { sql, clickhouse, clock: { now: () => now }, originOf: (host: string) => `https://${host}` };
  const read = await loadPageSummary(deps, pageId);
  const service = read?.summary.services[0];
  if (service === undefined) throw new Error('The page has no service.');
  const { days } = dayAxis(now, 7, [service]);
  const kinds = markDays(service, days).map((mark) => [mark.day, kindOfDay(mark)]);
  return { service, quarter: read?.quarters[0], kinds: Object.fromEntries(kinds) };
}

t.test('a day without a check of its own is not measured by the check of the evening before', async (t) => {
  const owner = await uptime.addMonitor();
  const failing = { up: false, ok: false, ms: null };
  await uptime.addChecks(owner, [lastCheckOf(20), lastCheckOf(22, failing)]);
  await uptime.sql`update monitors set created_at = ${new Date(day(19))}, state = 'up' where id = ${owner.monitorId}`;
  const now = day(24) + 12 * hourMs;
  const { service, quarter, kinds } = await load(owner, now);
  t.strictSame(service.dailyHealth, { [dayName(20)]: { rate: 0 }, [dayName(22)]: { rate: 100 } });
  t.strictSame(service.dailyMinutesDown, { [dayName(22)]: 2 });
  t.match(kinds, {
    [dayName(20)]: 'good',
    [dayName(21)]: 'unmeasured',
    [dayName(22)]: 'down-1',
    [dayName(23)]: 'unmeasured',
    [dayName(24)]: 'unmeasured',
  });
  t.equal(service.uptime, '50.00%', 'two minutes of each of the two days');
  t.equal(quarter?.uptime, '50.00%');
  t.strictSame(service.observed, { observedMs: 240_000, upMs: 120_000 }, 'what groups add up');
  t.equal(service.coverage?.observedSeconds, 240);
  const range = { from: day(20), to: day(24), stepSeconds: dayMs / 1000, source: 'days' as const, now };
  const { points } = await readSeries(uptime, owner, range);
  t.strictSame(
    points.map(({ uptime: shown, checks }) => [shown, checks]),
    [
      [100, 1],
      [null, 0],
      [0, 1],
      [null, 0],
    ],
  );
});

t.test('24 hours without a check have no uptime, even when the check before them reaches in', async (t) => {
  const owner = await uptime.addMonitor();
  await uptime.addChecks(owner, [lastCheckOf(24)]);
  const now = day(25) + 23.5 * hourMs;
  const { service } = await load(owner, now);
  t.strictSame([service.uptimeDay, service.uptimeWeek], ['N/A', '100.00%']);
  const hours = await readLastHours({ ...uptime, clock: { now: () => now } }, owner.pageId, 24);
  t.equal(hours.get(owner.monitorId)?.uptime, null);
});

t.test('an imported day is measured, and stays after a check of the evening before', async (t) => {
  const owner = await uptime.addMonitor();
  await importDays(uptime.clickhouse, [
    { ...owner, day: dayName(26), observedMs: dayMs, upMs: dayMs - 60_000 },
  ]);
  await uptime.addChecks(owner, [lastCheckOf(25)]);
  const { service } = await load(owner, day(27) + hourMs);
  t.strictSame(service.dailyHealth, { [dayName(25)]: { rate: 0 }, [dayName(26)]: { rate: 0 } });
  t.strictSame(service.dailyMinutesDown, { [dayName(26)]: 1 });
  await uptime.addChecks(owner, [lastCheckOf(26)]);
  const { service: checked } = await load(owner, day(27) + 2 * hourMs);
  t.strictSame(checked.dailyMinutesDown, {}, 'its own check replaces it');
  t.equal(checked.dailyHealth[dayName(27)], undefined);
});
