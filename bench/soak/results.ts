import { line } from '../support/report.js';
import type { Balance } from './ledger.js';
import type { ReadCounts } from './read-load.js';
import { acrossLives, type Life, slope, warmSamples, warmSeconds } from './watch-memory.js';

/** Allowed growth from the first third of a run to its last one. */
const growthMax = 1.25;

export function printBalances(balances: readonly Balance[]): void {
  const columns = [
    ...(['sent', 'acknowledged', 'buffered', 'refused', 'unanswered'] as const),
    ...(['stored', 'lost', 'twice', 'wrong'] as const),
  ];
  const width = 20;
  line(`\n${''.padEnd(width)}${columns.map((name) => name.padStart(13)).join('')}${'slowest'.padStart(10)}`);
  for (const sums of balances) {
    const cells = columns.map((column) => String(sums[column]).padStart(13));
    line(`${sums.what.padEnd(width)}${cells.join('')}${`${sums.slowestSeconds.toFixed(1)} s`.padStart(10)}`);
  }
}

export function printReads(counts: readonly ReadCounts[]): void {
  line('\nreads, by status');
  for (const { what, byStatus } of counts) {
    const cells = [...byStatus].map(([status, count]) => `${status}: ${count}`);
    line(`  ${what.padEnd(12)}${cells.join('  ')}`);
  }
}

/** The messages of the log that are a warning or worse, the most frequent ones first. */
export function printLog(counts: ReadonlyMap<string, number>): void {
  line('\nlog, warnings and errors');
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  for (const [text, count] of sorted) line(`  ${String(count).padStart(5)}  ${text}`);
}

/** Prints the memory of each process of the service; `findings` gets a sentence if it has grown. */
export function checkMemory(lives: Iterable<Life>, findings: string[]): void {
  const all = [...lives];
  line(`\nresident memory, from ${warmSeconds} s after the start of each process`);
  for (const life of all) {
    const samples = warmSamples(life);
    const [first, last] = [samples[0], samples.at(-1)];
    if (first === undefined || last === undefined) continue;
    const rate = slope(samples);
    const minutes = ((last.second - first.second) / 60).toFixed(1);
    const cells = `${first.mb.toFixed(0)} MB, ${last.mb.toFixed(0)} MB after ${minutes} minutes`;
    line(
      `  ${life.what} ${life.pid}: ${cells}${rate === undefined ? '' : `, ${rate.toFixed(1)} MB a minute`}`,
    );
  }
  const { first, last } = acrossLives(all);
  line(
    `  processes, first third of the run ${first.toFixed(0)} MB, last third ${last.toFixed(0)} MB (medians)`,
  );
  if (last > first * growthMax) {
    findings.push(`memory: processes had ${first.toFixed(0)} MB at first and ${last.toFixed(0)} MB at last`);
  }
}
