import t from 'tap';
import { burnTimes, evaluationSecondsMax, simulateBurn } from '../../../bench/objectives/simulate-burn.js';
import { burnPairsOf } from '../../../control/objectives/index.js';

const rates = [0.001, 0.002, 0.003, 0.005, 0.01, 0.0144, 0.015, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** Every pair at every rate, at three places of a minute and of the time between looks. */
function cases(target: number, window: Parameters<typeof burnPairsOf>[0]) {
  return burnPairsOf(window).flatMap((pair) =>
    rates.flatMap((failureRate) =>
      [0, 31, 59].map((intoMinute, i) => ({
        pair,
        failure: { target, failureRate, intoMinute, intoLook: [29, 0, 14][i] ?? 0 },
      })),
    ),
  );
}

for (const [target, window] of [
  [99.9, { days: 30 }],
  [99, { days: 28 }],
  [99.9, { calendar: 'quarter' }],
  [99.99, { days: 7 }],
] as const) {
  const what = `${target} % over ${JSON.stringify(window)}`;
  t.test(`alerts come and go within one evaluation of the formulas: ${what}`, async (t) => {
    const fired = { yes: 0, no: 0 };
    const wrong = cases(target, window).filter(({ pair, failure }) => {
      const formula = burnTimes(pair, failure);
      const simulated = simulateBurn(pair, failure);
      fired[formula === null ? 'no' : 'yes'] += 1;
      if (formula === null || simulated === null) return formula !== simulated;
      const late = [
        simulated.detectSeconds - formula.detectSeconds,
        simulated.resetSeconds - formula.resetSeconds,
      ];
      return late.some((seconds) => !(seconds >= -1 && seconds <= evaluationSecondsMax));
    });
    t.same(wrong, []);
    t.ok(fired.yes > 40, `${fired.yes} failures fire, ${fired.no} do not`);
  });
}

t.test('the table of the workbook: at 99.9 %, when all requests fail', async (t) => {
  const seconds = burnPairsOf({ days: 30 }).map((pair) =>
    burnTimes(pair, { target: 99.9, failureRate: 1, intoMinute: 0, intoLook: 0 }),
  );
  t.same(
    seconds.map(
      (times) => times && [times.detectSeconds, times.resetSeconds].map((one) => Number(one.toFixed(2))),
    ),
    [
      [51.84, 295.68],
      [129.6, 1_789.2],
      [259.2, 7_178.4],
      [259.2, 21_578.4],
    ],
  );
});
