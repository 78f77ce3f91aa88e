import { makeBatch, toLineProtocol } from './batches.js';
import { type LoadJob, runLoad } from './load.js';

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
