import type { Envelope } from './batch.js';
import { Counts, type ReporterStats } from './counts.js';
import { limits, type ReporterIdentity, type RequestEvent } from './event.js';
import { Notices } from './notices.js';
import { Outbox } from './outbox.js';
import { Ring } from './ring.js';
import { Names } from './templates.js';

export type ReporterOptions = {
  /** Address of Heartline, such as `https://heartline.example.com`. */
  url: string;
  /** Ingest key of the page. */
  key: string;
  /** Version of the service, such as `2.4.1` or the hash of a commit: its requests count apart by version. */
  version?: string | undefined;
  /** Environment of the version, such as `production`. */
  environment?: string | undefined;
  /** Receives each kind of problem once until it is over. Without it, the reporter prints a warning. */
  onError?: (error: Error) => void;
} & (
  | {
      /** Names this process, for v2 of the API. */
      reporter: ReporterIdentity;
      /** The same as `service` of the reporter. */
      service?: string;
    }
  | { /** Names the service that this process is a part of, for v1 of the API. */ service: string }
);

export type Reporter = {
  /** Counts a request. Never throws and never waits. */
  record(event: RequestEvent): void;
  /** Sends at once what was recorded; resolves when nothing waits any more, or an attempt has failed. */
  flush(): Promise<void>;
  /** Sends what was recorded and says goodbye, within 3 s. What comes afterwards is counted as dropped. */
  stop(): Promise<void>;
  stats(): ReporterStats;
};

const ringEvents = 10_000;
const heartbeatsPerExpected = 2;
/** The largest time of a Date. */
const timeMsMax = 8.64e15;

/**
 * Reports requests from now on, every two seconds, until stop() or the end of the process, which it does not delay.
 * Never throws: wrong options go to onError, and everything is counted as dropped.
 */
export function createReporter(options: ReporterOptions): Reporter {
  const notices = new Notices(options?.onError);
  const counts = new Counts();
  const ring = new Ring(ringEvents);
  const taking = { ring, counts, notices, names: new Names() };
  let outbox: Outbox | undefined = openOutbox(options, { ring, counts, notices });
  let stopped: Promise<void> | undefined;

  function record(event: RequestEvent): void {
    counts.recorded += 1;
    if (outbox === undefined) {
      counts.dropped.stopped += 1;
      return;
    }
    take(event, taking);
    outbox.noteEvent();
  }

  return {
    record,
    async flush() {
      await outbox?.flush();
    },
    stop() {
      const open = outbox;
      outbox = undefined;
      stopped ??= open === undefined ? Promise.resolve() : open.close();
      return stopped;
    },
    stats: () => counts.stats(),
  };
}

type Shared = { ring: Ring; counts: Counts; notices: Notices };
type Taking = Shared & { names: Names };

/** Returns `undefined` for wrong options, which nothing can be sent with. */
function openOutbox(options: ReporterOptions, shared: Shared): Outbox | undefined {
  try {
    const { path, envelope, heartbeatMs } = readIdentity(options);
    const url = new URL(`${options.url.replace(/\/+$/, '')}${path}`);
    if (!/^https?:$/.test(url.protocol)) throw new Error('The url must begin with https:// or http://.');
    if (typeof options.key !== 'string' || !/^[\x21-\x7e]+$/.test(options.key))
      throw new Error('The key must be an ingest key of the page.');
    return new Outbox({ target: { url, key: options.key }, envelope, heartbeatMs, ...shared });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    shared.notices.tell('options', `Nothing is reported, because an option is wrong: ${problem}`);
    return undefined;
  }
}

function readIdentity(options: ReporterOptions): {
  path: string;
  envelope: Envelope;
  heartbeatMs: number | undefined;
} {
  const identity = 'reporter' in options ? options.reporter : undefined;
  const service = identity?.service ?? options.service;
  const { version, environment } = options;
  for (const [name, text] of Object.entries({ service, version, environment }))
    if (text !== undefined && typeof text !== 'string') throw new Error(`The ${name} must be a text.`);
  if (identity === undefined) {
    if (service === undefined) throw new Error('The options need a reporter or a service.');
    return { path: '/api/v1/events', envelope: { service, version, environment }, heartbeatMs: undefined };
  }
  const { reporterId, englishName, region, team, expectedEverySeconds } = identity;
  if (!reporterId || !englishName) throw new Error('The reporter needs a reporterId and an englishName.');
  const said = { reporterId, englishName, region, team, service, version, environment };
  const reporter = { ...said, expectedEverySeconds };
  const expectedMs = expectedEverySeconds === undefined ? undefined : expectedEverySeconds * 1000;
  return {
    path: '/api/v2/events',
    envelope: { reporter },
    heartbeatMs: expectedMs && expectedMs / heartbeatsPerExpected,
  };
}

const isDuration = (ms: unknown): ms is number =>
  typeof ms === 'number' && ms >= 0 && ms < Number.POSITIVE_INFINITY;
const isTime = (at: unknown): boolean => typeof at === 'number' && at >= 0 && at <= timeMsMax;

/** Counts what is no event as invalid, and tells the host why. A response time that is none is left out. */
function take(event: RequestEvent, { ring, names, counts, notices }: Taking): void {
  try {
    const { status, ms, message, at = Date.now() } = event;
    const endpoint = names.template(event.endpoint);
    const method = names.method(event.method ?? 'GET');
    const isStatus = Number.isInteger(status) && status >= limits.statusMin && status <= limits.statusMax;
    if (endpoint !== undefined && method !== undefined && isStatus && isTime(at)) {
      const text =
        typeof message === 'string' && message !== '' ? message.slice(0, limits.messageChars) : undefined;
      if (ring.push(endpoint, method, status, at, isDuration(ms) ? ms : Number.NaN, text))
        counts.dropped.overflow += 1;
      return;
    }
    const field =
      endpoint === undefined ? 'endpoint' : method === undefined ? 'method' : isStatus ? 'at' : 'status';
    notices.tellForGood(field, `An event is dropped, and so are others like it: ${faults[field]}.`);
  } catch {
    notices.tellForGood('unreadable', 'An event is dropped, and so are others like it: reading it fails.');
  }
  counts.dropped.invalid += 1;
}

/** The values themselves may be secret. */
const faults = {
  endpoint: 'endpoint must be the template of a route, such as /carts/:id',
  method: 'method must be one of HTTP, such as GET, and a process has at most 50',
  status: `status must be a whole number from ${limits.statusMin} to ${limits.statusMax}`,
  at: 'at must be a time in milliseconds since 1970-01-01',
};
