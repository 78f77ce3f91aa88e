import { randomUUID } from 'node:crypto';
import { Outbox } from './outbox.js';
import { type AttachedPool, limits, type PoolEntry, type PoolSource, type Report } from './report.js';
import { ServerPools } from './server-pools.js';

export type PoolReporterOptions = {
  /** Address of Heartline, such as `https://heartline.example.com`. */
  url: string;
  /** Ingest key of the page. */
  key: string;
  /** Names of the running program, fixed for the life of the process. */
  service: string;
  environment: string;
  revision: string;
  pools: readonly PoolSource[];
  /** 40 to 100; 60 by default. */
  everySeconds?: number;
  /** Receives every error, after the current work. The reporter never throws or prints. */
  onError?: (error: Error) => void;
};

export type PoolReporter = {
  /** Sends the measurements since the last report, within three seconds, and restores the pools. */
  stop(): Promise<void>;
};

/**
 * Reports the pools from now on, about once a minute, until stop() or the end of the process, which it does not delay.
 * Never throws: wrong options go to onError, and nothing is reported.
 */
export function startPoolReporter(options: PoolReporterOptions): PoolReporter {
  let onError = (_error: Error): void => {};
  try {
    onError = quietly(options.onError);
    const base = options.url.replace(/\/+$/, '');
    const url = new URL(`${base}/api/v1/database-health/reports`);
    const reporter = new Reporter(options, new Outbox({ url, key: options.key, onError }), onError);
    return { stop: () => reporter.stop() };
  } catch (error) {
    onError(toError(error));
    return { stop: async () => {} };
  }
}

/** The service limits reports an hour and the longest interval; the jitter is a tenth. */
const everySecondsMin = 40;
const everySecondsMax = 100;
const jitter = 0.1;

class Reporter {
  /** A copy of the initial names: a session keeps the same ones. */
  readonly #identity: Pick<PoolReporterOptions, 'service' | 'environment' | 'revision'>;
  readonly #outbox: Outbox;
  readonly #onError: (error: Error) => void;
  #session = randomUUID();
  #startedAt = Date.now();
  /** Losses at the start of the session. */
  #lostBefore = { dropped: 0, failures: 0 };
  readonly #attached: AttachedPool[];
  #serverPools = new ServerPools();
  readonly #everyMs: number;
  #sequence = 0;
  /** End of the last interval. */
  #from = this.#startedAt;
  #timer: NodeJS.Timeout | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: PoolReporterOptions, outbox: Outbox, onError: (error: Error) => void) {
    const { service, environment, revision } = options;
    this.#identity = { service, environment, revision };
    this.#outbox = outbox;
    this.#onError = onError;
    const everySeconds = Math.min(Math.max(options.everySeconds ?? 60, everySecondsMin), everySecondsMax);
    this.#everyMs = 1000 * (Number.isNaN(everySeconds) ? 60 : everySeconds);
    this.#attached = options.pools.flatMap((source) => this.#try(() => [source.attach()]) ?? []);
    this.#schedule();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#timer);
    if (Date.now() !== this.#from) this.#try(() => this.#report());
    for (const pool of this.#attached) this.#try(() => pool.detach());
    await this.#outbox.close();
  }

  #schedule(): void {
    const delayMs = this.#everyMs * (1 - jitter + 2 * jitter * Math.random());
    this.#timer = setTimeout(() => {
      this.#try(() => this.#report());
      this.#schedule();
    }, delayMs);
    this.#timer.unref();
  }

  /** Ends the interval. */
  #report(): void {
    const [from, to] = [this.#from, Date.now()];
    const pools = this.#takePools();
    const sequence = this.#sequence;
    this.#sequence += 1;
    this.#from = Math.max(from, to);
    if (to > from && to - from <= limits.intervalMsMax) {
      this.#outbox.add(JSON.stringify(this.#write(sequence, from, to, pools)));
      return;
    }
    // The process slept, or its clock was set back: the counts belong to no interval that may be sent.
    if (to < from) this.#beginAnew(to);
    this.#outbox.dropped += 1;
    this.#onError(
      new Error('An interval was not reported, because it ended before it began or was too long.'),
    );
  }

  /** Starts another session, because further intervals would overlap those that this one has sent. */
  #beginAnew(now: number): void {
    this.#session = randomUUID();
    this.#startedAt = now;
    this.#from = now;
    this.#sequence = 0;
    this.#serverPools = new ServerPools();
    this.#lostBefore = { dropped: this.#outbox.dropped, failures: this.#outbox.failures };
  }

  #takePools(): PoolEntry[] {
    const taken = this.#attached.flatMap((pool) => this.#try(() => pool.take()) ?? []);
    const pools = this.#serverPools.admit(taken, performance.now());
    if (pools.length < taken.length) {
      this.#onError(
        new Error(
          `${taken.length - pools.length} pools were not reported: their names are taken, or they exceed ${limits.serverPoolsPerHour}.`,
        ),
      );
    }
    return pools;
  }

  #write(sequence: number, from: number, to: number, pools: PoolEntry[]): Report {
    return {
      version: 1,
      session: this.#session,
      sequence,
      ...this.#identity,
      startedAt: new Date(this.#startedAt).toISOString(),
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      pools,
      exporter: {
        dropped: this.#outbox.dropped - this.#lostBefore.dropped,
        failures: this.#outbox.failures - this.#lostBefore.failures,
      },
    };
  }

  #try<Result>(act: () => Result): Result | undefined {
    try {
      return act();
    } catch (error) {
      this.#onError(toError(error));
      return undefined;
    }
  }
}

/** Calls onError outside of the reporter's work, so that it may call stop(), and swallows what it throws or rejects with. */
function quietly(onError: ((error: Error) => unknown) | undefined): (error: Error) => void {
  return (error) => {
    Promise.resolve(error)
      .then(onError)
      .catch(() => {}); // Errors of the host's callback must not disturb the host.
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
