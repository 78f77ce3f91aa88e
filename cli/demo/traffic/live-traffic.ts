import type { Reporter } from '../../../contract/events.js';
import { secondMs } from '../../../lib/times.js';
import { loadAt } from '../noise.js';
import type { Times } from '../plot.js';
import { type Behaviour, behaviourOf, fillMessage } from './behaviour.js';
import type { Endpoint } from './endpoints.js';
import { releaseAt, releaseEnvironment } from './releases.js';
import { callIsDue, type DemoSource, isCalling, sources } from './sources.js';

/** A source that calls less often is late, and stays so when the demo begins. */
const firstSecondsMax = 60;

/** An event as clients post it. */
type TrafficEvent = {
  service?: string;
  endpoint: string;
  method: string;
  status: number;
  ms: number;
  message?: string;
  errorType?: string;
  stack?: string;
  traceId?: string;
  spanId?: string;
};

export type TrafficBatch = {
  path: string;
  body: { reporter?: Reporter; version?: string; environment?: string; events: TrafficEvent[] };
};

type Round = Times & {
  /** Time of the round, in milliseconds since the epoch. */
  now: number;
  /** Time since the round before. */
  seconds: number;
  /** The first round: every source calls that is neither silent nor late. */
  isFirst: boolean;
  /** Like Math.random. */
  random: () => number;
};

/**
 * Makes what the services of the demo report in one round: one batch for all services without a version with the events
 * since the last round, one for each service with a version, and one for each reporter whose call is due, with the events
 * since its last call.
 */
export function makeTraffic(round: Round): TrafficBatch[] {
  const { now, seconds, isFirst } = round;
  const calling = sources.filter((source) => isCalling(source, now, round));
  const ofServices: TrafficEvent[] = [];
  const ofVersions: TrafficBatch[] = [];
  for (const source of calling) {
    const { service } = source;
    if (service === undefined) continue;
    const events = makeEvents(source, seconds, round).map((event) => ({ service, ...event }));
    const release = releaseAt(service, now, round);
    if (release === undefined) {
      ofServices.push(...events);
      continue;
    }
    const { version } = release;
    ofVersions.push({ path: '/api/v1/events', body: { version, environment: releaseEnvironment, events } });
  }
  const due = (source: DemoSource) =>
    (isFirst && source.callEverySeconds < firstSecondsMax) ||
    callIsDue(source, now - seconds * secondMs, now);
  const ofReporters = calling.flatMap((source): TrafficBatch[] => {
    const { reporter, callEverySeconds } = source;
    if (reporter === undefined || !due(source)) return [];
    const events = makeEvents(source, isFirst ? seconds : callEverySeconds, round);
    return [{ path: '/api/v2/events', body: { reporter, events } }];
  });
  if (ofServices.length > 0) ofVersions.unshift({ path: '/api/v1/events', body: { events: ofServices } });
  return [...ofVersions, ...ofReporters];
}

function makeEvents(
  { endpoints, perSecond }: DemoSource,
  seconds: number,
  { now, random, ...times }: Round,
): TrafficEvent[] {
  const expected = perSecond * seconds * loadAt(now) * (0.8 + 0.4 * random());
  // Rounds at random, so that a source with less than one request a round has some.
  const count = Math.floor(expected + random());
  return Array.from({ length: count }, () => {
    const endpoint = pick(endpoints, random());
    return makeEvent(endpoint, behaviourOf(endpoint, now, times), random);
  });
}

function makeEvent(endpoint: Endpoint, behaviour: Behaviour, random: () => number): TrafficEvent {
  const { method, status, usualMs } = endpoint;
  // Log-normal, as response times are: half of them within a third of the usual time, a few many times that.
  const ms = Math.round(usualMs * behaviour.slowness * Math.exp(0.5 * normal(random)) * 10) / 10;
  const event = { method, endpoint: endpoint.endpoint, ms, status };
  if (random() >= behaviour.failing) return event;
  const failure = behaviour.failures[Math.floor(behaviour.failures.length * random())];
  if (failure === undefined) return event;
  const message = fillMessage(failure.message, Math.floor(1e6 * random()), 1);
  const failed = { ...event, status: failure.status, message };
  return failure.status < 500 ? failed : { ...failed, ...sampleOf(failed, random) };
}

const errorTypes: Readonly<Record<number, string>> = {
  ...{ 500: 'DeadlockError', 502: 'ConnectionResetError', 503: 'PoolTimeoutError', 504: 'TimeoutError' },
};

/** The account that a tracing library gives of a failure. */
function sampleOf({ status, endpoint, message }: TrafficEvent & { message: string }, random: () => number) {
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(16 * random()).toString(16)).join('');
  const errorType = errorTypes[status] ?? 'Error';
  const file = `src/routes${endpoint.replaceAll(/\/:\w+/g, '')}.ts`;
  const stack = `${errorType}: ${message}\n    at handle (${file}:48:13)\n    at dispatch (src/router.ts:112:9)`;
  return { errorType, stack, traceId: hex(32), spanId: hex(16) };
}

function pick(endpoints: readonly Endpoint[], at: number): Endpoint {
  let rest = at;
  const found = endpoints.find(({ share }) => {
    rest -= share;
    return rest < 0;
  });
  const picked = found ?? endpoints[0];
  if (picked === undefined) throw new Error('A source of the demo has no endpoints.');
  return picked;
}

/** Returns a number that is distributed normally around 0, with a standard deviation of 1 (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
