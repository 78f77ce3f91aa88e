import t from 'tap';
import { overlapMs } from '../../../analytics/summary/summary-coverage.js';
import { cutPercent, formatUptime } from '../../../lib/figures.js';

t.test('uptime is cut, never rounded up', async (t) => {
  const yearMs = 365 * 86_400_000;
  const cases: [upMs: number, observedMs: number, text: string][] = [
    [0, 0, 'N/A'],
    [0, 1, '0.00%'],
    [1, 1, '100.00%'],
    [99_999, 100_000, '99.99%'],
    [99_995, 100_000, '99.99%'],
    [yearMs - 1, yearMs, '99.99%'],
    [yearMs, yearMs, '100.00%'],
    [1, yearMs, '0.00%'],
    [1, 3, '33.33%'],
    [2, 3, '66.66%'],
    [9_998, 10_000, '99.98%'],
    [29, 100, '29.00%'],
    [57, 100, '57.00%'],
    [5, 1_000, '0.50%'],
  ];
  for (const [upMs, observedMs, text] of cases) {
    t.equal(formatUptime({ upMs, observedMs }), text, `${upMs} of ${observedMs}`);
  }
  for (let hundredths = 0; hundredths <= 10_000; hundredths += 1) {
    const text = `${(hundredths / 100).toFixed(2)}%`;
    if (formatUptime({ upMs: hundredths, observedMs: 10_000 }) !== text) t.fail(text);
  }
});

t.test('a part larger than the whole is 100 %, and a whole of 0 has no percentage', async (t) => {
  t.equal(cutPercent(3, 2), 100);
  t.equal(cutPercent(1, 0), null);
});

t.test('spans that overlap count once, and only within the other span', async (t) => {
  const span = { from: 100, to: 200 };
  const cases: [spans: [from: number, to: number][], ms: number][] = [
    [[], 0],
    [[[0, 100]], 0],
    [[[200, 300]], 0],
    [[[0, 300]], 100],
    [[[110, 120]], 10],
    [
      [
        [150, 160],
        [110, 155],
      ],
      50,
    ],
    [
      [
        [110, 190],
        [120, 130],
        [180, 250],
      ],
      90,
    ],
    [
      [
        [110, 120],
        [110, 120],
      ],
      10,
    ],
  ];
  for (const [spans, ms] of cases) {
    const others = spans.map(([from, to]) => ({ from, to }));
    t.equal(overlapMs(span, others), ms, JSON.stringify(spans));
  }
});
