import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type LoadJob, type LoadResult, measureLoad } from '../support/load.js';
import { line, median } from '../support/report.js';
import { withStores } from '../support/stores.js';
import { startPeers } from './peers.js';

type Target = {
  name: string;
  process: ChildProcess;
  port: number;
  key: string;
  path: string;
  format: LoadJob['format'];
};

const rounds = 3;
const seconds = 5;
const cases = [
  { eventsPerBatch: 1000, connections: 8, depth: 64 },
  { eventsPerBatch: 1000, connections: 8, depth: 1 },
  { eventsPerBatch: 10, connections: 8, depth: 256 },
];

await withStores(async (stores) => {
  const targets = [
    await startTarget('a  node:http + JSON.parse', '../servers/bare.js', []),
    await startTarget('b  Koa + koa-body', '../servers/koa.js', []),
    await startTarget('c  Heartline', '../servers/heartline.js', [stores.databaseUrl, stores.clickhouseUrl]),
  ];
  const peers = await startPeers(stores.dataDir);
  targets.push(...peers.map((peer): Target => ({ ...peer, key: 'none', format: 'lines' })));
  for (const load of cases) await measureCase(targets, load);
  for (const { process } of targets) if (process.connected) process.disconnect();
  for (const { process } of peers) process.kill();
});

async function startTarget(name: string, file: string, args: string[]): Promise<Target> {
  const child = fork(new URL(file, import.meta.url), args, { execArgv: profileArgs(name) });
  const [ready] = (await once(child, 'message')) as [{ port: number; key: string }];
  return { name, process: child, path: '/api/v1/events', format: 'json', ...ready };
}

/** `npm run bench -- --cpu-prof` writes a profile of the service into the current folder. */
function profileArgs(name: string): string[] {
  return name.startsWith('c') && process.argv.includes('--cpu-prof') ? ['--cpu-prof'] : [];
}

/** Measures the targets in turn in each round: the machine's speed drifts, and the ratios of one round share the drift. */
async function measureCase(targets: readonly Target[], load: (typeof cases)[number]): Promise<void> {
  const results = targets.map((): LoadResult[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [i, target] of targets.entries()) {
      const { port, key, path, format } = target;
      const result = await measureLoad({
        ...load,
        seconds: round === 0 ? 2 : seconds,
        port,
        key,
        path,
        format,
      });
      if (round > 0) results[i]?.push(result); // Round 0 warms up.
    }
  }
  report(targets, load, results);
}

function report(targets: readonly Target[], load: (typeof cases)[number], results: LoadResult[][]): void {
  line(
    `\n${load.eventsPerBatch} events a batch, ${load.connections} connections, ${load.depth} batches in flight on each`,
  );
  const rates = results.map((runs) => runs.map((run) => (run.requests * load.eventsPerBatch) / run.seconds));
  for (const [i, target] of targets.entries()) {
    const runs = results[i] ?? [];
    const cells = [
      `${(median(rates[i] ?? []) / 1000).toFixed(0).padStart(6)} k events/s`,
      `p50 ${median(runs.map((run) => run.p50Ms))
        .toFixed(1)
        .padStart(6)} ms`,
      `p99 ${median(runs.map((run) => run.p99Ms))
        .toFixed(1)
        .padStart(6)} ms`,
      `refused ${runs.reduce((sum, run) => sum + run.refused, 0)}`,
    ];
    line(`  ${target.name.padEnd(26)} ${cells.join('  ')}`);
  }
  const ratio = (i: number, j: number): string =>
    median((rates[i] ?? []).map((rate, round) => rate / (rates[j]?.[round] ?? Number.NaN))).toFixed(2);
  line(`  c/a ${ratio(2, 0)}   c/b ${ratio(2, 1)}   (medians of ${rounds} rounds)`);
}
