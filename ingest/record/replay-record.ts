import type { Frame } from '../../lib/outbox/log/frame.js';
import type { Block, Events } from '../commit/collapse.js';
import {
  makeName,
  makeRelease,
  makeSourceOf,
  type Name,
  type Release,
  type Source,
  type SourceKind,
} from '../names/names.js';
import { readGroups, type Sample, splitText } from '../samples/sample.js';
import {
  eventBytes,
  messageHeaderBytes,
  nameKinds,
  recordVersion,
  releaseRecordVersion,
} from './event-record.js';

export const pageIdBytes = 16;
/** The kind and the length of an empty name. */
const nameBytesMin = 2;
const callerBytes = 2;

/** The names in the records of one file: equal names of different records are one, as they were in the process. */
export class ReplayNames {
  private readonly plain = new Map<string, Name>();
  private readonly sources = new Map<string, Source>();

  /** Takes the names of a block for its own. */
  adopt({ rows, source, endpoint, method }: Block): void {
    for (let row = 0; row < rows; row += 1) {
      for (const name of [endpoint[row], method[row]])
        if (name !== undefined) this.plain.set(name.text, name);
      const from = source[row];
      if (from !== undefined)
        this.sources.set(sourceKeyOf(from.pageBytes, from.kind, from.text, from.release), from);
    }
  }

  findPlain(text: string): Name {
    const name = this.plain.get(text) ?? makeName(text);
    this.plain.set(text, name);
    return name;
  }

  findSource(pageBytes: Buffer, kind: SourceKind, text: string, release?: Release): Source {
    const key = sourceKeyOf(pageBytes, kind, text, release);
    const source = this.sources.get(key) ?? makeSourceOf(Buffer.from(pageBytes), kind, text, release);
    this.sources.set(key, source);
    return source;
  }
}

function sourceKeyOf(
  pageBytes: Buffer,
  kind: SourceKind,
  text: string,
  release: Release | undefined,
): string {
  const version = release === undefined ? '' : `\0${release.version}\0${release.environment}`;
  return `${kind} ${pageBytes.toString('hex')} ${text}${version}`;
}

/**
 * Adds the events of a record to a block, in the order in which they were added when the record was written. Yields the
 * number of events of each batch when the batch has been added. `names` has the names of the records before it in the
 * same file.
 *
 * @throws Error for a record of another version, or one that `EventRecord` has not written; RangeError for one that ends
 *   too early.
 */
export function* replayRecord(frame: Frame, names: ReplayNames, block: Block): Generator<number, void> {
  for (const { batch, callers, arrival } of readBatches(frame, names)) {
    block.add(batch);
    for (const caller of callers) if (caller !== undefined) block.addReport(caller, arrival);
    yield batch.length;
  }
}

/** A batch of a record, as it was added to it. */
type RecordedBatch = { batch: Events; callers: readonly (Source | undefined)[]; arrival: number };

/** Reads the batches of a record. `names` and the errors are as for `replayRecord`. */
export function* readBatches({ version, payload }: Frame, names: ReplayNames): Generator<RecordedBatch> {
  if (version !== recordVersion && version !== releaseRecordVersion)
    throw new Error(`A record has the version ${version}, which is not known here.`);
  const reader = new Reader(payload);
  const named = Array.from({ length: reader.count(nameBytesMin) }, () => readName(reader, names));
  while (!reader.isAtEnd) yield readBatch(reader, named);
}

