import { setTimeout as sleep } from 'node:timers/promises';
import { measureLoad } from '../support/load.js';
import { processorSeconds } from '../support/processor-time.js';
import type { Progress } from '../support/progress.js';
import { line, median } from '../support/report.js';
import { residentMb } from '../support/service-process.js';
import { untilIdle } from '../support/until-idle.js';
import type { CostLoad } from './plan.js';
import type { Service } from './targets.js';

/** One round of a paced load; costs are for each million events. Processor time is counted above that while idle. */
export type Cost = {
  clickhouseSeconds: number;
  parts: number;
  serviceSeconds: number;
  serviceMb: number;
  clickhouseMb: number;
  p50Ms: number;
  p99Ms: number;
  /** Accepted events, by the time until the last answer. */
  rate: number;
};

const eventsPerBatch = 1_000;
/** Count as well: a log holds the last events for up to 5 s, and merges follow. */
const secondsAfter = 9;
/** Before the rounds of a load, and after them: ClickHouse writes its own metrics every 7.5 s. */
const secondsIdle = 15;
/** Until the machine is idle. */
const secondsBetween = 2;
/** The share of the rate below which the machine did not keep up. */
const reachedShare = 0.95;

export function estimateCost({ seconds, targets }: CostLoad, rounds: number): number {
  return targets.length * (2 * secondsIdle + rounds * (seconds + secondsAfter + secondsBetween));
}

/**
 * Compares what the same events cost the services, in turn: processor time and new parts. A load at full speed cannot
 * show this, because the faster service would get more events.
 */
export async function measureCost(
  load: CostLoad,
  services: readonly Service[],
  { rounds, progress }: { rounds: number; progress: Progress },
): Promise<Cost[]> {
  const name = `${load.eventsPerSecond.toLocaleString('en')} events/s`;
  const before = new Map<Service, Idle>();
  for (const service of services) before.set(service, await measureIdle(service));
  const measured = services.map((): Round[] => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [i, service] of services.entries()) measured[i]?.push(await measureRound(load, service));
    progress.done(estimateCost(load, rounds) / rounds, `${name}, round ${round}`);
  }
  const idle = new Map<Service, Idle>();
  for (const service of services) idle.set(service, lower(before.get(service), await measureIdle(service)));
  const costs = services.map((service, i) =>
    (measured[i] ?? []).map((round) => costOf(round, idle.get(service))),
  );
  line(
    `\n${name} in batches of ${eventsPerBatch} for ${load.seconds} s, and ${secondsAfter} s after them; for each million events, medians of ${rounds} rounds`,
  );
  for (const [i, service] of services.entries())
    line(
      `  ${service.name.padEnd(26)} ${describe(costs[i] ?? [], load)}  ${describeIdle(idle.get(service))}`,
    );
  const [first = [], second] = costs;
  if (second !== undefined) line(`  ${describeRatios(first, second)}`);
  return first;
}

/** Whether the machine kept up with the load in most rounds. */
export function isReached(costs: readonly Cost[], { eventsPerSecond }: CostLoad): boolean {
  return median(costs.map(({ rate }) => rate)) >= reachedShare * eventsPerSecond;
}

/** Shares of a core. */
type Idle = Pick<Cost, 'clickhouseSeconds' | 'serviceSeconds'>;

/** Measures what ClickHouse and the service take without events, once the merges of earlier events are done. */
async function measureIdle(service: Service): Promise<Idle> {
  if (!(await service.store.untilMerged()))
    line(`${service.name}: ClickHouse still merges after 30 s; its idle time is too high`);
  await untilIdle();
  const [before, startedAt] = [await readCounters(service), performance.now()];
  await sleep(secondsIdle * 1000);
  const [after, seconds] = [await readCounters(service), (performance.now() - startedAt) / 1000];
  return {
    clickhouseSeconds: (after.clickhouseSeconds - before.clickhouseSeconds) / seconds,
    serviceSeconds: (after.serviceSeconds - before.serviceSeconds) / seconds,
  };
}

