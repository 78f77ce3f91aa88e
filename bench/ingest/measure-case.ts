import { type LoadResult, measureLoad } from '../support/load.js';
import { line, median } from '../support/report.js';
import { untilIdle } from '../support/until-idle.js';
import type { Service, Target } from './targets.js';

/** Clients that send their next batch when an earlier one is answered. */
export type Case = { eventsPerBatch: number; connections: number; depth: number };

/** A measurement of one round; `behindSeconds` is how long after the last answer ClickHouse had all events. */
type Measured = LoadResult & { rate: number; behindSeconds: number | undefined };

const rounds = 3;
const seconds = 5;
const warmUpSeconds = 2;
/** Targets by the start of their names. */
const ratios = ['c/a', 'c/b', 'd/a', 'd/b', 'e/c', 'c/InfluxDB'];

/** Measures the targets in turn in each round: the machine's speed drifts, and the ratios of one round share the drift. */
export async function measureCase(
  title: string,
  targets: readonly (Target | Service)[],
  load: Case,
): Promise<void> {
  const measured = targets.map((): Measured[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [i, target] of targets.entries()) {
      await untilIdle(); // What a target leaves to its background, such as merges, must not slow down the next one.
      const result = await measure(target, load, round === 0 ? warmUpSeconds : seconds);
      if (round > 0) measured[i]?.push(result); // Round 0 warms up.
    }
  }
  const { eventsPerBatch, connections, depth } = load;
  line(
    `\n${title}: ${eventsPerBatch} events a batch, ${connections} connections, ${depth} in flight on each, medians of ${rounds} rounds`,
  );
  for (const [i, { name }] of targets.entries()) line(`  ${name.padEnd(26)} ${describe(measured[i] ?? [])}`);
  line(`  ${describeRatios(targets, measured)}`);
}

async function measure(target: Target | Service, load: Case, forSeconds: number): Promise<Measured> {
  const { port, key, path, format, isNamed = false } = target;
  const before = 'store' in target ? await target.store.storedEvents(target.pageId) : 0;
  const result = await measureLoad({ ...load, seconds: forSeconds, port, key, path, format, isNamed });
  const answeredAt = performance.now();
  const rate = (result.requests * load.eventsPerBatch) / result.seconds;
  if (!('store' in target)) return { ...result, rate, behindSeconds: undefined };
  await target.store.untilStored(target.pageId, {
    acknowledged: before + result.requests * load.eventsPerBatch,
    refused: result.refused * load.eventsPerBatch,
  });
  return { ...result, rate, behindSeconds: (performance.now() - answeredAt) / 1000 };
}

function describe(runs: readonly Measured[]): string {
  const middle = (of: (run: Measured) => number, digits: number, width: number): string =>
    median(runs.map(of)).toFixed(digits).padStart(width);
  const cells = [
    `${middle(({ rate }) => rate / 1000, runs.some(({ rate }) => rate < 10_000) ? 1 : 0, 6)} k events/s`,
    `p50 ${middle(({ p50Ms }) => p50Ms, 1, 6)} ms`,
    `p99 ${middle(({ p99Ms }) => p99Ms, 1, 6)} ms`,
    `refused ${runs.reduce((sum, run) => sum + run.refused, 0)}`,
  ];
  if (runs.some(({ behindSeconds }) => behindSeconds !== undefined))
    cells.push(`all stored after ${middle(({ behindSeconds }) => behindSeconds ?? Number.NaN, 1, 4)} s`);
  return cells.join('  ');
}

/** Each ratio is the median of the ratios of the rounds. Leaves out targets that do not run. */
function describeRatios(targets: readonly Target[], measured: readonly (readonly Measured[])[]): string {
  const runsOf = (start: string) => measured[targets.findIndex(({ name }) => name.startsWith(start))];
  const cells = ratios.flatMap((name) => {
    const [above, below] = name.split('/').map(runsOf);
    if (above === undefined || below === undefined) return [];
    const ratio = median(above.map(({ rate }, round) => rate / (below[round]?.rate ?? Number.NaN)));
    return [`${name} ${ratio.toFixed(2)}`];
  });
  return cells.join('   ');
}
