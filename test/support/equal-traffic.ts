import { seeded } from '../../bench/support/batches.js';
import { secondMs } from '../../lib/times.js';

/** A request as a server saw it. `phase` is the interval in which it ended. */
export type Served = {
  service: string;
  endpoint: string;
  method: string;
  status: number;
  /** With three decimals. */
  ms: number;
  endMs: number;
  phase: number;
};

/** Requests that a histogram counts together. */
export type Series = Pick<Served, 'service' | 'endpoint' | 'method' | 'status'> & { served: Served[] };

/** Requests end in four intervals; the servers restart before the last. */
export const phases = [0, 1, 2, 3] as const;
const restartPhase = 3;
export const phaseMs = 20 * secondMs;

/** The interval in which the process began that serves in this one. */
export const beganIn = (phase: number): number => (phase < restartPhase ? 0 : restartPhase);

/** Response times of an endpoint are around its own: from less than a millisecond to more than ten seconds. */
const endpoints = [
  { service: 'shop', endpoint: '/carts/:id', method: 'GET', usualMs: 3 },
  { service: 'shop', endpoint: '/carts/:id', method: 'PUT', usualMs: 40 },
  { service: 'shop', endpoint: '/orders', method: 'POST', usualMs: 180 },
  { service: 'search', endpoint: '/find', method: 'GET', usualMs: 700 },
  { service: 'search', endpoint: '/suggest', method: 'GET', usualMs: 0.8 },
  { service: 'reports', endpoint: '/', method: 'GET', usualMs: 60 },
  { service: 'reports', endpoint: '/exports/:year', method: 'DELETE', usualMs: 1_900 },
] as const;
const statuses = [200, 200, 200, 200, 200, 201, 304, 404, 422, 499, 500, 503] as const;
/** More requests of a series end before the restart than after it: nothing else tells it to who reads a counter alone. */
const phasesOfSeries = [1, 0, 2, 1, 3] as const;

/** Returns the same requests for each seed; the first interval begins at `startMs`. */
export function makeTraffic(seed: number, startMs: number, length: number): Served[] {
  const random = seeded(seed);
  const pick = <One>(list: readonly One[]): One => list[Math.floor(random() * list.length)] as One;
  const counts = new Map<string, number>();
  return Array.from({ length }, () => {
    const { usualMs, ...named } = pick(endpoints);
    const status = pick(statuses);
    const name = nameOfSeries({ ...named, status });
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    const phase = phasesOfSeries[count % phasesOfSeries.length] ?? 0;
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const ms = Math.round(usualMs * Math.exp(normal) * 1_000) / 1_000;
    const endMs = Math.floor(startMs + (phase + random()) * phaseMs);
    return { ...named, status, ms, endMs, phase };
  });
}

const nameOfSeries = ({ service, endpoint, method, status }: Omit<Series, 'served'>): string =>
  `${service} ${endpoint} ${method} ${status}`;

/** Groups by a name, in the order of the names. */
export function groupBy<One>(list: readonly One[], nameOf: (one: One) => string): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of list) {
    const group = groups.get(nameOf(one)) ?? [];
    groups.set(nameOf(one), group);
    group.push(one);
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function seriesOf(traffic: readonly Served[]): Series[] {
  return [...groupBy(traffic, nameOfSeries).values()].map((served) => {
    const [{ service, endpoint, method, status }] = served as [Served];
    return { service, endpoint, method, status, served };
  });
}

/** Where the buckets of HTTP end in the SDKs, in seconds. */
export const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The buckets of a data point: explicit ones, or exponential ones of a scale. */
export type Form = 'explicit' | number;
type Bucket = { index: number; fromMs: number; toMs: number };

/** Returns the bucket of a response time; the last of the explicit ones has no end. */
export function bucketOf(form: Form, ms: number): Bucket {
  if (form === 'explicit') {
    const found = bounds.findIndex((bound) => ms / 1_000 <= bound);
    const index = found === -1 ? bounds.length : found;
    const toMs = (bounds[index] ?? Number.POSITIVE_INFINITY) * 1_000;
    return { index, fromMs: (bounds[index - 1] ?? 0) * 1_000, toMs };
  }
  const perBucket = 2 ** -form;
  const index = Math.ceil(Math.log2(ms / 1_000) / perBucket) - 1;
  return { index, fromMs: 2 ** (index * perBucket) * 1_000, toMs: 2 ** ((index + 1) * perBucket) * 1_000 };
}
