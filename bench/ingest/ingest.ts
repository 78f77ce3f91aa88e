import { loadavg } from 'node:os';
import { printGoals } from '../support/goals.js';
import { startProgress } from '../support/progress.js';
import { line } from '../support/report.js';
import { type Stores, withStores } from '../support/stores.js';
import { type Costs, judgeCases, judgeCosts, type Results } from './judge.js';
import { estimateCase, measureCase } from './measure-case.js';
import { estimateCost, measureCost } from './measure-cost.js';
import { cases, costLoads, parsePlan, saturating, targetsIn } from './plan.js';
import {
  isService,
  pickTargets,
  startBaseline,
  startPeers,
  startWithLog,
  startWithoutLog,
  stopTargets,
  type Target,
  type TargetId,
} from './targets.js';

/**
 * Compares how fast the service acknowledges events with servers that store nothing, and with other stores.
 * `npm run bench -- --only alone,peers,gzip,ids,cost --rounds 3`
 */
const { only, rounds } = parsePlan();
const aloneIds: ReadonlySet<TargetId> = new Set(['a', 'c']);
const besideCases = cases.flatMap((load) => {
  const ids = targetsIn(load, only);
  return ids.size === 0 ? [] : [{ load, ids }];
});
const loads = only.has('cost') ? costLoads : [];
const besideIds = new Set([
  ...besideCases.flatMap(({ ids }) => [...ids]),
  ...loads.flatMap(({ targets }) => targets),
]);
const estimates = [
  only.has('alone') ? estimateCase(saturating, aloneIds.size, rounds) : 0,
  ...besideCases.map(({ load, ids }) => estimateCase(load, ids.size, rounds)),
  ...loads.map((load) => estimateCost(load, rounds)),
];
const progress = startProgress(estimates.reduce((sum, seconds) => sum + seconds, 0));

const results: Results = { alone: new Map(), beside: new Map() };
const costs: Costs = new Map();

const sayLoad = (): unknown => line(`\nload of the machine ${loadavg()[0]?.toFixed(1)}`);

sayLoad();
await withStores(async (stores) => {
  const servers = [await startBaseline('a', '../servers/bare.js'), await startWithLog(stores)];
  try {
    if (only.has('alone')) {
      const targets = pickTargets(aloneIds, servers);
      const runs = await measureCase('alone', saturating, targets, { rounds, progress });
      results.alone.set(saturating, runs);
    }
    if (besideIds.has('b')) servers.push(await startBaseline('b', '../servers/koa.js'));
    servers.push(...(await startPeers(stores.dataDir, besideIds)));
    if (besideIds.has('d')) await withStores((others) => measureBeside(servers, others));
    else await measureBeside(servers);
  } finally {
    await stopTargets(servers);
  }
});
sayLoad();
printGoals([...judgeCases(results, only), ...(only.has('cost') ? judgeCosts(costs) : [])]);

/** Measures each case beside all servers, which are idle while one is measured. */
async function measureBeside(servers: readonly Target[], others?: Stores): Promise<void> {
  const added = others === undefined ? [] : [await startWithoutLog(others, servers.filter(isService))];
  const running = [...servers, ...added];
  try {
    for (const { load, ids } of besideCases) {
      const targets = pickTargets(ids, running);
      results.beside.set(load, await measureCase('beside', load, targets, { rounds, progress }));
    }
    for (const load of loads) {
      const services = pickTargets(new Set(load.targets), running).filter(isService);
      costs.set(load.eventsPerSecond, await measureCost(load, services, { rounds, progress }));
    }
  } finally {
    await stopTargets(added);
  }
}
