/** A histogram key holds the number of the row in 16 bits and the bucket in the other 16. */
export const rowsMax = 65_536;

/**
 * The histograms of the rows of a block: a chain of entries for each row, each with the key of a bucket, see
 * lib/latency-buckets.ts, and its count.
 */
export class Histograms {
  entries = 0;
  /** By row. */
  private firstEntry = new Int32Array(1024);
  private entriesOfRow = new Int32Array(1024);
  private entryKey = new Uint32Array(4096);
  private nextEntry = new Int32Array(4096);
  /** Two numbers a slot: a key, and how often it was counted, which is 0 in an empty slot. At least half are empty. */
  private table = new Uint32Array(16_384);
  /** Depends on the slots that `addEach` looks at, so that no compiler leaves the looking out. */
  looked = 0;

  get memoryBytes(): number {
    const { firstEntry, entriesOfRow, entryKey, nextEntry, table } = this;
    const columns = [firstEntry, entriesOfRow, entryKey, nextEntry, table];
    return columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Begins the empty histogram of a new row. */
  open(row: number): void {
    if (row === this.firstEntry.length) {
      this.firstEntry = grown(this.firstEntry, new Int32Array(row * 2));
      this.entriesOfRow = grown(this.entriesOfRow, new Int32Array(row * 2));
    }
    this.firstEntry[row] = -1;
    this.entriesOfRow[row] = 0;
  }

  add(row: number, bucket: number, times: number): void {
    this.addKey(histogramKey(row, bucket), times);
  }

  /**
   * Counts the first `length` keys, each once. Looks at the slots of all of them before: such loads do not wait for each
   * other, while each count would wait for its own. A slot is rarely in the cache, and an event took 107 ns, not 50.
   */
  addEach(keys: Uint32Array, length: number): void {
    const { table } = this;
    let looked = 0;
    for (let i = 0; i < length; i += 1) looked ^= table[slotOf(table, keys[i] ?? 0)] ?? 0;
    this.looked = looked;
    for (let i = 0; i < length; i += 1) this.addKey(keys[i] ?? 0, 1);
  }

  /** Returns the number of buckets of a row. */
  bucketsOf(row: number): number {
    return this.entriesOfRow[row] ?? 0;
  }

  /** Passes each bucket of a row and its count, always in the same order. */
  each(row: number, visit: (bucket: number, count: number) => void): void {
    for (let entry = this.firstEntry[row] ?? -1; entry !== -1; entry = this.nextEntry[entry] ?? -1) {
      const key = this.entryKey[entry] ?? 0;
      visit(key & 0xffff, this.table[findSlot(this.table, key) + 1] ?? 0);
    }
  }

  clear(): void {
    this.entries = 0;
    this.table.fill(0);
  }

  private addKey(key: number, times: number): void {
    const at = findSlot(this.table, key);
    const count = this.table[at + 1] ?? 0;
    this.table[at + 1] = count + times;
    if (count === 0 && times > 0) this.addEntry(key, at);
  }

  /** Takes the empty slot at `at` for a new key. */
  private addEntry(key: number, at: number): void {
    const row = key >>> 16;
    const entry = this.entries++;
    if (entry === this.entryKey.length) {
      this.entryKey = grown(this.entryKey, new Uint32Array(entry * 2));
      this.nextEntry = grown(this.nextEntry, new Int32Array(entry * 2));
    }
    this.table[at] = key;
    this.entryKey[entry] = key;
    this.nextEntry[entry] = this.firstEntry[row] ?? -1;
    this.firstEntry[row] = entry;
    this.entriesOfRow[row] = (this.entriesOfRow[row] ?? 0) + 1;
    if (this.entries * 4 > this.table.length) this.rehash();
  }

  private rehash(): void {
    const from = this.table;
    const to = new Uint32Array(from.length * 2);
    for (let at = 0; at < from.length; at += 2) {
      const [key = 0, count = 0] = [from[at], from[at + 1]];
      if (count === 0) continue;
      const free = findSlot(to, key);
      to[free] = key;
      to[free + 1] = count;
    }
    this.table = to;
  }
}

/** Returns the key of a bucket of a row. */
export function histogramKey(row: number, bucket: number): number {
  return ((row << 16) | bucket) >>> 0;
}

/** Returns the place in a table where the search for a key begins. */
function slotOf(table: Uint32Array, key: number): number {
  return (Math.imul(key, 0x9e3779b1) >>> 6) & (table.length - 2);
}

/** Returns the place of a key in a table, or of the empty slot that it may take. */
function findSlot(table: Uint32Array, key: number): number {
  for (let at = slotOf(table, key); ; at = (at + 2) & (table.length - 2)) {
    if (table[at + 1] === 0 || table[at] === key) return at;
  }
}

/** Puts a value into an open-addressed table that has room. -1 is an empty slot. */
export function insertSlot(table: Int32Array, hash: number, value: number): void {
  const mask = table.length - 1;
  let slot = hash & mask;
  while (table[slot] !== -1) slot = (slot + 1) & mask;
  table[slot] = value;
}

/** Copies a column into a longer one, and returns that. */
export function grown<Column extends { set(from: Column): void }>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
