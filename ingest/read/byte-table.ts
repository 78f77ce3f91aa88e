import { randomInt } from 'node:crypto';

/** A longer spelling, such as an endpoint with a query string of a megabyte, is read the slower way each time. */
const keyBytesMax = 1_024;

/**
 * A map from byte strings to values that is searched with a place in a buffer, so that finding a name costs no string.
 * Bounded: a client that sends ever new spellings empties it, and names are found the slower way again.
 */
export class ByteTable<Value> {
  private slots = new Int32Array(64).fill(-1);
  private hashes: number[] = [];
  private keys: Buffer[] = [];
  private views: DataView[] = [];
  private values: Value[] = [];

  constructor(private readonly max: number) {}

  get size(): number {
    return this.keys.length;
  }

  get(view: DataView, start: number, end: number): Value | undefined {
    const hash = hashBytes(view, start, end);
    const mask = this.slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.slots[slot] ?? -1;
      if (entry === -1) return undefined;
      const key = this.views[entry];
      if (this.hashes[entry] === hash && key !== undefined && equals(key, view, start, end))
        return this.values[entry];
    }
  }

  set(view: DataView, start: number, end: number, value: Value): void {
    if (end - start > keyBytesMax) return;
    if (this.keys.length >= this.max) this.clear();
    if (this.keys.length * 2 >= this.slots.length) this.grow();
    const key = Buffer.from(new Uint8Array(view.buffer, view.byteOffset + start, end - start));
    const hash = hashBytes(view, start, end);
    this.occupy(this.keys.length, hash);
    this.hashes.push(hash);
    this.keys.push(key);
    this.views.push(viewOf(key));
    this.values.push(value);
  }

  clear(): void {
    this.slots = new Int32Array(64).fill(-1);
    this.hashes = [];
    this.keys = [];
    this.views = [];
    this.values = [];
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    for (const [entry, hash] of this.hashes.entries()) this.occupy(entry, hash);
  }

  private occupy(entry: number, hash: number): void {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    while (this.slots[slot] !== -1) slot = (slot + 1) & mask;
    this.slots[slot] = entry;
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function equals(key: DataView, view: DataView, start: number, end: number): boolean {
  const length = end - start;
  if (key.byteLength !== length) return false;
  let i = 0;
  for (; i + 4 <= length; i += 4) if (key.getInt32(i, true) !== view.getInt32(start + i, true)) return false;
  for (; i < length; i += 1) if (key.getUint8(i) !== view.getUint8(start + i)) return false;
  return true;
}

/** Differs from process to process, so that clients cannot choose names that collide. */
const seed = randomInt(2 ** 31);

/** Computes a multiplicative hash, four bytes a step. */
function hashBytes(view: DataView, start: number, end: number): number {
  let hash = seed ^ (end - start);
  let at = start;
  for (; at + 4 <= end; at += 4) hash = mix(hash, view.getInt32(at, true));
  for (; at < end; at += 1) hash = mix(hash, view.getUint8(at));
  return hash ^ (hash >>> 15);
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x9e3779b1);
  return mixed ^ (mixed >>> 13);
}
