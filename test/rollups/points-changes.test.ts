import { ClickHouseError } from '@clickhouse/client';
import t from 'tap';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { computePoints } from '../../rollups/compute-points.js';
import { referencePoints } from '../support/reference-points.js';
import { checksEvery, type Owner, openUptime } from '../support/uptime.js';

const uptime = await openUptime(t);
const { sql } = uptime;
const at = (text: string): number => Date.parse(`${text}Z`);

/** A monitor with a check every ten minutes over the ten days before `end`, all computed. */
async function tenDays(end: number): Promise<Owner> {
  const owner = await uptime.addMonitor();
  await uptime.addChecks(owner, checksEvery(600, end - 10 * dayMs, end));
  await uptime.run(end);
  return owner;
}

/** The hours that the next run writes. */
async function hoursWritten(owner: Owner, now = uptime.time.now): Promise<string[]> {
  const before = await uptime.version();
  await uptime.run(now);
  return uptime.written(owner, 'hour', before);
}

async function observedMinutes(owner: Owner, day: string): Promise<number> {
  return ((await uptime.points(owner, 'day'))[day]?.observedMs ?? 0) / minuteMs;
}

t.test('a run without changes writes nothing', async (t) => {
  const owner = await tenDays(at('2026-04-20T12:00:00'));
  await uptime.run(at('2026-04-20T12:05:00'));
  t.strictSame(await hoursWritten(owner), ['2026-04-20T12'], 'only the current hour is written');
  t.strictSame(
    await hoursWritten(owner, at('2026-04-20T16:00:00')),
    ['2026-04-20T12'],
    'the hour is written until it is over',
  );
  t.equal((await uptime.points(owner, 'hour'))['2026-04-20T12']?.observedMs, 10 * minuteMs);
  t.strictSame(await hoursWritten(owner, at('2026-04-22T16:00:00')), []);
});

t.test('a late check of any age is computed into its own day', async (t) => {
  const owner = await tenDays(at('2026-04-20T12:00:00'));
  await uptime.run(at('2026-04-20T16:00:00'));
  const late = checksEvery(600, at('2026-04-13T05:05:00'), at('2026-04-13T05:10:00'), { up: false });
  await uptime.addChecks(owner, late);
  t.strictSame(await hoursWritten(owner), ['2026-04-13T05', '2026-04-13T06', '2026-04-13T07']);
  const day = (await uptime.points(owner, 'day'))['2026-04-13'];
  t.match(day, { observedMs: dayMs, upMs: dayMs - 5 * minuteMs, checks: 145 });
});

t.test('maintenance that is added, moved or deleted later recomputes its own days only', async (t) => {
  const owner = await tenDays(at('2026-04-20T12:00:00'));
  await uptime.run(at('2026-04-20T16:00:00'));
  const id = await uptime.maintain(owner, {
    from: at('2026-04-14T23:30:00'),
    to: at('2026-04-15T00:30:00'),
  });
  let before = await uptime.version();
  t.strictSame(await hoursWritten(owner), ['2026-04-14T23', '2026-04-15T00']);
  t.strictSame(await uptime.written(owner, 'day', before), ['2026-04-14', '2026-04-15']);
  t.equal(await observedMinutes(owner, '2026-04-14'), 1410);
  t.equal(await observedMinutes(owner, '2026-04-15'), 1410);

  await sql`update incidents set started_at = started_at + interval '1 day', scheduled_end_at = scheduled_end_at + interval '1 day'
    where id = ${id}`;
  before = await uptime.version();
  await uptime.run();
  t.strictSame(await uptime.written(owner, 'day', before), ['2026-04-14', '2026-04-15', '2026-04-16']);
  t.equal(await observedMinutes(owner, '2026-04-14'), 1440);
  t.equal(await observedMinutes(owner, '2026-04-15'), 1410);

  await sql`update incidents set resolved_at = '2026-04-16T00:10:00Z' where id = ${id}`;
  t.strictSame(await hoursWritten(owner), ['2026-04-16T00'], 'a moved end changes only the hours between');
  t.equal(await observedMinutes(owner, '2026-04-16'), 1430);

  await sql`delete from incidents where id = ${id}`;
  t.strictSame(await hoursWritten(owner), ['2026-04-15T23', '2026-04-16T00']);
  t.equal(await observedMinutes(owner, '2026-04-16'), 1440);
});

