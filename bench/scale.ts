import { loadavg } from 'node:os';
import { largeBatches, measureIngest, smallBatches } from './scale/measure-ingest.js';
import { measureNeighbours } from './scale/neighbours.js';
import { startShards } from './scale/shards.js';
import { makeTenant, startTarget, stopTargets } from './scale/targets.js';
import { type Stores, withStores } from './stores.js';

/** What more processes and a second shard bring, and what one tenant at full load takes from another one. */
const line = (text: string): unknown => process.stdout.write(`${text}\n`);
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

/** The same PostgreSQL, beside the one server and beside a cluster of two. */
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
