import type { Encoded } from './templates.js';

/** An event as it waits. `at` is in milliseconds since the epoch. */
export type Waiting = {
  at: number;
  endpoint: Encoded;
  method: Encoded;
  status: number;
  ms: number | undefined;
  message: string | undefined;
};

/** A queue of bounded length, whose oldest element makes room for a new one. */
export class Ring {
  readonly #slots: (Waiting | undefined)[] = [];
  readonly #capacity: number;
  #first = 0;
  #length = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#length;
  }

  get first(): Waiting | undefined {
    return this.#slots[this.#first];
  }

  /** Returns whether the oldest element had to make room. */
  push(event: Waiting): boolean {
    const isFull = this.#length === this.#capacity;
    this.#slots[(this.#first + this.#length) % this.#capacity] = event;
    if (isFull) this.#first = (this.#first + 1) % this.#capacity;
    else this.#length += 1;
    return isFull;
  }

  shift(): Waiting | undefined {
    const event = this.#slots[this.#first];
    if (event === undefined) return undefined;
    this.#slots[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#capacity;
    this.#length -= 1;
    return event;
  }
}