t.test(
  'a monitor that joins a maintenance is excluded for its time, and one that leaves is included again',
  async (t) => {
    const owner = await tenDays(at('2026-04-20T12:00:00'));
    const other = await uptime.addMonitor('web', owner.pageId);
    await uptime.addChecks(other, checksEvery(600, at('2026-04-14T00:00:00'), at('2026-04-15T00:00:00')));
    const id = await uptime.maintain(owner, {
      from: at('2026-04-14T05:00:00'),
      to: at('2026-04-14T06:00:00'),
    });
    await uptime.run();
    t.same(
      [await observedMinutes(owner, '2026-04-14'), await observedMinutes(other, '2026-04-14')],
      [1380, 1440],
    );
    await sql`update incident_monitors set monitor_id = ${other.monitorId} where incident_id = ${id}`;
    await uptime.run();
    t.same(
      [await observedMinutes(owner, '2026-04-14'), await observedMinutes(other, '2026-04-14')],
      [1440, 1380],
    );
  },
);

t.test('a page is paused and resumed; nothing is written during the pause', async (t) => {
  const begin = at('2026-05-01T10:00:00');
  const owner = await uptime.addMonitor('api');
  const other = await uptime.addMonitor('web', owner.pageId);
  for (const each of [owner, other])
    await uptime.addChecks(each, checksEvery(60, begin, begin + 20 * minuteMs));
  await uptime.run(begin + 20 * minuteMs);
  const id = await uptime.pause(owner, { from: begin + 20 * minuteMs, to: null }, true);
  await uptime.run(begin + 30 * minuteMs);
  t.strictSame(await hoursWritten(other, begin + 10 * hourMs), []);
  await sql`update pauses set to_at = ${new Date(begin + 11 * hourMs)} where id = ${id}`;
  await uptime.addChecks(other, checksEvery(60, begin + 11 * hourMs, begin + 11 * hourMs + 5 * minuteMs));
  await uptime.run(begin + 11 * hourMs + 5 * minuteMs);
  t.match(await uptime.points(owner, 'hour'), { '2026-05-01T10': { observedMs: 20 * minuteMs } });
  t.match(await uptime.points(other, 'hour'), { '2026-05-01T21': { observedMs: 5 * minuteMs } });
  t.match(Object.keys(await uptime.points(other, 'hour')), ['2026-05-01T10', '2026-05-01T21']);
});

t.test('days are UTC days, also a leap day and the days on which local clocks change', async (t) => {
  const days = ['2028-02-28', '2028-02-29', '2028-03-01', '2026-03-29', '2026-10-25'];
  for (const day of days) {
    const [begin, end] = [at(`${day}T00:00:00`), at(`${day}T00:00:00`) + dayMs];
    const owner = await uptime.addMonitor();
    const checks = checksEvery(300, begin, end).map((each) => ({ ...each, up: each.at !== begin }));
    await uptime.addChecks(owner, checks);
    await uptime.run(end);
    const points = await uptime.points(owner, 'day');
    const expected = { observedMs: dayMs, upMs: dayMs - 5 * minuteMs, checks: 288, failed: 0, measured: 288 };
    t.strictSame(points, { [day]: { ...expected, sumMs: 28_800 } }, day);
    t.equal(Object.keys(await uptime.points(owner, 'hour')).length, 24);
  }
});

t.test('a day without observation is absent, and so is a day that is all maintenance', async (t) => {
  const begin = at('2026-06-01T00:00:00');
  const owner = await uptime.addMonitor();
  await uptime.addChecks(owner, [
    ...checksEvery(600, begin, begin + dayMs),
    ...checksEvery(600, begin + 2 * dayMs, begin + 4 * dayMs),
  ]);
  await uptime.run(begin + 4 * dayMs);
  t.strictSame(Object.keys(await uptime.points(owner, 'day')), [
    '2026-06-01',
    // The last check of the previous day observed for twenty minutes.
    '2026-06-02',
    '2026-06-03',
    '2026-06-04',
  ]);
  await uptime.maintain(owner, { from: begin + dayMs, to: begin + 3 * dayMs });
  await uptime.run();
  t.strictSame(Object.keys(await uptime.points(owner, 'day')), ['2026-06-01', '2026-06-04']);
});

