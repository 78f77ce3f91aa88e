import { createPost } from '#post';
import { type Batch, type Envelope, eventsMax, takeBatch, writeGoodbye } from './batch.js';
import type { Counts } from './counts.js';
import type { Notices } from './notices.js';
import { type Attempt, judge, type Post, type Target, type Verdict } from './post/outcome.js';
import type { Ring } from './ring.js';

type OutboxOptions = {
  target: Target;
  envelope: Envelope;
  /** An empty batch is sent when nothing else was for this long; never when absent. */
  heartbeatMs: number | undefined;
  ring: Ring;
  counts: Counts;
  notices: Notices;
};

/** `left` events must leave before it is over. */
type Flush = { left: number; resolve: () => void };

const batchEveryMs = 2_000;
const timeoutMs = 10_000;
/** Heartline takes events of v2 that are ten minutes old; a minute is for clocks that differ and for the way. */
const ageMsMax = 9 * 60_000;
/** Within the 15 minutes in which an id is known, whatever Retry-After says. */
const pauseMsMax = 5 * 60_000;
const backOff = { firstMs: 1_000, maxMs: 30_000 };
const stopMsMax = 2_800;

/** Sends what waits in the ring, one batch after another, each until it is accepted, refused or too old. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #post: Post;
  /** The loop that sends; `undefined` while nothing is to be sent. */
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #attempt: Attempt | undefined;
  #endPause: (() => void) | undefined;
  #failures = 0;
  /** Events of the batch that is being delivered. */
  #inDelivery = 0;
  #flushes: Flush[] = [];
  #isClosing = false;
  #isOver = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#post = createPost(options.target);
    this.#awaitHeartbeat(0);
  }

  /** Call after each event. Nothing happens while a batch is on its way or waits for its next attempt. */
  noteEvent(): void {
    if (this.#running !== undefined) return;
    if (this.#options.ring.length >= eventsMax) this.#start(0);
    else if (this.#timer === undefined) this.#start(batchEveryMs);
  }

  /** Sends at once, and keeps the process alive until what waits now has left, or an attempt has failed. */
  flush(): Promise<void> {
    const left = this.#options.ring.length + this.#inDelivery;
    if (left === 0) return Promise.resolve();
    const alive = setInterval(() => {}, timeoutMs);
    return new Promise<void>((resolve) => {
      this.#flushes.push({ left, resolve });
      if (this.#running === undefined) this.#start(0);
      else this.#endPause?.();
    }).finally(() => clearInterval(alive));
  }

  /** Sends what waits, with one more attempt for each batch, and says goodbye; keeps the process alive meanwhile, for 2.8 s at most. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#heartbeat);
    clearTimeout(this.#timer);
    const deadline = setTimeout(() => this.#giveUp(), stopMsMax);
    this.#endPause?.();
    this.#running ??= this.#run();
    await this.#running;
    const goodbye = writeGoodbye(this.#options.envelope);
    if (goodbye !== undefined) await this.#send(goodbye);
    clearTimeout(deadline);
    this.#giveUp();
    this.#post.close();
  }

  #giveUp(): void {
    const { ring, counts } = this.#options;
    this.#isOver = true;
    this.#attempt?.abort();
    this.#endPause?.();
    while (ring.shift()) counts.dropped.stopped += 1;
  }

  #start(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running ??= this.#run();
    }, delayMs);
    this.#timer.unref?.(); // A number where there is no Node.js.
  }

  /** Sends one batch, then full ones; on a flush and at the end all there is. */
  async #run(): Promise<void> {
    const { ring, envelope } = this.#options;
    do {
      this.#dropOld();
      if (ring.length === 0) break;
      const batch = takeBatch(ring, envelope);
      this.#inDelivery = batch.events;
      await this.#deliver(batch);
      this.#inDelivery = 0;
      this.#noteLeft(batch.events);
    } while (ring.length >= eventsMax || this.#flushes.length > 0 || this.#isClosing);
    this.#running = undefined;
    this.#endFlushes();
    if (ring.length > 0 && !this.#isClosing) this.#start(batchEveryMs);
  }

  #dropOld(): void {
    const { ring, counts } = this.#options;
    const oldest = Date.now() - ageMsMax;
    while ((ring.oldestAt ?? oldest) < oldest) {
      ring.shift();
      counts.dropped.tooOld += 1;
    }
  }

  /** Sends the same bytes until they are taken or refused. */
  async #deliver(batch: Batch): Promise<void> {
    const { counts } = this.#options;
    let mayBeStored = false;
    for (;;) {
      const isLast = this.#isClosing;
      const verdict = await this.#send(batch.body);
      this.#note(verdict);
      if (verdict.kind === 'accepted') {
        counts.sent += Math.min(verdict.accepted, batch.events);
        counts.dropped.refused += batch.events - Math.min(verdict.accepted, batch.events);
        return;
      }
      if ('mayBeStored' in verdict) mayBeStored ||= verdict.mayBeStored;
      const isFinal = verdict.kind === 'refused';
      if (!isFinal && !isLast) await this.#pause(this.#pauseMsAfter(verdict));
      const isOld = Date.now() - batch.oldestAt > ageMsMax;
      if (!isFinal && !isLast && !isOld) continue;
      if (mayBeStored) counts.uncertain += batch.events;
      else counts.dropped[isFinal ? 'refused' : isOld ? 'tooOld' : 'stopped'] += batch.events;
      return;
    }
  }

  async #send(body: string): Promise<Verdict> {
    this.#awaitHeartbeat();
    if (this.#isOver)
      return { kind: 'failed', problem: 'stopped', mayBeStored: false, retryAfterMs: undefined };
    this.#attempt = this.#post.send(body, timeoutMs);
    const outcome = await this.#attempt.outcome;
    this.#attempt = undefined;
    return judge(outcome);
  }

  #note(verdict: Verdict): void {
    const { notices } = this.#options;
    if (verdict.kind === 'accepted') {
      this.#failures = 0;
      const { rejected, reason } = verdict;
      const why = reason === undefined ? '.' : `: ${reason}`;
      if (rejected > 0) notices.tell('rejected', `Heartline rejected ${rejected} events of a batch${why}`);
      else notices.forget();
      return;
    }
    this.#failures += 1;
    const { kind, problem } = verdict;
    const endings = {
      refused: 'The batch is dropped.',
      unauthorised: `Events wait; the next attempt is in ${pauseMsMax / 60_000} minutes.`,
      failed: 'Events wait, and are sent again.',
    };
    if (!this.#isOver) notices.tell(kind, `A batch was not accepted: ${problem}. ${endings[kind]}`);
  }

  #pauseMsAfter(verdict: Verdict): number {
    if (verdict.kind === 'unauthorised') return pauseMsMax;
    const pauseMs = Math.min(backOff.firstMs * 2 ** (this.#failures - 1), backOff.maxMs);
    const askedMs = verdict.kind === 'failed' ? (verdict.retryAfterMs ?? 0) : 0;
    return Math.min(Math.max(pauseMs * (0.5 + Math.random()), askedMs), pauseMsMax);
  }

  /** Ends early when the outbox closes, or at a flush. */
  async #pause(ms: number): Promise<void> {
    this.#endFlushes();
    if (this.#isClosing) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref?.();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endPause = undefined;
  }

  #noteLeft(events: number): void {
    for (const flush of this.#flushes) flush.left -= events;
    const isOver = ({ left }: Flush): boolean => left <= 0;
    for (const { resolve } of this.#flushes.filter(isOver)) resolve();
    this.#flushes = this.#flushes.filter((flush) => !isOver(flush));
  }

  #endFlushes(): void {
    for (const { resolve } of this.#flushes.splice(0)) resolve();
  }

  /** Counts from the last batch. A heartbeat that fails is not repeated: the next one follows. */
  #awaitHeartbeat(delayMs: number | undefined = this.#options.heartbeatMs): void {
    clearTimeout(this.#heartbeat);
    if (this.#options.heartbeatMs === undefined || delayMs === undefined || this.#isClosing) return;
    this.#heartbeat = setTimeout(() => {
      if (this.#running === undefined) this.#running = this.#beat();
      else this.#awaitHeartbeat();
    }, delayMs);
    this.#heartbeat.unref?.();
  }

  async #beat(): Promise<void> {
    const { ring, envelope } = this.#options;
    if (ring.length === 0) {
      const verdict = await this.#send(takeBatch(ring, envelope).body);
      this.#note(verdict);
      if (verdict.kind !== 'accepted') await this.#pause(this.#pauseMsAfter(verdict));
    }
    await this.#run();
  }
}
