import { makeBatch } from './batches.js';
import { runLoad } from './load.js';
import { toLineProtocol } from './peers.js';

/** One measurement in a process of its own, so that the sender shares no event loop with the server. */
export type LoadJob = {
  port: number;
  path: string;
  key: string;
  format: 'json' | 'lines';
  eventsPerBatch: number;
  connections: number;
  depth: number;
  seconds: number;
};

const differentBatches = 64;

process.on('message', async (job: LoadJob) => {
  const now = Date.now();
  const batches = Array.from({ length: differentBatches }, (_, i) =>
    makeBatch(job.eventsPerBatch, i + 1, now),
  );
  const bodies = job.format === 'json' ? batches : batches.map(toLineProtocol);
  process.send?.(await runLoad({ ...job, bodies }));
});
process.on('disconnect', () => process.exit());
