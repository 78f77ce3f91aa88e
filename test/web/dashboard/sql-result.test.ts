import t from 'tap';
import {
  barsOf,
  columnsOf,
  csvOf,
  linesOf,
  longestOf,
  notesOf,
  type SqlResult,
  usesRange,
  viewsOf,
} from '../../../web/dashboard/screens/sql/result-shape.js';

const resultOf = (types: Record<string, string>, data: Record<string, unknown>[]): SqlResult => ({
  meta: Object.entries(types).map(([name, type]) => ({ name, type })),
  data,
  rows: data.length,
});

t.test('what can be drawn of a column is in its type', (t) => {
  const kinds: [type: string, kind: string][] = [
    ['UInt64', 'number'],
    ['Nullable(Float64)', 'number'],
    ['SimpleAggregateFunction(sum, UInt64)', 'number'],
    ['Decimal(9, 2)', 'number'],
    ['DateTime', 'time'],
    ["DateTime('UTC')", 'time'],
    ["Nullable(DateTime64(3, 'UTC'))", 'time'],
    ['Date', 'time'],
    ["DateTime('Europe/Berlin')", 'text'],
    ['LowCardinality(String)', 'text'],
    ['Array(UInt64)', 'text'],
    ["Enum8('service' = 1)", 'text'],
    ['IntervalDay', 'text'],
  ];
  for (const [type, kind] of kinds) t.equal(columnsOf(resultOf({ c: type }, []))[0]?.kind, kind, type);
  t.end();
});

t.test('the first view suits the result', (t) => {
  const times = [
    { time: '2026-01-01 00:00:00', n: 1 },
    { time: '2026-01-01 00:05:00', n: '2' },
  ];
  t.same(viewsOf(resultOf({ n: 'UInt64' }, [{ n: 1 }])), ['figure', 'table']);
  t.same(viewsOf(resultOf({ time: 'DateTime', n: 'UInt64' }, times)), ['line', 'table', 'bar']);
  t.same(
    viewsOf(
      resultOf({ s: 'String', n: 'UInt64' }, [
        { s: 'a', n: 1 },
        { s: 'b', n: 2 },
      ]),
    ),
    ['table', 'bar'],
  );
  t.same(viewsOf(resultOf({ s: 'String' }, [{ s: 'a' }])), ['table']);
  t.same(viewsOf(resultOf({ n: 'UInt64' }, [])), ['table']);
  t.end();
});

t.test('a line for each column of numbers; steps without a row are gaps', (t) => {
  const result = resultOf({ time: 'DateTime', a: 'UInt64', b: 'Nullable(Float64)' }, [
    { time: '2026-01-01 00:15:00', a: '3', b: null },
    { time: '2026-01-01 00:00:00', a: '1', b: 0.5 },
    { time: '2026-01-01 00:05:00', a: '2', b: 0 },
  ]);
  const start = Date.UTC(2026, 0, 1);
  t.same(linesOf(result), {
    times: [0, 1, 2, 3].map((i) => start + i * 300_000),
    stepSeconds: 300,
    series: [
      { key: 'a', label: 'a', values: [1, 2, null, 3] },
      { key: 'b', label: 'b', values: [0.5, 0, null, null] },
    ],
    dropped: 0,
  });
  t.end();
});

t.test('the last step of a line is not over while it contains now; single events are no steps', (t) => {
  const noon = Date.UTC(2026, 0, 1, 12);
  const minuteMs = 60_000;
  const notes = (clocks: string[], now: number) => {
    const rows = clocks.map((clock) => ({ time: `2026-01-01 ${clock}`, n: 1 }));
    const lines = linesOf(resultOf({ time: 'DateTime', n: 'UInt8' }, rows));
    return lines && notesOf(lines, now).unfinishedFrom;
  };
  const steps = ['11:50:00', '11:55:00', '12:00:00'];
  t.equal(notes(steps, noon + 2 * minuteMs), '2026-01-01T12:00:00.000Z');
  t.equal(notes(steps, noon + 5 * minuteMs), null, 'it is over');
  t.equal(notes(steps, noon - minuteMs), null, 'it has not begun');
  t.equal(notes(['11:50:07', '12:00:11'], noon + minuteMs), null, 'two events');
  t.equal(notes(['11:00:00', '11:50:00', '12:00:00'], noon + minuteMs), '2026-01-01T12:00:00.000Z');
  t.equal(notes(['11:00:00', '11:50:07', '12:00:00'], noon + 1), null, 'no regular steps');
  const days = resultOf({ time: 'Date', n: 'UInt8' }, [
    { time: '2025-12-31', n: 9 },
    { time: '2026-01-01', n: 4 },
  ]);
  const lines = linesOf(days);
  t.equal(lines && notesOf(lines, noon).unfinishedFrom, '2026-01-01T00:00:00.000Z');
  t.end();
});

