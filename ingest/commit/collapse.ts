import { limits } from '../../contract/limits.js';
import { keyOf } from '../../lib/latency-buckets.js';
import { minuteMs } from '../../lib/times.js';
import { emptyName, type Name, type Source } from '../names/names.js';
import type { Batch } from '../read/batch.js';
import { BlockSamples } from '../samples/block-samples.js';
import type { Sample } from '../samples/sample.js';
import { grown, Histograms, histogramKey, insertSlot } from './histograms.js';

/** The columns of events whose names are all known. */
export type Events = Pick<Batch, 'length' | 'status' | 'at' | 'latencyMs'> & {
  readonly source: readonly (Source | undefined)[];
  readonly endpoint: readonly (Name | undefined)[];
  readonly method: readonly (Name | null | undefined)[];
  readonly message: readonly (string | undefined)[];
  /** By the place of their event. */
  readonly samples: ReadonlyMap<number, Sample>;
};

/** Requests of one key within a minute. `latencies` are the response times of those that have one. */
export type CountedRequests = {
  source: Source;
  endpoint: Name;
  method: Name;
  status: number;
  at: number;
  count: number;
  latencies: Iterable<{ ms: number; times: number }>;
  message?: string | undefined;
  sample?: Sample | undefined;
};

/**
 * Events of a block. So many of a day each are 1.73e19 µs, within the 64 bits of `latency_sum_us`; counts are within 32
 * bits, too. Only requests that their sender has counted come near it.
 */
export const eventsMax = 200_000_000;

/** A row refers to three names and a message. */
const referencesBytes = 32;
/** Bytes of a UTF-16 code unit at most. */
const utf8BytesMax = 3;

/** By place in the batch that is being added, its row. */
let rowOf = new Uint16Array(limits.eventsPerBatch);
/** The buckets of its response times, one for each event that has one. */
let histogramKeys = new Uint32Array(limits.eventsPerBatch);

/** The newest message of a failing response in a row. */
export type Message = { text: string; at: number };

/** `minute` counts from the epoch. */
export type RowKey = { source: Source; endpoint: Name; method: Name; status: number; minute: number };

export type RowFigures = {
  count: number;
  latencyCount: number;
  latencySumUs: number;
  reportedAt: number;
  message: Message | undefined;
};

/**
 * The rows that events collapse into: one for each (source, endpoint, method, status, minute). Every column merges by
 * addition or by a maximum without ties, so any split of the same events into blocks, in any order, gives the same
 * rollups. With typed columns and open addressing an event costs a few tens of nanoseconds and no allocation.
 */
export class Block {
  rows = 0;
  events = 0;
  batches = 0;
  /** Whether a row is of a version of a service. */
  hasReleases = false;
  /** At least the bytes of the names and messages of all rows, in UTF-8. */
  textBytes = 0;
  source: Source[] = [];
  endpoint: Name[] = [];
  method: Name[] = [];
  status = new Uint16Array(1024);
  minute = new Int32Array(1024);
  count = new Uint32Array(1024);
  latencyCount = new Uint32Array(1024);
  /** Whole microseconds: integers have the same sum in any order, fractions do not. */
  latencySumUs = new Float64Array(1024);
  reportedAt = new Float64Array(1024);
  message: (Message | undefined)[] = [];
  readonly histograms = new Histograms();
  readonly samples = new BlockSamples();
  private rowTable = new Int32Array(4096).fill(-1);
  private lastBatch = new Uint32Array(1024);

  /** About the bytes of memory that the block takes; the names themselves are shared. */
  get memoryBytes(): number {
    const { status, minute, count, latencyCount, latencySumUs, reportedAt, rowTable, lastBatch } = this;
    const columns = [status, minute, count, latencyCount, latencySumUs, reportedAt, rowTable, lastBatch];
    const columnBytes = columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const textBytes = this.textBytes + this.samples.bytes;
    return columnBytes + this.rows * referencesBytes + textBytes + this.histograms.memoryBytes;
  }

