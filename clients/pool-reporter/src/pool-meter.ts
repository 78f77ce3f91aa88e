import { harmlessly } from './hooks.js';
import { leaveOut } from './leave-out.js';
import type { Measurement, PoolFigures } from './report.js';

/** Upper bounds, inclusive, of all buckets except the last, in milliseconds. */
const boundsMs = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];

export type Gauges = {
  /** Usable connections, checked out or idle. */
  open: number;
  /** Checked out. */
  busy: number;
  /** Upper bound of waiting callers, for drivers that do not report when a caller stops waiting. */
  waitingMax?: number;
};

/**
 * Values that are unknown for a pool that was in use before the meter started.
 *
 * @param waiting callers that the meter knows to be waiting.
 */
export type Unknown = (waiting: number) => readonly Measurement[];

/**
 * Counts the events of one pool, interval by interval. A value that is unknown at first is omitted until it is known;
 * from then on it stays known.
 *
 * A caller counts as waiting if it did not get its connection within the turn of the event loop in which it asked. An
 * idle connection is handed over within that turn; otherwise every pool in use would have a peak of at least one.
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

  /** A caller asks for a connection. Call the returned function at the end of the wait; only its first call counts. */
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

  /** No caller waits any more, because the pool has closed. */
  forgetWaiting(): void {
    this.#waiting = 0;
  }

  /** Call this whenever the number of open or busy connections may have grown. */
  observe(): void {
    const { open, busy } = this.#gauges();
    this.#peaks.open = Math.max(this.#peaks.open, open);
    this.#peaks.busy = Math.max(this.#peaks.busy, busy);
  }

  /** Returns the figures since the previous call; the next interval begins with the current values. */
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

  /** Counts waiting callers between two turns of the event loop: within one, an idle connection may be about to be handed over. */
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
