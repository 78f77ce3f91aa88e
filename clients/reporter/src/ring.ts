import type { Encoded } from './templates.js';

/** An event as it waits. `at` is in milliseconds since the epoch; `ms` is NaN when it is unknown. */
export type Waiting = {
  at: number;
  endpoint: Encoded;
  method: Encoded;
  status: number;
  ms: number;
  message: string | undefined;
};

/**
 * A queue of bounded length, whose oldest event makes room for a new one. It has columns, because an object that waits for
 * two seconds outlives the young generation of the heap, which costs ten times as much as the event itself.
 */
export class Ring {
  readonly #capacity: number;
  readonly #at: Float64Array;
  readonly #status: Uint16Array;
  readonly #ms: Float64Array;
  readonly #endpoint: (Encoded | undefined)[];
  readonly #method: (Encoded | undefined)[];
  readonly #message: (string | undefined)[];
  #first = 0;
  #length = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#at = new Float64Array(capacity);
    this.#status = new Uint16Array(capacity);
    this.#ms = new Float64Array(capacity);
    this.#endpoint = new Array(capacity).fill(undefined);
    this.#method = new Array(capacity).fill(undefined);
    this.#message = new Array(capacity).fill(undefined);
  }

  get length(): number {
    return this.#length;
  }

  /** When the oldest event ended; `undefined` when none waits. */
  get oldestAt(): number | undefined {
    return this.#length === 0 ? undefined : this.#at[this.#first];
  }

  get first(): Waiting | undefined {
    const slot = this.#first;
    const [endpoint, method] = [this.#endpoint[slot], this.#method[slot]];
    if (this.#length === 0 || endpoint === undefined || method === undefined) return undefined;
    const [at = 0, status = 0, ms = Number.NaN] = [this.#at[slot], this.#status[slot], this.#ms[slot]];
    return { at, endpoint, method, status, ms, message: this.#message[slot] };
  }

  /** Returns whether the oldest event had to make room. */
  push(
    endpoint: Encoded,
    method: Encoded,
    status: number,
    at: number,
    ms: number,
    message: string | undefined,
  ): boolean {
    const isFull = this.#length === this.#capacity;
    const slot = (this.#first + this.#length) % this.#capacity;
    this.#at[slot] = at;
    this.#status[slot] = status;
    this.#ms[slot] = ms;
    this.#endpoint[slot] = endpoint;
    this.#method[slot] = method;
    this.#message[slot] = message;
    if (isFull) this.#first = (this.#first + 1) % this.#capacity;
    else this.#length += 1;
    return isFull;
  }

  /** Removes the oldest event. Returns whether there was one. */
  shift(): boolean {
    if (this.#length === 0) return false;
    this.#message[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#capacity;
    this.#length -= 1;
    return true;
  }
}