function readBatch(reader: Reader, named: readonly (Name | Source)[]): RecordedBatch {
  const length = reader.count(eventBytes);
  const callerCount = reader.count(callerBytes);
  const messageCount = reader.count(messageHeaderBytes);
  const arrival = reader.float64();
  const findSource = (): Source | undefined => {
    const name = named[reader.uint16()];
    return name !== undefined && 'kind' in name ? name : undefined;
  };
  const at = reader.float64s(length);
  const latencyMs = reader.float64s(length);
  const status = reader.uint16s(length);
  const source = Array.from({ length }, findSource);
  const endpoint = Array.from({ length }, () => named[reader.uint16()]);
  const method = Array.from({ length }, () => named[reader.uint16()]);
  const callers = Array.from({ length: callerCount }, findSource);
  const texts = readTexts(reader, messageCount, { length, at });
  return { batch: { length, source, endpoint, method, status, at, latencyMs, ...texts }, callers, arrival };
}

/** Reads the messages and samples of a batch. */
function readTexts(
  reader: Reader,
  count: number,
  { length, at }: Pick<Events, 'length' | 'at'>,
): Pick<Events, 'message' | 'samples'> {
  const message = new Array<string | undefined>(length).fill(undefined);
  const samples = new Map<number, Sample>();
  for (let i = 0; i < count; i += 1) {
    const event = reader.uint32();
    const text = splitText(reader.text(reader.uint32()));
    message[event] = text.message;
    const [group] = text.samples === undefined ? [] : readGroups(text.samples);
    if (group === undefined) continue;
    const { errorType, kept } = group;
    samples.set(event, kept[0] ?? { errorType, at: at[event] ?? 0, json: '' });
  }
  return { message, samples };
}

/** Reads a name as a record has it. */
export function readName(reader: Reader, names: ReplayNames): Name | Source {
  const kind = reader.uint8();
  if (kind === nameKinds.plain) return names.findPlain(reader.text(reader.varint()));
  const page = reader.bytes(pageIdBytes);
  const text = reader.text(reader.varint());
  if (kind !== nameKinds.release)
    return names.findSource(page, kind === nameKinds.service ? 'service' : 'reporter', text);
  const version = reader.text(reader.varint());
  return names.findSource(page, 'service', text, makeRelease(version, reader.text(reader.varint())));
}

/** Reads values one after another. Every method throws RangeError behind the end. */
export class Reader {
  private offset = 0;

  constructor(private readonly buffer: Buffer) {}

  get isAtEnd(): boolean {
    return this.offset >= this.buffer.length;
  }

  uint8(): number {
    return this.buffer.readUInt8(this.skip(1));
  }

  uint16(): number {
    return this.buffer.readUInt16LE(this.skip(2));
  }

  uint32(): number {
    return this.buffer.readUInt32LE(this.skip(4));
  }

  /** Reads the number of values that follow, each of this many bytes at least: no memory is taken for a wrong number. */
  count(bytesEach: number): number {
    const count = this.uint32();
    if (count * bytesEach > this.buffer.length - this.offset)
      throw new RangeError('A record ends too early.');
    return count;
  }

  float64(): number {
    return this.buffer.readDoubleLE(this.skip(8));
  }

  /** Reads an unsigned LEB128 number; one above 2^53 is rounded, as it was before it was written. */
  varint(): number {
    let byte = this.uint8();
    let value = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      if (scale > 2 ** 63) throw new RangeError('A number has more than 64 bits.');
      byte = this.uint8();
      value += (byte & 127) * scale;
    }
    return value;
  }

  /** Reads a varint with its sign in the lowest bit. */
  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bytes(length: number): Buffer {
    const start = this.skip(length);
    return this.buffer.subarray(start, start + length);
  }

  text(length: number): string {
    return this.bytes(length).toString('utf8');
  }

  float64s(length: number): Float64Array<ArrayBuffer> {
    return new Float64Array(new Uint8Array(this.bytes(length * 8)).buffer);
  }

  uint16s(length: number): Uint16Array<ArrayBuffer> {
    return new Uint16Array(new Uint8Array(this.bytes(length * 2)).buffer);
  }

  private skip(length: number): number {
    const start = this.offset;
    if (start + length > this.buffer.length) throw new RangeError('A record ends too early.');
    this.offset += length;
    return start;
  }
}
