import { burnPairsOf } from '../../control/objectives/index.js';
import { line } from '../support/report.js';
import { type BurnTimes, burnTimes, evaluationSecondsMax, looks, simulateBurn } from './simulate-burn.js';

/** Holds the ready-made burn-rate alerts against the formulas of the SRE workbook, at failure rates from 0.1 to 100 %. */
const target = 99.9;
const percents = [0.1, 0.2, 0.5, 1, 1.5, 2, 5, 10, 20, 50, 100];
const begins = [0, 7, 29, 44, 59];

line(
  `target ${target} %; looks every ${looks.everySeconds} s over whole minutes, so an evaluation takes up to`,
);
line(`${evaluationSecondsMax} s. Seconds until the alert, and from the end of the failure to its end:`);
line('  fails    pair       formula        simulated, latest      off by');
for (const pair of burnPairsOf({ days: 30 })) {
  for (const percent of percents) {
    const failure = { target, failureRate: percent / 100 };
    const formula = burnTimes(pair, { ...failure, intoMinute: 0, intoLook: 0 });
    const simulated = begins.flatMap((intoMinute) =>
      [0, 11, 29].map((intoLook) => simulateBurn(pair, { ...failure, intoMinute, intoLook })),
    );
    line(
      [
        `${percent} %`.padStart(7),
        `${pair.factor}×/${pair.longMinutes} min`.padStart(15),
        shown(formula).padStart(19),
        shown(latest(simulated)).padStart(19),
        offBy(formula, latest(simulated)).padStart(13),
      ].join(' '),
    );
  }
}

function latest(simulated: readonly BurnTimes[]): BurnTimes {
  const fired = simulated.filter((times) => times !== null);
  if (fired.length === 0) return null;
  return {
    detectSeconds: Math.max(...fired.map(({ detectSeconds }) => detectSeconds)),
    resetSeconds: Math.max(...fired.map(({ resetSeconds }) => resetSeconds)),
  };
}

function shown(times: BurnTimes): string {
  return times === null ? 'never' : `${times.detectSeconds.toFixed(0)} / ${times.resetSeconds.toFixed(0)} s`;
}

function offBy(formula: BurnTimes, simulated: BurnTimes): string {
  if (formula === null || simulated === null) return formula === simulated ? '—' : 'WRONG';
  const late = [
    simulated.detectSeconds - formula.detectSeconds,
    simulated.resetSeconds - formula.resetSeconds,
  ];
  return `${late.map((seconds) => seconds.toFixed(0)).join(' / ')} s`;
}