  /** Adds the events of a batch. Returns how many rows it touched. */
  add(batch: Events): number {
    if (batch.length > rowOf.length) {
      rowOf = new Uint16Array(batch.length);
      histogramKeys = new Uint32Array(batch.length);
    }
    this.batches += 1;
    let touched = 0;
    for (let i = 0; i < batch.length; i += 1) {
      const source = batch.source[i];
      const endpoint = batch.endpoint[i];
      const method = batch.method[i];
      if (source === undefined || endpoint === undefined || !method) {
        throw new Error('An event with an unregistered name reached the collapse.');
      }
      const at = batch.at[i] ?? 0;
      const row = this.findRow(source, endpoint, method, batch.status[i] ?? 0, Math.floor(at / minuteMs));
      if (this.lastBatch[row] !== this.batches) {
        this.lastBatch[row] = this.batches;
        touched += 1;
      }
      this.count[row] = (this.count[row] ?? 0) + 1;
      const message = batch.message[i];
      if (message !== undefined) this.addMessage(row, message, at);
      rowOf[i] = row;
    }
    this.addLatencies(batch);
    for (const [i, sample] of batch.samples) {
      const row = rowOf[i] ?? 0;
      this.samples.add(row, this.pageOf(row), sample);
    }
    this.events += batch.length;
    return touched;
  }

  /** Adds the response times of a batch to the rows in `rowOf`. */
  private addLatencies({ length, latencyMs }: Events): void {
    const { latencyCount, latencySumUs } = this;
    let keys = 0;
    for (let i = 0; i < length; i += 1) {
      const ms = latencyMs[i] ?? Number.NaN;
      if (!(ms >= 0)) continue;
      const row = rowOf[i] ?? 0;
      latencyCount[row] = (latencyCount[row] ?? 0) + 1;
      latencySumUs[row] = (latencySumUs[row] ?? 0) + Math.round(ms * 1000);
      histogramKeys[keys++] = histogramKey(row, keyOf(ms));
    }
    this.histograms.addEach(histogramKeys, keys);
  }

  /**
   * Adds requests that are counted already: all of one key and minute. `at` is any time of that minute, in milliseconds
   * since the epoch.
   */
  addCounted(requests: CountedRequests): void {
    const { source, endpoint, method, status, at, count, latencies, message, sample } = requests;
    const row = this.findRow(source, endpoint, method, status, Math.floor(at / minuteMs));
    this.count[row] = (this.count[row] ?? 0) + count;
    for (const { ms, times } of latencies) this.addLatency(row, ms, times);
    if (message !== undefined) this.addMessage(row, message, at);
    if (sample !== undefined) this.samples.add(row, this.pageOf(row), sample);
    this.events += count;
  }

  /** Adds everything that another block holds. */
  addBlock(from: Block): void {
    for (let i = 0; i < from.rows; i += 1) {
      const [source, endpoint, method] = [from.source[i], from.endpoint[i], from.method[i]];
      if (source === undefined || endpoint === undefined || method === undefined)
        throw new Error('A row lost its names.');
      const row = this.mergeRow(
        { source, endpoint, method, status: from.status[i] ?? 0, minute: from.minute[i] ?? 0 },
        {
          count: from.count[i] ?? 0,
          latencyCount: from.latencyCount[i] ?? 0,
          latencySumUs: from.latencySumUs[i] ?? 0,
          reportedAt: from.reportedAt[i] ?? 0,
          message: from.message[i],
        },
      );
      from.histograms.each(i, (bucket, count) => this.histograms.add(row, bucket, count));
      const samples = from.samples.groups(i);
      if (samples !== undefined) this.samples.addGroups(row, source.pageBytes, samples);
    }
    this.events += from.events;
  }

  /** Adds a row of another block without its histogram. Returns the number of the row here. */
  mergeRow({ source, endpoint, method, status, minute }: RowKey, figures: RowFigures): number {
    const row = this.findRow(source, endpoint, method, status, minute);
    this.count[row] = (this.count[row] ?? 0) + figures.count;
    this.latencyCount[row] = (this.latencyCount[row] ?? 0) + figures.latencyCount;
    this.latencySumUs[row] = (this.latencySumUs[row] ?? 0) + figures.latencySumUs;
    this.reportedAt[row] = Math.max(this.reportedAt[row] ?? 0, figures.reportedAt);
    if (figures.message !== undefined) this.addMessage(row, figures.message.text, figures.message.at);
    return row;
  }

  /** Notes that a source called at `arrival`, in a row of its own with status 0. */
  addReport(source: Source, arrival: number): void {
    const row = this.findRow(source, emptyName, emptyName, 0, Math.floor(arrival / minuteMs));
    this.count[row] = (this.count[row] ?? 0) + 1;
    this.reportedAt[row] = Math.max(this.reportedAt[row] ?? 0, arrival);
  }

