import { type Attempt, type Outcome, post } from './post.js';

export type OutboxOptions = {
  url: URL;
  key: string;
  onError: (error: Error) => void;
};

const timeoutMs = 3_000;
const reportsMax = 4;
/** Delays before the second and the third (last) attempt, give or take a half, long enough for the service to restart. */
const pausesMs = [5_000, 30_000];
/** Longest delay, whatever Retry-After says: the service would accept none of the waiting reports after that. */
const retryAfterMsMax = 15 * 60_000;

type Waiting = { body: string };

/**
 * Sends reports one after the other, the same bytes at each attempt. At most four reports wait, including the one in
 * flight; a fifth one drops the oldest.
 */
export class Outbox {
  /** Reports given up. */
  dropped = 0;
  /** Attempts that failed. */
  failures = 0;
  readonly #options: OutboxOptions;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #attempt: Attempt | undefined;
  #skipPause: (() => void) | undefined;
  /** Earliest time of the next attempt, by the monotonic performance.now(), if the service sent Retry-After. */
  #notBefore = 0;
  #closing = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  add(body: string): void {
    if (this.#waiting.length === reportsMax) {
      this.#waiting.shift();
      this.dropped += 1;
      this.#attempt?.abort();
      this.#skipPause?.();
    }
    this.#waiting.push({ body });
    this.#running ??= this.#run();
  }

  /** Sends the waiting reports without delays and keeps the process alive meanwhile; stops after the time of one attempt. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#skipPause?.();
    this.#attempt?.hold();
    const timer = setTimeout(() => {
      this.#waiting = [];
      this.#attempt?.abort();
    }, timeoutMs);
    await this.#running;
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    for (let report = this.#waiting[0]; report !== undefined; report = this.#waiting[0]) {
      const taken = await this.#deliver(report);
      if (this.#isGivenUp(report)) continue;
      this.#waiting.shift();
      if (!taken) this.dropped += 1;
    }
    this.#running = undefined;
  }

  /** Whether the service accepted the report. */
  async #deliver(report: Waiting): Promise<boolean> {
    let pauseMs: number | undefined = 0;
    for (let attempt = 0; pauseMs !== undefined; attempt += 1) {
      const waitMs = this.#notBefore - performance.now();
      await this.#pause(Math.max(pauseMs, waitMs));
      // A delay that was not cut short is over, although the timer may fire a millisecond early.
      if (this.#isGivenUp(report) || (this.#closing && performance.now() < this.#notBefore)) return false;
      const outcome = await this.#send(report);
      if (outcome.taken) return true;
      this.#note(outcome);
      if (this.#isGivenUp(report) || this.#closing || !outcome.mayRetry) return false;
      const meanMs = pausesMs[attempt];
      pauseMs = meanMs && meanMs * (0.5 + Math.random());
    }
    return false;
  }

  #isGivenUp(report: Waiting): boolean {
    return this.#waiting[0] !== report;
  }

  #send({ body }: Waiting): Promise<Outcome> {
    const { url, key } = this.#options;
    this.#attempt = post(url, key, body, timeoutMs);
    if (this.#closing) this.#attempt.hold();
    return this.#attempt.outcome.finally(() => {
      this.#attempt = undefined;
    });
  }

  #note({ problem, retryAfterMs }: Outcome & { taken: false }): void {
    this.failures += 1;
    if (retryAfterMs !== undefined) {
      this.#notBefore = performance.now() + Math.min(retryAfterMs, retryAfterMsMax);
    }
    this.#options.onError(new Error(`The pool report was not taken: ${problem}.`));
  }

  /** Ends early when a report is dropped or the outbox closes. Does not keep the process alive. */
  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#closing) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#skipPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#skipPause = undefined;
  }
}