t.test(
  'after three days without a run, a run catches up with checks, pauses and the passing of time',
  async (t) => {
    const begin = at('2026-07-01T00:00:00');
    const owner = await uptime.addMonitor();
    await uptime.addChecks(owner, checksEvery(600, begin, begin + hourMs));
    await uptime.run(begin + hourMs);
    const checks = checksEvery(600, begin, begin + 3 * dayMs - 5 * minuteMs);
    await uptime.addChecks(owner, checks);
    const excluded = [{ from: begin + dayMs, to: begin + dayMs + 90 * minuteMs }];
    for (const pause of excluded) await uptime.pause(owner, pause);
    await uptime.run(begin + 3 * dayMs);
    t.strictSame(
      await uptime.points(owner, 'hour'),
      referencePoints({ checks, excluded, now: begin + 3 * dayMs }),
    );
  },
);

t.test('imported points stay where there are no checks', async (t) => {
  const begin = at('2026-08-01T00:00:00');
  const owner = await uptime.addMonitor();
  const { pageId, monitorId } = owner;
  await uptime.clickhouse.insert({
    table: 'monitor_days',
    values: ['2026-08-01', '2026-08-02'].map((day) => ({
      ...{ page_id: pageId, monitor_id: monitorId, day, observed_ms: dayMs, up_ms: dayMs - 1000, version: 0 },
    })),
    format: 'JSONEachRow',
  });
  await uptime.addChecks(owner, checksEvery(600, begin + dayMs, begin + dayMs + hourMs));
  await uptime.pause(owner, { from: begin, to: begin + 2 * hourMs });
  await uptime.run(begin + 2 * dayMs);
  const days = await uptime.points(owner, 'day');
  t.equal(days['2026-08-01']?.upMs, dayMs - 1000);
  t.equal(days['2026-08-02']?.upMs, 70 * minuteMs, 'checks replace the imported day');
});

t.test('pages do not affect each other', async (t) => {
  const begin = at('2026-09-01T00:00:00');
  const [owner, other] = [await uptime.addMonitor(), await uptime.addMonitor()];
  for (const each of [owner, other]) await uptime.addChecks(each, checksEvery(60, begin, begin + hourMs));
  await uptime.pause(other, { from: begin, to: null }, true);
  await uptime.run(begin + hourMs);
  t.equal(await observedMinutes(owner, '2026-09-01'), 60);
  t.equal(await observedMinutes(other, '2026-09-01'), 0);
});

t.test('a late check cuts what the check before it observed, and may leave an hour empty', async (t) => {
  const begin = at('2026-04-13T10:30:00');
  const owner = await uptime.addMonitor();
  await uptime.addChecks(owner, checksEvery(3_600, begin, begin + 1));
  await uptime.run(begin + 4 * hourMs);
  t.equal((await uptime.points(owner, 'hour'))['2026-04-13T12']?.observedMs, 30 * minuteMs);
  await uptime.addChecks(owner, checksEvery(10, begin + 40 * minuteMs, begin + 40 * minuteMs + 1));
  await uptime.run();
  const hours = await uptime.points(owner, 'hour');
  t.strictSame(Object.keys(hours), ['2026-04-13T10', '2026-04-13T11']);
  t.equal(hours['2026-04-13T11']?.observedMs, 10 * minuteMs + 20_000);
});

t.test('a batch that is too large for one query is computed in parts', async (t) => {
  const begin = at('2026-10-01T00:00:00');
  const owner = await uptime.addMonitor('api');
  const other = await uptime.addMonitor('web', owner.pageId);
  for (const each of [owner, other]) await uptime.addChecks(each, checksEvery(10, begin, begin + 2 * dayMs));
  let refused = 0;
  const clickhouse = new Proxy(uptime.clickhouse, {
    get(target, name) {
      if (name !== 'command') return Reflect.get(target, name);
      return async (params: Parameters<typeof target.command>[0]) => {
        const { from, to } = params.query_params as { from: number; to: number };
        const monitors = [owner, other].filter(({ monitorId }) => params.query.includes(monitorId));
        if (monitors.length * (to - from) <= 10 * hourMs) return target.command(params);
        refused += 1;
        throw new ClickHouseError({ message: 'Too much.', code: '241', type: 'MEMORY_LIMIT_EXCEEDED' });
      };
    },
  });
  uptime.time.now = begin + 2 * dayMs;
  await computePoints({ ...uptime.deps, clickhouse });
  t.ok(refused > 10, `${refused} queries were refused`);
  for (const each of [owner, other]) {
    const point = {
      observedMs: dayMs,
      upMs: dayMs,
      checks: 8_640,
      failed: 0,
      measured: 8_640,
      sumMs: 864_000,
    };
    t.strictSame(await uptime.points(each, 'day'), { '2026-10-01': point, '2026-10-02': point });
  }
});