t.test('the characters of the longest text of a column', (t) => {
  const result = resultOf({ name: 'String', n: 'UInt64' }, [
    { name: 'checkout', n: '7' },
    { name: null, n: '1234' },
  ]);
  t.equal(longestOf(result, 'name'), 8);
  t.equal(longestOf(result, 'n'), 4);
  t.equal(longestOf(resultOf({ service: 'String' }, []), 'service'), 7, 'its name');
  t.end();
});

t.test('a line for each text, the largest first and at most six', (t) => {
  const rows = Array.from({ length: 8 }, (_, i) => [
    { time: '2026-01-01', name: `s${i}`, n: i },
    { time: '2026-01-02', name: `s${i}`, n: i },
  ]).flat();
  const lines = linesOf(resultOf({ time: 'Date', name: 'String', n: 'UInt64' }, rows));
  t.same(
    lines?.series.map(({ key }) => key),
    ['s7', 's6', 's5', 's4', 's3', 's2'],
  );
  t.match(lines, { stepSeconds: 86_400, dropped: 2 });
  t.equal(linesOf(resultOf({ name: 'String', n: 'UInt64' }, [])), undefined);
  t.end();
});

t.test('20,000 rows with as many texts and times: room for what is shown only', (t) => {
  const types = { time: 'DateTime', name: 'String', n: 'UInt64' };
  const rowsOf = (times: number) =>
    Array.from({ length: 20_000 }, (_, i) => ({
      time: new Date(Date.UTC(2026, 0, 1) + (i % times) ** 2 * 1_000)
        .toISOString()
        .slice(0, 19)
        .replace('T', ' '),
      name: `s${i}`,
      n: i,
    }));
  const lines = linesOf(resultOf(types, rowsOf(2_000)));
  t.match(
    lines?.series.map(({ key }) => key),
    ['s19999', 's19998', 's19997', 's19996', 's19995', 's19994'],
  );
  t.match(lines, { dropped: 19_994 });
  t.equal(lines?.times.length, 2_000);
  const tooMany = resultOf(types, rowsOf(2_001));
  t.equal(linesOf(tooMany), undefined);
  t.same(viewsOf(tooMany), ['table', 'bar']);
  t.end();
});

t.test('CSV has each digit, and no formula', (t) => {
  const types = { s: 'String', n: 'Int64', big: 'UInt64', none: 'Nullable(String)' };
  const rows = [{ s: '=HYPERLINK("x")', n: '-5', big: '18446744073709551615', none: null }];
  t.equal(csvOf(resultOf(types, rows)), 's,n,big,none\r\n"\'=HYPERLINK(""x"")",-5,18446744073709551615,\r\n');
  t.end();
});

t.test('times at no regular distance stay as they are', (t) => {
  const rows = ['00:00:00', '00:00:07', '00:30:00'].map((clock) => ({ time: `2026-01-01 ${clock}`, n: 1 }));
  t.equal(linesOf(resultOf({ time: 'DateTime', n: 'UInt8' }, rows))?.times.length, 3);
  t.end();
});

t.test('bars are named by a text, and by a time where there is none', (t) => {
  const rows = [
    { time: '2026-01-01', n: 1, name: 'a' },
    { time: '2026-01-02', n: null, name: 'b' },
  ];
  t.same(barsOf(resultOf({ time: 'Date', n: 'Nullable(Int8)', name: 'String' }, rows)), {
    bars: [{ label: 'a', value: 1 }],
    value: 'n',
  });
  t.match(barsOf(resultOf({ time: 'Date', n: 'Int8' }, rows)), { bars: [{ label: '2026-01-01' }] });
  t.end();
});

t.test('whether a statement depends on the range', (t) => {
  t.ok(usesRange('SELECT { from : DateTime}'));
  t.notOk(usesRange('SELECT map(1, 2) FROM x'));
  t.end();
});