  /** Empties the block and keeps its memory, which the bounds of a block limit. */
  clear(): void {
    this.rows = 0;
    this.events = 0;
    this.batches = 0;
    this.hasReleases = false;
    this.textBytes = 0;
    this.histograms.clear();
    this.samples.clear();
    this.source.length = 0;
    this.endpoint.length = 0;
    this.method.length = 0;
    this.message.length = 0;
    this.rowTable.fill(-1);
  }

  private pageOf(row: number): Buffer {
    const source = this.source[row];
    if (source === undefined) throw new Error('A row lost its names.');
    return source.pageBytes;
  }

  private addLatency(row: number, latencyMs: number, times = 1): void {
    this.latencyCount[row] = (this.latencyCount[row] ?? 0) + times;
    this.latencySumUs[row] = (this.latencySumUs[row] ?? 0) + times * Math.round(latencyMs * 1000);
    this.histograms.add(row, keyOf(latencyMs), times);
  }

  private addMessage(row: number, text: string, at: number): void {
    const newest = this.message[row];
    if (newest !== undefined && !isNewer(text, at, newest)) return;
    this.textBytes += utf8BytesMax * (text.length - (newest?.text.length ?? 0));
    this.message[row] = { text, at };
  }

  private findRow(source: Source, endpoint: Name, method: Name, status: number, minute: number): number {
    const mask = this.rowTable.length - 1;
    let slot = hashRow(source.id, endpoint.id, method.id, status, minute) & mask;
    for (;;) {
      const row = this.rowTable[slot] ?? -1;
      if (row === -1) break;
      if (
        this.endpoint[row] === endpoint &&
        this.status[row] === status &&
        this.minute[row] === minute &&
        this.source[row] === source &&
        this.method[row] === method
      ) {
        return row;
      }
      slot = (slot + 1) & mask;
    }
    this.rowTable[slot] = this.rows;
    return this.addRow(source, endpoint, method, status, minute);
  }

  private addRow(source: Source, endpoint: Name, method: Name, status: number, minute: number): number {
    const row = this.rows++;
    if (row === this.status.length) this.growRows();
    this.source[row] = source;
    this.endpoint[row] = endpoint;
    this.method[row] = method;
    this.status[row] = status;
    this.minute[row] = minute;
    this.count[row] = 0;
    this.latencyCount[row] = 0;
    this.latencySumUs[row] = 0;
    this.reportedAt[row] = 0;
    this.message[row] = undefined;
    this.textBytes += source.encoded.length + endpoint.encoded.length + method.encoded.length;
    if (source.release !== undefined) {
      this.hasReleases = true;
      this.textBytes += source.release.encoded.length;
    }
    this.histograms.open(row);
    this.lastBatch[row] = 0;
    if (this.rows * 2 > this.rowTable.length) this.rehashRows();
    return row;
  }

  private growRows(): void {
    this.status = grown(this.status, new Uint16Array(this.status.length * 2));
    this.minute = grown(this.minute, new Int32Array(this.minute.length * 2));
    this.count = grown(this.count, new Uint32Array(this.count.length * 2));
    this.latencyCount = grown(this.latencyCount, new Uint32Array(this.latencyCount.length * 2));
    this.latencySumUs = grown(this.latencySumUs, new Float64Array(this.latencySumUs.length * 2));
    this.reportedAt = grown(this.reportedAt, new Float64Array(this.reportedAt.length * 2));
    this.lastBatch = grown(this.lastBatch, new Uint32Array(this.lastBatch.length * 2));
  }

  private rehashRows(): void {
    const table = new Int32Array(this.rowTable.length * 2).fill(-1);
    for (let row = 0; row < this.rows; row += 1) {
      const [source, endpoint, method] = [
        this.source[row] as Source,
        this.endpoint[row] as Name,
        this.method[row] as Name,
      ];
      const hash = hashRow(source.id, endpoint.id, method.id, this.status[row] ?? 0, this.minute[row] ?? 0);
      insertSlot(table, hash, row);
    }
    this.rowTable = table;
  }
}

function hashRow(source: number, endpoint: number, method: number, status: number, minute: number): number {
  let hash = Math.imul(endpoint, 0x9e3779b1) ^ Math.imul(source, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15) ^ Math.imul(minute, 0xc2b2ae35), 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 13) ^ (status << 8) ^ method, 0x165667b1);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * The later message wins. Of two in the same millisecond the one with the greater bytes wins, as in ClickHouse when it
 * merges rows.
 */
function isNewer(text: string, at: number, than: Message): boolean {
  if (at !== than.at) return at > than.at;
  return Buffer.compare(Buffer.from(text), Buffer.from(than.text)) > 0;
}
