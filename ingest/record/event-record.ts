import { createSpareBuffers, type SpareBuffers } from '../../lib/spare-buffers.js';
import type { Events } from '../commit/collapse.js';
import type { Name, Release, Source } from '../names/names.js';
import { joinText, type Sample, writeGroups } from '../samples/sample.js';

/**
 * The payload of a record of the log: the normalised events of the batches of one write, so that collapsing them again
 * gives the same figures. Numbers are little-endian, as in the memory of every processor that Node.js runs on.
 *
 * - u32 number of names, then each: u8 kind (0 endpoint or method, 1 service, 2 reporter, 3 version of a service); the id
 *   of the page as 16 bytes of RowBinary for kinds 1 to 3; the text as a String of RowBinary; for kind 3 the version and
 *   the environment, too
 * - for each batch: u32 events, u32 callers, u32 messages, f64 arrival; f64 time of each event; f64 response time of
 *   each; u16 status of each; u16 number of the source of each, of the endpoint, of the method; u16 number of each
 *   caller; for each message u32 event, u32 bytes, UTF-8, with the sample of its event behind it as of joinText()
 */
export const recordVersion: number = 1;
/** A record with versions of services, which processes of earlier releases cannot read. */
export const releaseRecordVersion = 2;

export const nameKinds = { plain: 0, service: 1, reporter: 2, release: 3 } as const;

/** Bytes of an event without its message. */
export const eventBytes = 24;
const batchHeaderBytes = 20;
export const messageHeaderBytes = 8;
const namesMax = 65_536;
const firstBytes = 16 * 1024;
/** Memory that a record keeps for its next use: each of 500 open stores may have had a burst. */
const keptBytesMax = 1024 * 1024;

let lastRecord = 0;

/** Collects the batches of one write. */
export class EventRecord {
  events = 0;
  /** The version of the format, as far as the record needs it. */
  version = recordVersion;
  private names = Buffer.allocUnsafe(firstBytes);
  private namesAt = 4;
  private namesCount = 0;
  private batches = Buffer.allocUnsafe(firstBytes);
  private at = 0;
  private id = ++lastRecord;

  /** @param spare has memory for a burst. */
  constructor(private readonly spare: SpareBuffers = createSpareBuffers(0)) {}

  /** Empties the record. Keeps its memory up to a bound, and gives more back. */
  clear(): void {
    this.events = 0;
    this.version = recordVersion;
    this.namesAt = 4;
    this.namesCount = 0;
    this.at = 0;
    this.id = ++lastRecord;
    if (this.batches.length <= keptBytesMax) return;
    this.spare.giveBack(this.batches);
    this.batches = Buffer.allocUnsafe(firstBytes);
  }

  get bytes(): number {
    return this.namesAt + this.at;
  }

  /** Whether the record has numbers left for the names of a batch with this many events: three for each at most. */
  fits(events: number): boolean {
    return this.namesCount + 3 * events + 1 < namesMax;
  }

  /** Adds a batch, and the sources that called at `arrival`, in milliseconds since the epoch. */
  add(batch: Events, callers: readonly Source[], arrival: number): void {
    const { length } = batch;
    this.events += length;
    this.makeRoom(batchHeaderBytes + length * eventBytes + callers.length * 2);
    const header = this.at;
    this.at = this.batches.writeUInt32LE(length, this.at);
    this.at = this.batches.writeUInt32LE(callers.length, this.at) + 4;
    this.at = this.batches.writeDoubleLE(arrival, this.at);
    this.copy(batch.at, length);
    this.copy(batch.latencyMs, length);
    this.copy(batch.status, length);
    for (let i = 0; i < length; i += 1) this.writeSource(batch.source[i]);
    for (let i = 0; i < length; i += 1) this.writePlain(batch.endpoint[i]);
    for (let i = 0; i < length; i += 1) this.writePlain(batch.method[i]);
    for (const caller of callers) this.writeSource(caller);
    // Writing the messages may move the batches to a larger buffer.
    const messages = this.writeMessages(batch);
    this.batches.writeUInt32LE(messages, header + 8);
  }

  /** Returns the payload in chunks, which the next `clear` or `add` changes. */
  chunks(): Buffer[] {
    this.names.writeUInt32LE(this.namesCount, 0);
    return [this.names.subarray(0, this.namesAt), this.batches.subarray(0, this.at)];
  }

  private makeRoom(more: number): void {
    const { batches, at, spare } = this;
    if (at + more <= batches.length) return;
    this.batches = moved(batches, at, spare.take(Math.max(batches.length * 2, at + more)));
    if (batches.length > keptBytesMax) spare.giveBack(batches);
  }

  private copy(column: Float64Array | Uint16Array, length: number): void {
    const bytes = length * column.BYTES_PER_ELEMENT;
    this.batches.set(new Uint8Array(column.buffer, column.byteOffset, bytes), this.at);
    this.at += bytes;
  }

  private writeSource(source: Source | undefined): void {
    if (source === undefined) throw new Error('An event without a source reached the log.');
    if (source.record !== this.id) this.addSource(source);
    this.writeNumber(source);
  }

  private writePlain(name: Name | null | undefined): void {
    if (name == null) throw new Error('An event with an unregistered name reached the log.');
    if (name.record !== this.id) this.addName(name, nameKinds.plain);
    this.writeNumber(name);
  }

  private writeNumber({ numberInRecord }: Name): void {
    this.batches[this.at++] = numberInRecord & 255;
    this.batches[this.at++] = numberInRecord >>> 8;
  }

  private addSource(source: Source): void {
    const { release } = source;
    this.addName(
      source,
      release === undefined ? nameKinds[source.kind] : nameKinds.release,
      source.pageBytes,
      release,
    );
    if (release !== undefined) this.version = releaseRecordVersion;
  }

  private addName(name: Name, kind: number, page?: Buffer, release?: Release): void {
    const more = 1 + (page?.length ?? 0) + name.encoded.length + (release?.encoded.length ?? 0);
    if (this.namesAt + more > this.names.length)
      this.names = moved(this.names, this.namesAt, Buffer.allocUnsafe(this.names.length * 2 + more));
    this.names[this.namesAt++] = kind;
    if (page !== undefined) this.namesAt += page.copy(this.names, this.namesAt);
    this.namesAt += name.encoded.copy(this.names, this.namesAt);
    if (release !== undefined) this.namesAt += release.encoded.copy(this.names, this.namesAt);
    name.record = this.id;
    name.numberInRecord = this.namesCount++;
  }

  /** Returns the number of messages. */
  private writeMessages({ message, samples, length }: Events): number {
    const hasSamples = samples.size > 0;
    let count = 0;
    for (let i = 0; i < length; i += 1) {
      const sample = hasSamples ? samples.get(i) : undefined;
      const text = sample === undefined ? message[i] : joinText(message[i], sampleText(sample));
      if (text === undefined) continue;
      count += 1;
      this.makeRoom(messageHeaderBytes + 3 * text.length);
      const bytes = this.batches.write(text, this.at + messageHeaderBytes, 'utf8');
      this.batches.writeUInt32LE(i, this.at);
      this.at = this.batches.writeUInt32LE(bytes, this.at + 4) + bytes;
    }
    return count;
  }
}

/** A group of its own, so that a version before samples passes on what the landing table takes. */
function sampleText(sample: Sample): string {
  const kept = sample.json === '' ? [] : [sample];
  return writeGroups([{ errorType: sample.errorType, seen: 1, kept }]);
}

/** Copies the first `used` bytes of a buffer into a larger one, and returns that. */
function moved(from: Buffer, used: number, to: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  from.copy(to, 0, 0, used);
  return to;
}
