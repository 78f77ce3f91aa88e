import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBatch } from '../support/batches.js';
import type { LoadResult } from '../support/load.js';
import { measureLoad } from '../support/load.js';
import { type Answered, postBatch } from '../support/post-batch.js';
import type { Target } from './targets.js';

const rounds = 3;
const seconds = 5;
/** The quiet tenant sends a small batch at a fixed interval, without waiting for answers. */
const quietEvents = 10;
const quietEveryMs = 40;
const loudLoad = { eventsPerBatch: 1000, connections: 8, depth: 64 };

/** Ingest keys of the two tenants. */
export type Tenants = { loud: string; quiet: string };

/** Measures how long a quiet tenant waits for its acknowledgements, alone and next to one at full load, in turn. */
export async function measureNeighbours(target: Target, { loud, quiet }: Tenants): Promise<void> {
  const alone: Answered[] = [];
  const beside: Answered[] = [];
  const loudRuns: LoadResult[] = [];
  const { port, name } = target;
  await sendQuietly(port, quiet, 1); // Warms up.
  for (let round = 1; round <= rounds; round += 1) {
    alone.push(...(await sendQuietly(port, quiet, seconds)));
    // The quiet load begins and ends within the other one, which needs a moment to prepare its batches.
    const load = { ...loudLoad, port, key: loud, path: '/api/v1/events', format: 'json' as const };
    const loudRun = measureLoad({ ...load, seconds: seconds + 3 });
    await sleep(2_000);
    beside.push(...(await sendQuietly(port, quiet, seconds)));
    loudRuns.push(await loudRun);
  }
  report(name, { alone, beside, loudRuns });
}

/** Sends `quietEvents` at a time, over its own connections. */
async function sendQuietly(port: number, key: string, forSeconds: number): Promise<Answered[]> {
  const agent = new Agent({ keepAlive: true });
  const open: Promise<Answered>[] = [];
  const startedAt = performance.now();
  while (performance.now() - startedAt < forSeconds * 1000) {
    const body = makeBatch(quietEvents, open.length + 1, Date.now());
    open.push(postBatch(agent, { port, key }, body));
    await sleep(Math.max(0, startedAt + open.length * quietEveryMs - performance.now()));
  }
  const answers = await Promise.all(open);
  agent.destroy();
  return answers;
}

function report(
  name: string,
  { alone, beside, loudRuns }: { alone: Answered[]; beside: Answered[]; loudRuns: LoadResult[] },
): void {
  const rate = loudRuns.reduce((sum, run) => sum + run.requests / run.seconds, 0) / loudRuns.length;
  const refused = loudRuns.reduce((sum, run) => sum + run.refused, 0);
  const ratio = (q: number): string => (at(beside, q) / at(alone, q)).toFixed(2);
  process.stdout.write(
    `\na quiet tenant's batches of ${quietEvents} events, every ${quietEveryMs} ms, ${name}\n` +
      `  alone                        ${describe(alone)}\n` +
      `  beside ${(rate * (loudLoad.eventsPerBatch / 1000)).toFixed(0).padStart(5)} k events/s        ${describe(beside)}\n` +
      `  beside/alone p50 ${ratio(0.5)}, p99 ${ratio(0.99)}; ${refused} batches of the other one were refused\n`,
  );
}

function describe(answers: readonly Answered[]): string {
  const refused = answers.filter(({ status }) => status !== 202).length;
  return `p50 ${at(answers, 0.5).toFixed(0)} ms, p99 ${at(answers, 0.99).toFixed(0)} ms, ${answers.length} batches, ${refused} refused`;
}

/** Latencies of the accepted batches, in milliseconds. */
function at(answers: readonly Answered[], q: number): number {
  const sorted = answers
    .filter(({ status }) => status === 202)
    .map(({ seconds: took }) => took * 1000)
    .sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
