import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { LoadResult } from './load.js';
import type { LoadJob } from './load-process.js';

/** Runs one load in a process of its own, so that the sender shares no event loop with anything. */
export async function measureLoad(job: LoadJob): Promise<LoadResult> {
  const child = fork(new URL('./load-process.js', import.meta.url));
  child.send(job);
  const [result] = (await once(child, 'message')) as [LoadResult];
  child.disconnect();
  return result;
}
