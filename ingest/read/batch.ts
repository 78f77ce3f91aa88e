import { limits } from '../../contract/limits.js';
import type { Name, Source } from '../names/names.js';

/** Why an event was not counted. Also the label of the metric of rejected events. */
export type Rejection =
  | 'notAnObject'
  | 'endpoint'
  | 'method'
  | 'status'
  | 'timestamp'
  | 'tooOld'
  | 'inFuture'
  | 'endpointsPerBatch'
  | 'endpointsPerPage'
  | 'sourcesPerPage'
  | 'methodsPerPage';

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
  hasUnknown = false;
  readonly rejections = new Map<Rejection, number>();

  clear(): void {
    this.length = 0;
    this.hasUnknown = false;
    this.rejections.clear();
  }

  reject(reason: Rejection): void {
    this.rejections.set(reason, (this.rejections.get(reason) ?? 0) + 1);
  }

  get rejected(): number {
    let sum = 0;
    for (const count of this.rejections.values()) sum += count;
    return sum;
  }

  /** Keeps the events for which `keep` returns `undefined`, in their order, and counts the others as rejected. */
  filter(keep: (index: number) => Rejection | undefined): void {
    let kept = 0;
    for (let i = 0; i < this.length; i += 1) {
      const reason = keep(i);
      if (reason !== undefined) this.reject(reason);
      else this.move(i, kept++);
    }
    this.length = kept;
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
  }
}

/** Has its full length from the start: growing seven arrays event by event took a tenth of the time of a batch. */
function column<Value>(): (Value | undefined)[] {
  return new Array<Value | undefined>(limits.eventsPerBatch).fill(undefined);
}
