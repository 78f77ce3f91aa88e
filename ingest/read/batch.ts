import { limits } from '../../contract/limits.js';
import type { RejectionReason } from '../../contract/rejections.js';
import type { Name, Source } from '../names/names.js';
import type { SentRelease } from '../names/version-registry.js';
import type { Sample } from '../samples/sample.js';
import type { RawEvent } from './raw-event.js';

/** The events of a batch that were rejected for one reason. */
export type Rejected = {
  count: number;
  /** Place of the first of them in the batch, counted from 0. */
  firstIndex: number;
  /** The fault of the first of them, in a sentence for the sender. */
  message: string;
  /** The service of the first of them, as far as it is known. */
  service: string | undefined;
};

/** The refusal of an event by a limit: the reason, and the sentence if it is the first one. */
export type Refusal = { reason: RejectionReason; describe: () => string };

/**
 * The normalised events of one batch as columns, so that a thousand events do not cost a thousand objects. An event's
 * service and endpoint are names that the page already has, or texts (`unknown…`) until they are registered; exactly one
 * of the two is set. The next event is put together in the columns behind the last one. A batch has room for the most
 * events that a body may hold.
 */
export class Batch {
  length = 0;
  readonly source = column<Source>();
  readonly unknownSource = column<string>();
  readonly endpoint = column<Name>();
  readonly unknownEndpoint = column<string>();
  /** null in an event that is rejected because the page has too many methods. */
  readonly method = column<Name | null>();
  readonly status = new Uint16Array(limits.eventsPerBatch);
  /** Milliseconds since the epoch. */
  readonly at = new Float64Array(limits.eventsPerBatch);
  /** NaN when the event has none. */
  readonly latencyMs = new Float64Array(limits.eventsPerBatch);
  readonly message = column<string>();
  /** The version that each event names, in batches that say so. */
  readonly release = column<SentRelease>();
  hasReleases = false;
  /** Failing events that carry more than a message, by their place in the columns, until takeSamples() reads them. */
  readonly failing = new Map<number, RawEvent>();
  /** The samples of failing events, by their place in the columns. */
  readonly samples = new Map<number, Sample>();
  hasUnknown = false;
  /** Number of rejected events. */
  rejected = 0;
  readonly rejections = new Map<RejectionReason, Rejected>();
  /** Fields of accepted events that were not read: a sentence by the name of the field. */
  readonly unread = new Map<string, string>();
  /** Accepted events in which something was not read, as far as they were looked at. */
  oddEvents = 0;
  /** By the place that an event had in the body: 1 for one that was rejected. */
  private readonly isRejected = new Uint8Array(limits.eventsPerBatch);

  clear(): void {
    this.length = 0;
    this.hasUnknown = false;
    if (this.hasReleases) this.release.fill(undefined);
    this.hasReleases = false;
    if (this.unread.size > 0) this.unread.clear();
    this.oddEvents = 0;
    if (this.failing.size > 0) this.failing.clear();
    if (this.samples.size > 0) this.samples.clear();
    if (this.rejected === 0) return;
    this.rejected = 0;
    this.rejections.clear();
    this.isRejected.fill(0);
  }

  /** Counts the next event of the body as rejected. `describe` makes the sentence for the first one of a reason. */
  reject(reason: RejectionReason, service: string | undefined, describe: () => string): void {
    this.countRejected({ reason, describe }, service, this.length + this.rejected);
  }

  /** The service of the event in these columns; `undefined` while it has none. */
  serviceAt(i: number): string | undefined {
    return this.source[i]?.text ?? this.unknownSource[i];
  }

  /** Keeps the events for which `refuse` returns `undefined`, in their order, and counts the others as rejected. */
  filter(refuse: (index: number) => Refusal | undefined): void {
    let kept = 0;
    let place = -1;
    for (let i = 0; i < this.length; i += 1) {
      do place += 1;
      while (this.isRejected[place] === 1);
      const refusal = refuse(i);
      if (refusal === undefined) this.move(i, kept++);
      else {
        this.countRejected(refusal, this.serviceAt(i), place);
        if (this.failing.size > 0) this.failing.delete(i);
      }
    }
    this.length = kept;
  }

  private countRejected({ reason, describe }: Refusal, service: string | undefined, place: number): void {
    this.rejected += 1;
    this.isRejected[place] = 1;
    const held = this.rejections.get(reason);
    if (held !== undefined) held.count += 1;
    else this.rejections.set(reason, { count: 1, firstIndex: place, message: describe(), service });
  }

  private move(from: number, to: number): void {
    if (from === to) return;
    this.source[to] = this.source[from];
    this.unknownSource[to] = this.unknownSource[from];
    this.endpoint[to] = this.endpoint[from];
    this.unknownEndpoint[to] = this.unknownEndpoint[from];
    this.method[to] = this.method[from];
    this.status[to] = this.status[from] ?? 0;
    this.at[to] = this.at[from] ?? 0;
    this.latencyMs[to] = this.latencyMs[from] ?? Number.NaN;
    this.message[to] = this.message[from];
    if (this.hasReleases) this.release[to] = this.release[from];
    const failing = this.failing.size > 0 ? this.failing.get(from) : undefined;
    if (failing === undefined) return;
    this.failing.delete(from);
    this.failing.set(to, failing);
  }
}

/** Has its full length from the start: growing seven arrays event by event took a tenth of the time of a batch. */
function column<Value>(): (Value | undefined)[] {
  return new Array<Value | undefined>(limits.eventsPerBatch).fill(undefined);
}

/** Empty batches kept for the next requests. One is in use at a time, because nothing waits with one. */
const spareMax = 1;

export type SpareBatches = ReturnType<typeof createSpareBatches>;

/** Keeps batches for the next requests, because their columns take 0.1 MB each. */
export function createSpareBatches() {
  const spare: Batch[] = [];
  return {
    /** Returns an empty batch. */
    take: (): Batch => spare.pop() ?? new Batch(),
    /** Gives a batch to the next request, when its content has been copied. */
    giveBack(batch: Batch): void {
      batch.clear();
      if (spare.length < spareMax) spare.push(batch);
    },
  };
}
