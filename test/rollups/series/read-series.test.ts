import fc from 'fast-check';
import t from 'tap';
import { cutPercent } from '../../../lib/figures.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { readSeries } from '../../../rollups/series/read-series.js';
import { propertyOf } from '../../support/property.js';
import { referencePoints } from '../../support/reference-points.js';
import { type Check, openUptime } from '../../support/uptime.js';

const uptime = await openUptime(t);
const { sql, clickhouse } = uptime;
const hours = 5;
const second = fc.nat({ max: hours * 3_600 });

const sample = fc.record({
  checks: fc.uniqueArray(
    fc.record({
      after: second,
      intervalSeconds: fc.constantFrom(10, 60, 300, 3_600),
      up: fc.boolean(),
      ok: fc.boolean(),
      ms: fc.option(fc.integer({ min: 1, max: 60_000 })),
    }),
    { selector: ({ after }) => after, maxLength: 40 },
  ),
  excluded: fc.array(fc.record({ from: second, length: fc.integer({ min: 1, max: 5_000 }) }), {
    maxLength: 3,
  }),
  nowAfter: second,
});

t.test('checks, points and the reference agree about every step', async (t) => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(sample, async ({ checks: drawn, excluded: spans, nowAfter }) => {
      made += 1;
      // On its own day, because time only moves on.
      const begin = Date.parse('2025-03-09T06:00:00Z') + made * dayMs;
      const owner = await uptime.addMonitor(`api-${made}`);
      const now = begin + nowAfter * 1000;
      const checks = drawn.map(({ after, ...rest }): Check => ({ at: begin + after * 1000, ...rest }));
      const excluded = spans.map(({ from, length }) => ({
        from: begin + from * 1000,
        to: begin + (from + length) * 1000,
      }));
      if (checks.length > 0) await uptime.addChecks(owner, checks);
      for (const { from, to } of excluded) {
        await sql`
          insert into pauses (page_id, monitor_id, from_at, to_at)
          values (${owner.pageId}, ${owner.monitorId}, ${new Date(from)}, ${new Date(to)})`;
      }
      await uptime.run(now);
      const expected = referencePoints({ checks, excluded, now });
      const range = { from: begin, to: begin + hours * hourMs, stepSeconds: 3_600, now };
      const deps = { sql, clickhouse };
      for (const source of ['checks', 'hours'] as const) {
        const { points } = await readSeries(deps, owner, { ...range, source });
        for (const { at, uptime: shown, checks: count, failed, averageMs } of points) {
          const point = expected[at.slice(0, 13)];
          const wanted = [
            point === undefined ? null : cutPercent(point.upMs, point.observedMs),
            point?.checks ?? 0,
            point?.failed ?? 0,
          ];
          if (JSON.stringify([shown, count, failed]) !== JSON.stringify(wanted)) {
            throw new Error(`${source} ${at}: ${JSON.stringify([shown, count, failed, wanted])}`);
          }
          const measured = point === undefined || point.measured === 0 ? null : point.sumMs / point.measured;
          if ((averageMs === null) !== (measured === null)) throw new Error(`${source} ${at}: average`);
          if (Math.abs((averageMs ?? 0) - (measured ?? 0)) > 0.51)
            throw new Error(`${source} ${at}: average`);
        }
      }
    }),
    propertyOf(t, { few: 25, many: 200 }),
  );
});

t.test('shorter steps add up to the hour', async (t) => {
  const begin = Date.parse('2026-02-01T00:00:00Z');
  const owner = await uptime.addMonitor('sum');
  await uptime.addChecks(
    owner,
    Array.from({ length: 360 }, (_, i) => ({
      ...{ at: begin + i * 10_000, intervalSeconds: 10, up: i % 7 > 0, ok: i % 7 > 0, ms: i },
    })),
  );
  const range = { from: begin, to: begin + hourMs, now: begin + hourMs, source: 'checks' as const };
  const { points } = await readSeries({ sql, clickhouse }, owner, { ...range, stepSeconds: 60 });
  t.equal(points.length, 60);
  t.equal(
    points.reduce((sum, { checks }) => sum + (checks ?? 0), 0),
    360,
  );
  t.equal(points[1]?.at, new Date(begin + minuteMs).toISOString());
  t.ok(points.every(({ uptime: shown }) => shown !== null && shown > 80));
});
