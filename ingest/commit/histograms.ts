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
  private entryCount = new Uint32Array(4096);
  private nextEntry = new Int32Array(4096);
  private entryTable = new Int32Array(16_384).fill(-1);

  get memoryBytes(): number {
    const { firstEntry, entriesOfRow, entryKey, entryCount, nextEntry, entryTable } = this;
    const columns = [firstEntry, entriesOfRow, entryKey, entryCount, nextEntry, entryTable];
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
    const key = ((row << 16) | bucket) >>> 0;
    const mask = this.entryTable.length - 1;
    let slot = hashEntry(key) & mask;
    for (;;) {
      const entry = this.entryTable[slot] ?? -1;
      if (entry === -1) break;
      if (this.entryKey[entry] === key) {
        this.entryCount[entry] = (this.entryCount[entry] ?? 0) + times;
        return;
      }
      slot = (slot + 1) & mask;
    }
    this.addEntry(row, key, slot, times);
  }

  /** Returns the number of buckets of a row. */
  bucketsOf(row: number): number {
    return this.entriesOfRow[row] ?? 0;
  }

  /** Passes each bucket of a row and its count, always in the same order. */
  each(row: number, visit: (bucket: number, count: number) => void): void {
    for (let entry = this.firstEntry[row] ?? -1; entry !== -1; entry = this.nextEntry[entry] ?? -1)
      visit((this.entryKey[entry] ?? 0) & 0xffff, this.entryCount[entry] ?? 0);
  }

  clear(): void {
    this.entries = 0;
    this.entryTable.fill(-1);
  }

  private addEntry(row: number, key: number, slot: number, times: number): void {
    const entry = this.entries++;
    if (entry === this.entryKey.length) {
      this.entryKey = grown(this.entryKey, new Uint32Array(entry * 2));
      this.entryCount = grown(this.entryCount, new Uint32Array(entry * 2));
      this.nextEntry = grown(this.nextEntry, new Int32Array(entry * 2));
    }
    this.entryKey[entry] = key;
    this.entryCount[entry] = times;
    this.nextEntry[entry] = this.firstEntry[row] ?? -1;
    this.firstEntry[row] = entry;
    this.entriesOfRow[row] = (this.entriesOfRow[row] ?? 0) + 1;
    this.entryTable[slot] = entry;
    if (this.entries * 2 > this.entryTable.length) this.rehash();
  }

  private rehash(): void {
    const table = new Int32Array(this.entryTable.length * 2).fill(-1);
    for (let entry = 0; entry < this.entries; entry += 1)
      insertSlot(table, hashEntry(this.entryKey[entry] ?? 0), entry);
    this.entryTable = table;
  }
}

function hashEntry(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> 7;
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
