import { gzipSync } from 'node:zlib';
import { makeBatch, toLineProtocol } from './batches.js';
import { type LoadJob, type PacedJob, runLoad } from './load.js';
import { runPaced } from './paced-load.js';

const differentBatches = 64;

process.on('message', async (job: LoadJob | PacedJob) => {
  const now = Date.now();
  const batches = Array.from({ length: differentBatches }, (_, i) =>
    makeBatch(job.eventsPerBatch, i + 1, now),
  );
  if ('batchesPerSecond' in job) {
    process.send?.(await runPaced(job, batches));
    return;
  }
  const texts = job.format === 'json' ? batches : batches.map(toLineProtocol);
  const bodies = texts.map((text) => (job.isGzipped ? gzipSync(text) : Buffer.from(text)));
  process.send?.(await runLoad({ ...job, bodies }));
});
process.on('disconnect', () => process.exit());
