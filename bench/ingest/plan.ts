import { parseArgs } from 'node:util';
import type { Bound } from '../support/goals.js';
import type { TargetId } from './targets.js';

/** Clients that send their next batch when an earlier one is answered. */
export type Case = {
  name: string;
  eventsPerBatch: number;
  connections: number;
  /** Batches in flight on each connection. */
  depth: number;
  /** How long one measurement takes. */
  seconds: number;
  /** Whether the servers that are only measured in few cases take part: a case with all of them takes 4 minutes. */
  hasAll?: boolean;
};

/** A log waits up to 5 s before an insert, so a measurement contains one, of five sixths of its events. */
const seconds = 6;

/** Case names give the events of a batch, the batches in flight on a connection, and the connections. */
export const saturating: Case = {
  ...{ name: '1,000 × 64 × 8', eventsPerBatch: 1000, depth: 64, connections: 8, seconds },
};
const steady: Case = {
  ...{ name: '1,000 × 1 × 8', eventsPerBatch: 1000, depth: 1, connections: 8, seconds },
  hasAll: true,
};
const many: Case = { name: '1,000 × 1 × 64', eventsPerBatch: 1000, depth: 1, connections: 64, seconds };
const small: Case = {
  ...{ name: '10 × 256 × 8', eventsPerBatch: 10, depth: 256, connections: 8, seconds },
  hasAll: true,
};
/** Its inserts are too small to show. */
const single: Case = { name: '10 × 1 × 1', eventsPerBatch: 10, depth: 1, connections: 1, seconds: 3 };
export const cases: readonly Case[] = [saturating, steady, many, small, single];

const parts = ['alone', 'peers', 'gzip', 'ids', 'cost'] as const;
export type Part = (typeof parts)[number];

/** Targets of the parts that measure the cases, and those of a case that has all. */
const targetsOf: Record<'peers' | 'gzip' | 'ids', { always: TargetId[]; ifAll: TargetId[] }> = {
  peers: { always: ['a', 'c', 'InfluxDB', 'VictoriaMetrics'], ifAll: ['b', 'd'] },
  gzip: {
    always: ['a', 'a gzip', 'c', 'c gzip'],
    ifAll: ['InfluxDB', 'InfluxDB gzip', 'VictoriaMetrics', 'VictoriaMetrics gzip'],
  },
  ids: { always: ['c', 'e'], ifAll: [] },
};

/** Targets of a case in these parts. A target in several parts is measured once. */
export function targetsIn(load: Case, only: ReadonlySet<Part>): ReadonlySet<TargetId> {
  const ids = (['peers', 'gzip', 'ids'] as const).flatMap((part) => {
    const { always, ifAll } = targetsOf[part];
    return only.has(part) ? [...always, ...(load.hasAll ? ifAll : [])] : [];
  });
  return new Set(ids);
}

/** A paced load of batches of 1,000; the seconds make a million events or more, or several inserts. */
export type CostLoad = { eventsPerSecond: number; seconds: number; targets: TargetId[] };
export const costLoads: readonly CostLoad[] = [
  { eventsPerSecond: 12_000, seconds: 20, targets: ['c'] },
  { eventsPerSecond: 100_000, seconds: 15, targets: ['c', 'd'] },
  { eventsPerSecond: 400_000, seconds: 12, targets: ['c'] },
];

/** A figure of one target, or its ratio to another one's of the same rounds. */
export type CaseGoal = {
  part: Exclude<Part, 'cost'>;
  load: Case;
  of: TargetId;
  to?: TargetId;
  figure: 'rate' | 'p50Ms' | 'p99Ms';
  bound: Bound;
};

export const caseGoals: readonly CaseGoal[] = [
  ...(['alone', 'peers'] as const).flatMap((part): CaseGoal[] => [
    { part, load: saturating, of: 'c', to: 'a', figure: 'rate', bound: { atLeast: 2 } },
    { part, load: saturating, of: 'c', to: 'a', figure: 'p99Ms', bound: { below: 1 } },
  ]),
  { part: 'peers', load: saturating, of: 'c', to: 'VictoriaMetrics', figure: 'rate', bound: { atLeast: 1 } },
  { part: 'peers', load: steady, of: 'c', to: 'a', figure: 'rate', bound: { atLeast: 1.5 } },
  { part: 'peers', load: many, of: 'c', to: 'a', figure: 'rate', bound: { atLeast: 1.5 } },
  { part: 'peers', load: small, of: 'c', to: 'a', figure: 'rate', bound: { atLeast: 0.8 } },
  { part: 'peers', load: single, of: 'c', figure: 'p50Ms', bound: { atMost: 0.5 } },
  { part: 'peers', load: single, of: 'c', figure: 'p99Ms', bound: { atMost: 3 } },
  ...cases.map((load): CaseGoal => {
    return { part: 'gzip', load, of: 'c gzip', to: 'c', figure: 'rate', bound: { atLeast: 0.7 } };
  }),
  // A single sender waits for a transaction of PostgreSQL that nobody shares.
  ...cases
    .filter((load) => load !== single)
    .map((load): CaseGoal => {
      return { part: 'ids', load, of: 'e', to: 'c', figure: 'rate', bound: { atLeast: 0.8 } };
    }),
];

/** Processor seconds of ClickHouse behind (c) for each million events, above what it takes while idle. */
export const costGoals: readonly { eventsPerSecond: number; bound: Bound }[] = [
  { eventsPerSecond: 100_000, bound: { atMost: 0.25 } },
  { eventsPerSecond: 400_000, bound: { atMost: 0.15 } },
];

/** Parses `--only PART,…`, `--rounds N` and `--cpu-prof`, which `startHeartline` reads. */
export function parsePlan(): { only: ReadonlySet<Part>; rounds: number } {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: parts.join(',') },
      rounds: { type: 'string', default: '3' },
      'cpu-prof': { type: 'boolean' },
    },
  });
  const names = values.only.split(',');
  const only = new Set(parts.filter((part) => names.includes(part)));
  const rounds = Number(values.rounds);
  if (only.size !== names.length || !(Number.isInteger(rounds) && rounds >= 1 && rounds <= 99)) {
    throw new Error(`--only takes some of ${parts.join(',')}; --rounds takes 1 to 99.`);
  }
  return { only, rounds };
}
