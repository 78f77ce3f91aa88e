import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadResult, latencyAt, type PacedJob } from './load.js';
import { type Answered, postBatch } from './post-batch.js';

/** Posts the bodies in turn. */
export async function runPaced(job: PacedJob, bodies: readonly string[]): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true });
  const open: Promise<Answered>[] = [];
  const startedAt = performance.now();
  const batches = job.batchesPerSecond * job.seconds;
  while (open.length < batches) {
    open.push(postBatch(agent, job, bodies[open.length % bodies.length] ?? ''));
    await sleep(Math.max(0, startedAt + (open.length * 1000) / job.batchesPerSecond - performance.now()));
  }
  const answers = await Promise.all(open);
  agent.destroy();
  const seconds = (performance.now() - startedAt) / 1000;
  const requests = answers.filter(({ status }) => status === 202).length;
  const latencies = answers.map((answer) => answer.seconds * 1000).sort((a, b) => a - b);
  const [p50Ms, p99Ms] = [latencyAt(latencies, 0.5), latencyAt(latencies, 0.99)];
  return { requests, refused: answers.length - requests, seconds, p50Ms, p99Ms };
}
