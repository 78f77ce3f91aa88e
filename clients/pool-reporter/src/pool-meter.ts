import { harmlessly } from './hooks.js';
import { leaveOut } from './leave-out.js';
import type { Measurement, PoolFigures } from './report.js';

/** Upper bounds of all buckets but the last, in milliseconds; a duration on a bound belongs to the bucket that ends there. */
const boundsMs = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];

export type Gauges = {
  /** Connections that can be used, checked out or idle. */
  open: number;
  /** Checked out. */
  busy: number;
  /** The most callers that can be waiting, where the driver does not tell when one stops waiting. */
  waitingMax?: number;
};

/**
 * What cannot be told of a pool that was in use before the meter came.
 *
 * @param waiting the callers that the meter knows to wait.
 */
export type Unknown = (waiting: number) => readonly Measurement[];

/**
 * Counts what happens to one pool, interval by interval. What is not known at first is left out until it is; from then on
 * it stays known.
 *
 * A caller waits when it has not got its connection in the turn of the event loop in which it asked for it: an idle
 * connection is handed over within that turn, and else every pool in use would have a peak of at least one.
 */
export class PoolMeter {
  readonly #gauges: () => Gauges;
  readonly #askUnknown: Unknown;
  #unknown: readonly Measurement[];
  #counts = emptyCounts();
  #sumMs = 0;
  #failures = 0;
  #created = 0;
  #closed = 0;
  #waiting = 0;
  #peaks = { open: 0, busy: 0, waiting: 0 };
  #sampling = false;

  constructor(gauges: () => Gauges, unknown: Unknown) {
    this.#gauges = gauges;
    this.#askUnknown = unknown;
    this.#unknown = unknown(0);
    this.observe();
  }

  /** A caller asks for a connection. The function that it returns is for the end of that; only its first call counts. */
  begin(): (failed: boolean) => void {
    const startedAt = performance.now();
    this.started();
    let ended = false;
    return (failed) => {
      if (ended) return;
      ended = true;
      if (failed) this.failed();
      else this.acquired(performance.now() - startedAt);
    };
  }

  started(): void {
    this.#waiting += 1;
    if (this.#sampling) return;
    this.#sampling = true;
    setImmediate(() => harmlessly(() => this.#sampleWaiting())).unref();
  }

  acquired(durationMs: number): void {
    this.#waiting = Math.max(0, this.#waiting - 1);
    const at = boundsMs.findIndex((bound) => durationMs <= bound);
    const bucket = at === -1 ? boundsMs.length : at;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sumMs += durationMs;
  }

  failed(): void {
    this.#waiting = Math.max(0, this.#waiting - 1);
    this.#failures += 1;
  }

  created(): void {
    this.#created += 1;
  }

  closed(): void {
    this.#closed += 1;
  }

  /** Nobody waits any more: the pool is gone. */
  forgetWaiting(): void {
    this.#waiting = 0;
  }

  /** To be called whenever there may be more open or busy connections than before. */
  observe(): void {
    const { open, busy } = this.#gauges();
    this.#peaks.open = Math.max(this.#peaks.open, open);
    this.#peaks.busy = Math.max(this.#peaks.busy, busy);
  }

  /** The figures since the last call; the next interval begins with what there is now. */
  take(): PoolFigures {
    this.#sampleWaiting();
    this.observe();
    const { open, busy } = this.#gauges();
    const waiting = this.#waiting;
    const figures = {
      snapshot: { open, busy, idle: open - busy, waiting },
      peaks: this.#peaks,
      acquisition: { counts: this.#counts, sumMs: Math.round(this.#sumMs * 1000) / 1000 },
      failures: this.#failures,
      created: this.#created,
      closed: this.#closed,
    };
    const unknownBefore = this.#unknown;
    const unknownNow = this.#askUnknown(waiting);
    this.#unknown = unknownBefore.filter((name) => unknownNow.includes(name));
    this.#peaks = { open, busy, waiting };
    this.#counts = emptyCounts();
    this.#sumMs = 0;
    this.#failures = 0;
    this.#created = 0;
    this.#closed = 0;
    return leaveOut(figures, unknownBefore, this.#unknown);
  }

  /** Only between two turns of the event loop: within one, a connection that is idle may be about to be handed over. */
  #sampleWaiting(): void {
    this.#sampling = false;
    const { waitingMax } = this.#gauges();
    if (waitingMax !== undefined) this.#waiting = Math.min(this.#waiting, waitingMax);
    this.#peaks.waiting = Math.max(this.#peaks.waiting, this.#waiting);
  }
}

function emptyCounts(): number[] {
  return Array.from({ length: boundsMs.length + 1 }, () => 0);
}
