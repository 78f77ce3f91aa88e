import { setTimeout as sleep } from 'node:timers/promises';
import { measureLoad } from '../support/load.js';
import { processorSeconds } from '../support/processor-time.js';
import { line, median } from '../support/report.js';
import { untilIdle } from '../support/until-idle.js';
import type { Service } from './targets.js';

/** The cost of one round of the load, for each million events. */
type Cost = {
  clickhouseSeconds: number;
  parts: number;
  serviceSeconds: number;
  p50Ms: number;
  p99Ms: number;
};

const rounds = 3;
const load = { eventsPerBatch: 1_000, batchesPerSecond: 100, seconds: 10 };
/** Counts as well: a log still leaves to ClickHouse what it holds, and ClickHouse merges. */
const secondsAfter = 5;

/**
 * Compares what the same events cost the services, in turn: processor time and new parts. A load at full speed cannot
 * show this, because the faster service would get more events.
 */
export async function measureCost(services: readonly Service[]): Promise<void> {
  const costs = services.map((): Cost[] => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [i, service] of services.entries()) costs[i]?.push(await measureRound(service));
  }
  line(
    `\n${load.batchesPerSecond} batches a second of ${load.eventsPerBatch} events for ${load.seconds} s and ${secondsAfter} s after them; for each million events, medians of ${rounds} rounds`,
  );
  for (const [i, { name }] of services.entries()) line(`  ${name.padEnd(26)} ${describe(costs[i] ?? [])}`);
  const [first, second] = costs;
  if (first !== undefined && second !== undefined) line(`  ${describeRatios(first, second)}`);
}

async function measureRound(service: Service): Promise<Cost> {
  const { port, key, pageId, store } = service;
  await untilIdle();
  const [stored, before] = [await store.storedEvents(pageId), await readCounters(service)];
  const { requests, refused, p50Ms, p99Ms } = await measureLoad({ ...load, port, key });
  await sleep(secondsAfter * 1000);
  const after = await readCounters(service);
  const events = requests * load.eventsPerBatch;
  await store.untilStored(pageId, {
    acknowledged: stored + events,
    refused: refused * load.eventsPerBatch,
  });
  const perMillion = (counter: keyof Counters): number => ((after[counter] - before[counter]) / events) * 1e6;
  return {
    clickhouseSeconds: perMillion('clickhouseSeconds'),
    parts: perMillion('parts'),
    serviceSeconds: perMillion('serviceSeconds'),
    ...{ p50Ms, p99Ms },
  };
}

type Counters = Pick<Cost, 'clickhouseSeconds' | 'parts' | 'serviceSeconds'>;

/** The processor time of a ClickHouse that is not embedded is unknown: NaN. */
async function readCounters({ process: child, store }: Service): Promise<Counters> {
  return {
    clickhouseSeconds: store.pid === undefined ? Number.NaN : await processorSeconds(store.pid),
    parts: await store.insertedParts(),
    serviceSeconds: child.pid === undefined ? Number.NaN : await processorSeconds(child.pid),
  };
}

function describe(costs: readonly Cost[]): string {
  const middle = (field: keyof Cost, digits: number): string =>
    median(costs.map((cost) => cost[field])).toFixed(digits);
  return [
    `ClickHouse ${middle('clickhouseSeconds', 2)} s of a core`,
    `${middle('parts', 0)} new parts`,
    `service ${middle('serviceSeconds', 2)} s`,
    `p50 ${middle('p50Ms', 1)} ms`,
    `p99 ${middle('p99Ms', 1)} ms`,
  ].join('  ');
}

function describeRatios(first: readonly Cost[], second: readonly Cost[]): string {
  const ratio = (field: keyof Cost): string =>
    median(first.map((cost, round) => cost[field] / (second[round]?.[field] ?? Number.NaN))).toFixed(2);
  return `c/d   ClickHouse ${ratio('clickhouseSeconds')}   parts ${ratio('parts')}   service ${ratio('serviceSeconds')}`;
}
