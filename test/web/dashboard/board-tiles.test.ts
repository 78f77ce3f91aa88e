import t from 'tap';
import { makeFormat } from '../../../web/dashboard/format.js';
import {
  beginsBeforeKept,
  ownUnit,
  plotHeight,
  tileHeat,
  tileLines,
  tileNumber,
  unitOf,
  writeNumber,
} from '../../../web/dashboard/screens/boards/view/draw.js';
import { sheetOf } from '../../../web/dashboard/screens/boards/view/sheet.js';
import { charsOf } from '../../../web/dashboard/screens/boards/view/use-tile.js';
import type { SqlResult } from '../../../web/dashboard/screens/sql/result-shape.js';

const sheetOfSql = (result: SqlResult) => sheetOf({ kind: 'sql', result }, 'line');
const sheetOfFigure = (path: string, data: unknown) => sheetOf({ kind: 'figure', path, data }, 'line');
const minute = (number: number) => `2026-01-01T00:0${number}:00.000Z`;

const point = (number: number, count: number | null, p95Ms: number | null) => ({
  ...{ at: minute(number), count, errors: 0, clientErrors: 0 },
  ...{ averageMs: p95Ms, p50Ms: p95Ms, p95Ms, p99Ms: p95Ms },
});
const requests = {
  ...{ from: '', to: '', step: 60, keptFrom: null, notKept: null, unfinishedFrom: null, groupBy: null },
  series: [{ group: null, points: [point(0, 3, 12.5), point(1, 0, null), point(2, 5, 20)] }],
  truncated: false,
};

t.test('a figure over time is one line of the value that the tile names', async (t) => {
  const sheet = sheetOfFigure('requests', requests);
  const lines = tileLines(sheet, { value: 'p95Ms' });
  t.strictSame(
    lines?.series.map(({ key, values }) => ({ key, values })),
    [{ key: 'p95Ms', values: [12.5, null, 20] }],
    'a gap is no zero',
  );
  t.equal(lines?.stepSeconds, 60);
  t.strictSame(tileLines(sheet, {})?.series[0]?.values, [3, 0, 5], 'the first number without a value');
});

t.test('groups of a statement have the unit of their column', async (t) => {
  const meta = [
    { name: 'time', type: 'DateTime' },
    { name: 'service', type: 'String' },
    { name: 'p95_ms', type: 'Float64' },
  ];
  const data = [
    { time: '2026-01-01 00:00:00', service: 'shop', p95_ms: 20 },
    { time: '2026-01-01 00:00:00', service: 'search', p95_ms: 10 },
  ];
  const lines = tileLines(sheetOfSql({ meta, data, rows: 2 }), {});
  t.strictSame(lines?.names, ['p95_ms']);
  t.strictSame(
    lines?.series.map(({ key }) => key),
    ['shop', 'search'],
  );
});

t.test('times of a list are no axis', async (t) => {
  const group = { errorType: 'Timeout', message: 'Too slow', count: 3, lastAt: minute(1) };
  const reporter = { name: 'shop', state: 'clean', requests: 5, failureRate: 0.2, lastReportAt: minute(1) };
  const version = { version: '1.2', environment: null, at: minute(1), requests: 5, share: 1 };
  const lists = {
    'failures/groups': { groups: [group] },
    'messages/groups': { groups: [group] },
    reporters: { reporters: [reporter] },
    versions: { versions: [version] },
  };
  for (const [path, data] of Object.entries(lists)) {
    const sheet = sheetOfFigure(path, data);
    t.strictSame([tileLines(sheet, {}), tileHeat(sheet, {}, 10)], [undefined, undefined], path);
  }
});

t.test('a number over time is that of the newest step that is over', async (t) => {
  const sheet = sheetOfFigure('requests', { ...requests, unfinishedFrom: minute(2) });
  t.match(tileNumber(sheet, {}, 0), { name: 'count', now: 0, step: Date.parse(minute(1)) });
  t.match(tileNumber(sheet, { value: 'p95Ms' }, 0), { now: 12.5, step: Date.parse(minute(0)) }, 'no gap');
  t.match(tileNumber(sheetOfFigure('requests', requests), {}, 0), { now: 5 });
  const meta = [
    { name: 'time', type: 'DateTime' },
    { name: 'requests', type: 'UInt64' },
  ];
  const data = [9, 10, 11].map((hour) => ({
    time: `2026-01-01 ${String(hour).padStart(2, '0')}:00:00`,
    requests: String(hour),
  }));
  const hours = sheetOfSql({ meta, data, rows: 3 });
  t.match(tileNumber(hours, {}, Date.parse('2026-01-01T11:20:00Z')), { now: 10 });
  t.match(tileNumber(hours, {}, Date.parse('2026-01-01T12:20:00Z')), { now: 11 });
  const list = sheetOfSql({ meta: meta.slice(1), data, rows: 3 });
  t.match(tileNumber(list, {}, 0), { now: 9, step: undefined }, 'of the first row without a time');
});

