import { loadavg } from 'node:os';
import { measureNeighbours } from './scale/neighbours.js';
import { measureProcesses } from './scale/processes.js';
import { createTargets, makeTenant, stopTargets } from './scale/targets.js';
import { withStores } from './stores.js';

/** What more processes bring, and what one tenant at full load takes from another one. */
const line = (text: string): unknown => process.stdout.write(`${text}\n`);
const sayLoad = () => line(`load of the machine ${loadavg()[0]?.toFixed(1)}`);

sayLoad();
await withStores(async (stores) => {
  const targets = await createTargets(stores, [1, 2, 4]);
  const loud = await makeTenant(stores, 'loud');
  const quiet = await makeTenant(stores, 'quiet');
  await measureProcesses(targets, loud);
  sayLoad();
  for (const target of targets.slice(0, 2)) await measureNeighbours(target, { loud, quiet });
  sayLoad();
  await stopTargets(targets);
});
