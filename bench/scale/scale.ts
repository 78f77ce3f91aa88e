import { loadavg } from 'node:os';
import { line } from '../support/report.js';
import { type Stores, withStores } from '../support/stores.js';
import { largeBatches, measureIngest, smallBatches } from './measure-ingest.js';
import { measureNeighbours } from './neighbours.js';
import { startShards } from './shards.js';
import { makeTenant, startTarget, stopTargets } from './targets.js';

/** Measures the gain of more processes and of a second shard, and what one tenant at full load costs another. */
const sayLoad = () => line(`load of the machine ${loadavg()[0]?.toFixed(1)}`);

sayLoad();
await withStores(async (stores) => {
  const one = await startTarget('1 process', stores);
  const two = await startTarget('2 processes', stores, { HEARTLINE_WORKERS: '2' });
  const four = await startTarget('4 processes', stores, { HEARTLINE_WORKERS: '4' });
  const loud = await makeTenant(stores, 'loud');
  const quiet = await makeTenant(stores, 'quiet');
  await measureIngest([one, two, four], loud, [largeBatches, smallBatches]);
  sayLoad();
  await stopTargets([two, four]);
  await measureNeighbours(one, { loud, quiet });
  sayLoad();
  await stopTargets([one]);
  await measureShards(stores, loud);
  sayLoad();
});

/** Compares one ClickHouse server with a cluster of two shards, with the same PostgreSQL. */
async function measureShards(stores: Stores, key: string): Promise<void> {
  const shards = await startShards(stores);
  try {
    const one = await startTarget('1 server', stores);
    const two = await startTarget('2 shards', stores, shards.env);
    await measureIngest([one, two], key, [largeBatches]);
    await stopTargets([one, two]);
  } finally {
    await shards.stop();
  }
}