t.test('a total has the figure before; what only a newer service knows is empty', async (t) => {
  const now = { requests: 10, errorShare: 0.5 };
  const sheet = sheetOfFigure('totals', { now, previous: { requests: 5, errorShare: null } });
  t.match(tileNumber(sheet, { value: 'requests' }, 0), { name: 'requests', now: 10, before: 5 });
  t.match(tileNumber(sheet, { value: 'errorShare' }, 0), { now: 0.5, before: null });
  t.equal(sheetOfFigure('weather', {}).result.rows, 0);
});

t.test('a share is written in percent, and a unit is that of one column', async (t) => {
  const format = makeFormat('en');
  for (const name of ['errorShare', 'failureRate', 'share', 'utilisation', 'failure_share']) {
    t.equal(writeNumber(0.2, name, { unit: '%', format }), '20%', name);
    t.equal(unitOf(name, undefined), 'share', name);
  }
  t.equal(writeNumber(99.95, 'uptime_percent', { unit: '%', format }), '99.95 %');
  t.equal(unitOf('p95Ms', undefined), 'ms');
  t.strictSame([ownUnit(['p95_ms'], 'ms'), ownUnit(['requests', 'p95_ms'], 'ms')], ['ms', undefined]);
});

t.test('a chart leaves room for its notes', async (t) => {
  t.strictSame([plotHeight({ height: 3 }), plotHeight({ height: 3 }, 1)], [104, 82]);
  const notes = { keptFrom: minute(1), unfinishedFrom: null };
  t.ok(beginsBeforeKept(notes, [Date.parse(minute(0))]));
  t.notOk(beginsBeforeKept(notes, [Date.parse(minute(1))]));
  t.notOk(beginsBeforeKept({ ...notes, keptFrom: null }, [0]));
});

t.test('the size of an answer is counted up to a bound', async (t) => {
  const rows = Array.from({ length: 1_000 }, () => ({ message: 'x'.repeat(50) }));
  t.ok(charsOf(rows, 100_000) > 50_000);
  const most = charsOf(rows, 500);
  t.ok(most > 500 && most < 600);
});

t.test('a heat map of waits has bounds in milliseconds', async (t) => {
  const points = [{ at: minute(0), buckets: [1, 2, 3] }];
  const notes = { keptFrom: null, unfinishedFrom: null };
  const sheet = sheetOfFigure('database-health/acquisitions', {
    boundsMs: [1, 5],
    points,
    step: 60,
    ...notes,
  });
  const heat = tileHeat(sheet, {}, 10);
  t.strictSame(
    heat?.rows.map(({ upTo }) => upTo),
    [1, 5, null],
  );
  t.equal(unitOf(heat?.bucket ?? '', undefined), 'ms');
});

t.test('a heat map of a statement sums neighbouring buckets where it has too many', async (t) => {
  const row = (at: number, bound: number, total: number) => ({
    ...{ time: `2026-01-01 00:0${at}:00`, up_to_ms: bound, total: String(total) },
  });
  const result = {
    meta: [
      { name: 'time', type: 'DateTime' },
      { name: 'up_to_ms', type: 'Float64' },
      { name: 'total', type: 'UInt64' },
    ],
    data: [row(0, 10, 1), row(0, 20, 2), row(1, 30, 4), row(3, 40, 8)],
    rows: 4,
  };
  const heat = tileHeat(sheetOfSql(result), {}, 10);
  t.strictSame(
    heat?.rows.map(({ upTo }) => upTo),
    [10, 20, 30, 40],
  );
  t.equal(heat?.bucket, 'up_to_ms');
  t.strictSame(heat?.values, [[1, 2, 0, 0], [0, 0, 4, 0], null, [0, 0, 0, 8]]);
  const merged = tileHeat(sheetOfSql(result), {}, 2);
  t.strictSame(
    merged?.rows.map(({ upTo }) => upTo),
    [20, 40],
  );
  t.strictSame(merged?.values, [[3, 0], [0, 4], null, [0, 8]]);
});
