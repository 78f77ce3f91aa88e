import type { LoadResult } from '../support/load.js';
import { measureLoad } from '../support/load.js';
import { median } from '../support/report.js';
import type { Target } from './targets.js';

const rounds = 3;
const seconds = 3;
const warmSeconds = 1;

export type IngestCase = { eventsPerBatch: number; connections: number; depth: number };
export const largeBatches: IngestCase = { eventsPerBatch: 1000, connections: 8, depth: 64 };
export const smallBatches: IngestCase = { eventsPerBatch: 10, connections: 8, depth: 256 };

/** Measures ingest of one tenant through each target in turn, so that the ratios to the first target share the drift of a round. */
export async function measureIngest(
  targets: readonly Target[],
  key: string,
  loads: readonly IngestCase[],
): Promise<void> {
  for (const load of loads) {
    const runs = targets.map((): LoadResult[] => []);
    for (let round = 0; round <= rounds; round += 1) {
      for (const [i, { port }] of targets.entries()) {
        const job = { ...load, port, key, path: '/api/v1/events', format: 'json' as const };
        const result = await measureLoad({ ...job, seconds: round === 0 ? warmSeconds : seconds });
        if (round > 0) runs[i]?.push(result);
      }
    }
    report(targets, load, runs);
  }
}

function report(targets: readonly Target[], load: IngestCase, runs: LoadResult[][]): void {
  const { eventsPerBatch, connections, depth } = load;
  const rates = runs.map((of) => of.map((run) => (run.requests * eventsPerBatch) / run.seconds));
  const lines = targets.map(({ name }, i) => {
    const of = runs[i] ?? [];
    const ratio = median((rates[i] ?? []).map((rate, round) => rate / (rates[0]?.[round] ?? Number.NaN)));
    const cells = [
      `${(median(rates[i] ?? []) / 1000).toFixed(0).padStart(6)} k events/s`,
      `p50 ${median(of.map((run) => run.p50Ms))
        .toFixed(0)
        .padStart(5)} ms`,
      `p99 ${median(of.map((run) => run.p99Ms))
        .toFixed(0)
        .padStart(5)} ms`,
      `refused ${of.reduce((sum, run) => sum + run.refused, 0)}`,
      `ratio ${ratio.toFixed(2)}`,
    ];
    return `  ${name.padEnd(14)} ${cells.join('  ')}\n`;
  });
  process.stdout.write(
    `\n${eventsPerBatch} events a batch, ${connections} connections, ${depth} batches in flight on each\n${lines.join('')}`,
  );
}