/** Picks the lower shares: what else a process does in the background only adds to them. */
function lower(first: Idle | undefined, second: Idle): Idle {
  if (first === undefined) return second;
  return {
    clickhouseSeconds: Math.min(first.clickhouseSeconds, second.clickhouseSeconds),
    serviceSeconds: Math.min(first.serviceSeconds, second.serviceSeconds),
  };
}

/** Figures of one round, idle time included. */
type Round = { used: Counters; seconds: number; events: number } & Omit<Cost, keyof Counters>;

async function measureRound(load: CostLoad, service: Service): Promise<Round> {
  const { port, key, pageId, store } = service;
  await untilIdle();
  const [stored, before] = [await store.storedEvents(pageId), await readCounters(service)];
  const startedAt = performance.now();
  const batchesPerSecond = load.eventsPerSecond / eventsPerBatch;
  const result = await measureLoad({ eventsPerBatch, batchesPerSecond, seconds: load.seconds, port, key });
  const events = result.requests * eventsPerBatch;
  const refused = result.refused * eventsPerBatch;
  const memory = await readMemory(service);
  await sleep(secondsAfter * 1000);
  await store.untilStored(pageId, { acknowledged: stored + events, refused });
  const after = await readCounters(service);
  const used = {
    clickhouseSeconds: after.clickhouseSeconds - before.clickhouseSeconds,
    parts: after.parts - before.parts,
    serviceSeconds: after.serviceSeconds - before.serviceSeconds,
  };
  return {
    ...{ used, events, seconds: (performance.now() - startedAt) / 1000 },
    ...memory,
    ...{ p50Ms: result.p50Ms, p99Ms: result.p99Ms, rate: events / result.seconds },
  };
}

function costOf({ used, events, seconds, ...rest }: Round, idle: Idle | undefined): Cost {
  const perMillion = (field: keyof Counters, idleShare = 0): number =>
    ((used[field] - idleShare * seconds) / events) * 1e6;
  return {
    ...rest,
    clickhouseSeconds: perMillion('clickhouseSeconds', idle?.clickhouseSeconds),
    parts: perMillion('parts'),
    serviceSeconds: perMillion('serviceSeconds', idle?.serviceSeconds),
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

async function readMemory({
  process: child,
  store,
}: Service): Promise<Pick<Cost, 'serviceMb' | 'clickhouseMb'>> {
  const read = async (pid: number | undefined): Promise<number> =>
    (pid === undefined ? undefined : await residentMb(pid)) ?? Number.NaN;
  return { serviceMb: await read(child.pid), clickhouseMb: await read(store.pid) };
}

function describe(costs: readonly Cost[], load: CostLoad): string {
  const middle = (field: keyof Cost, digits: number): string =>
    median(costs.map((cost) => cost[field])).toFixed(digits);
  const cells = [
    `ClickHouse ${middle('clickhouseSeconds', 3)} s of a core`,
    `${middle('parts', 1)} new parts`,
    `service ${middle('serviceSeconds', 2)} s`,
    `p50 ${middle('p50Ms', 1)} ms`,
    `p99 ${middle('p99Ms', 1)} ms`,
    `resident: service ${middle('serviceMb', 0)} MB, ClickHouse ${middle('clickhouseMb', 0)} MB`,
  ];
  if (!isReached(costs, load)) cells.push(`THE MACHINE REACHES ${middle('rate', 0)} events/s ONLY`);
  return cells.join('  ');
}

function describeIdle(idle: Idle | undefined): string {
  const percent = (share = Number.NaN): string => (share * 100).toFixed(1);
  return `idle, not counted: ClickHouse ${percent(idle?.clickhouseSeconds)} %, service ${percent(idle?.serviceSeconds)} % of a core`;
}

function describeRatios(first: readonly Cost[], second: readonly Cost[]): string {
  const ratio = (field: keyof Cost): string =>
    median(first.map((cost, round) => cost[field] / (second[round]?.[field] ?? Number.NaN))).toFixed(2);
  return `c/d   ClickHouse ${ratio('clickhouseSeconds')}   parts ${ratio('parts')}   service ${ratio('serviceSeconds')}`;
}
