import { type LoadResult, measureLoad } from '../support/load.js';
import { processorSeconds } from '../support/processor-time.js';
import type { Progress } from '../support/progress.js';
import { line, median } from '../support/report.js';
import { untilIdle } from '../support/until-idle.js';
import type { Case } from './plan.js';
import { isService, type Service, type Target, type TargetId } from './targets.js';

/** A measurement of one round. */
export type Measured = LoadResult & {
  rate: number;
  /** Processor time of the server, with the delivery to its store, for each acknowledged event. */
  processorNs: number;
  /** How long after the last answer ClickHouse had all events. */
  behindSeconds: number | undefined;
};

export type Runs = ReadonlyMap<TargetId, readonly Measured[]>;

const warmUpSeconds = 1;
/** Until the machine is idle, and until ClickHouse has all. */
const secondsBetween = 3;

const ratios: readonly (readonly [TargetId, TargetId])[] = [
  ['c', 'a'],
  ['c', 'b'],
  ['d', 'a'],
  ['e', 'c'],
  ['c', 'InfluxDB'],
  ['c', 'VictoriaMetrics'],
  ['a gzip', 'a'],
  ['c gzip', 'c'],
  ['c gzip', 'a gzip'],
  ['InfluxDB gzip', 'InfluxDB'],
  ['VictoriaMetrics gzip', 'VictoriaMetrics'],
];

export function estimateCase({ seconds }: Case, targets: number, rounds: number): number {
  return targets * (warmUpSeconds + rounds * (seconds + secondsBetween));
}

/** Measures the targets in turn in each round: the machine's speed drifts, and the ratios of one round share the drift. */
export async function measureCase(
  title: string,
  load: Case,
  targets: readonly (Target | Service)[],
  { rounds, progress }: { rounds: number; progress: Progress },
): Promise<Runs> {
  const runs = new Map(targets.map(({ id }) => [id, [] as Measured[]]));
  for (const target of targets) await measure(target, load, warmUpSeconds);
  progress.done(targets.length * warmUpSeconds, `${title}, ${load.name}, warm-up`);
  for (let round = 1; round <= rounds; round += 1) {
    for (const target of targets) {
      await untilIdle(); // The background of the target before, such as merges, must not slow down this one.
      runs.get(target.id)?.push(await measure(target, load, load.seconds));
    }
    progress.done(targets.length * (load.seconds + secondsBetween), `${title}, ${load.name}, round ${round}`);
  }
  print(title, load, targets, runs, rounds);
  return runs;
}

async function measure(target: Target | Service, load: Case, forSeconds: number): Promise<Measured> {
  const { port, key, path, format, isNamed = false, isGzipped = false, process: server } = target;
  const before = isService(target) ? await target.store.storedEvents(target.pageId) : 0;
  const processor = () => (server.pid === undefined ? Number.NaN : processorSeconds(server.pid));
  const processorBefore = await processor();
  const { eventsPerBatch, connections, depth } = load;
  const result = await measureLoad({
    ...{ eventsPerBatch, connections, depth, seconds: forSeconds },
    ...{ port, key, path, format, isNamed, isGzipped },
  });
  const answeredAt = performance.now();
  const events = result.requests * load.eventsPerBatch;
  let behindSeconds: number | undefined;
  if (isService(target)) {
    const refused = result.refused * load.eventsPerBatch;
    await target.store.untilStored(target.pageId, { acknowledged: before + events, refused });
    behindSeconds = (performance.now() - answeredAt) / 1000;
  }
  const processorNs = (((await processor()) - processorBefore) / events) * 1e9;
  return { ...result, rate: events / result.seconds, processorNs, behindSeconds };
}

/** The median of the ratios of the rounds; `undefined` when one of the two does not run. */
export function ratioOf(
  runs: Runs,
  [above, below]: readonly [TargetId, TargetId],
  figure: 'rate' | 'p50Ms' | 'p99Ms',
): number | undefined {
  const [numerators, denominators] = [runs.get(above), runs.get(below)];
  if (numerators === undefined || denominators === undefined) return undefined;
  return median(numerators.map((run, round) => run[figure] / (denominators[round]?.[figure] ?? Number.NaN)));
}

function print(title: string, load: Case, targets: readonly Target[], runs: Runs, rounds: number): void {
  const { name, eventsPerBatch, connections, depth } = load;
  line(
    `\n${title}, ${name}: ${eventsPerBatch} events a batch, ${depth} in flight on each of ${connections} connections, medians of ${rounds} rounds`,
  );
  for (const { id, name } of targets) line(`  ${name.padEnd(30)} ${describe(runs.get(id) ?? [])}`);
  const cells = ratios.flatMap((pair) => {
    const [rate, p99] = [ratioOf(runs, pair, 'rate'), ratioOf(runs, pair, 'p99Ms')];
    return rate === undefined || p99 === undefined
      ? []
      : [`${pair.join('/')} ${rate.toFixed(2)} (p99 ${p99.toFixed(2)})`];
  });
  if (cells.length > 0) line(`  ${cells.join('   ')}`);
}

function describe(runs: readonly Measured[]): string {
  const middle = (of: (run: Measured) => number, digits: number, width: number): string =>
    median(runs.map(of)).toFixed(digits).padStart(width);
  const cells = [
    `${middle(({ rate }) => rate / 1000, runs.some(({ rate }) => rate < 10_000) ? 1 : 0, 6)} k events/s`,
    `p50 ${middle(({ p50Ms }) => p50Ms, 2, 7)} ms`,
    `p99 ${middle(({ p99Ms }) => p99Ms, 2, 8)} ms`,
    `${middle(({ processorNs }) => processorNs, 0, 6)} ns of processor an event`,
    `refused ${runs.reduce((sum, run) => sum + run.refused, 0)}`,
  ];
  if (runs.some(({ behindSeconds }) => behindSeconds !== undefined))
    cells.push(`all stored after ${middle(({ behindSeconds }) => behindSeconds ?? Number.NaN, 1, 4)} s`);
  return cells.join('  ');
}
