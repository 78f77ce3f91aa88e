import type { Block, Message } from '../commit/collapse.js';
import type { Name, Source } from '../names/names.js';
import { nameKinds } from '../record/event-record.js';
import { pageIdBytes, Reader, type ReplayNames, readName } from '../record/replay-record.js';
import { joinText, readGroups, type SampleGroup, splitText } from '../samples/sample.js';

/**
 * A block in a quarter of the bytes of RowBinary, because each name is there once and numbers are as short as they are:
 * PostgreSQL keeps it for seconds, and that is paid for by the byte. A varint is an unsigned LEB128 number; a signed one
 * has its sign in the lowest bit.
 *
 * - u8 version; u32 offset of the names, little-endian
 * - varint events, varint rows, then each row: varint number of the source, of the endpoint, of the method; varint
 *   status; signed minutes since the row before; varint count, count of response times, their sum in µs, time of the last
 *   report; varint bytes of the message, with samples behind it as of joinText(), plus 1, then UTF-8 and the varint of
 *   its time, or 0 for none; varint number of buckets, then each: signed distance of its key, as of
 *   lib/latency-buckets.ts, from the one before, varint count
 * - varint number of names, then each as in the record of the log
 */
const version = 1;
/** A block with versions of services, which instances of earlier releases leave to others. */
const releaseVersion = 2;
const headerBytes = 5;

/** The most bytes of a row without its message and its histogram, of one bucket, and of a name without its text. */
const rowBytesMax = 72;
const bucketBytesMax = 8;
const nameBytesMax = 1 + pageIdBytes;
const varintBytesMax = 10;

/**
 * Blocks are packed into this buffer, which is used again: with a new buffer for each write, Node.js collected garbage every
 * hundred writes, which took a third of their time.
 */
let scratch = Buffer.allocUnsafe(64 * 1024);
const keptBytesMax = 1024 * 1024;

/** Packs a block. Returns base64: the driver sends bytes in hexadecimal, half as many again, which takes longer. */
export function packBlock(block: Block): string {
  const numbers = new Map<Name, number>();
  const numberOf = (name: Name): number => {
    const known = numbers.get(name);
    if (known === undefined) numbers.set(name, numbers.size);
    return known ?? numbers.size - 1;
  };
  ensureRoom(0, rowsBound(block));
  let at = writeVarint(scratch, headerBytes, block.events);
  at = writeVarint(scratch, at, block.rows);
  let minute = 0;
  for (let row = 0; row < block.rows; row += 1) {
    const [source, endpoint, method] = [block.source[row], block.endpoint[row], block.method[row]];
    if (source === undefined || endpoint === undefined || method === undefined)
      throw new Error('A row lost its names.');
    at = writeVarint(scratch, at, numberOf(source));
    at = writeVarint(scratch, at, numberOf(endpoint));
    at = writeVarint(scratch, at, numberOf(method));
    at = writeFigures(scratch, at, block, row, minute);
    minute = block.minute[row] ?? 0;
    at = writeHistogram(scratch, at, block, row);
  }
  scratch[0] = block.hasReleases ? releaseVersion : version;
  scratch.writeUInt32LE(at, 1);
  // The names may need a larger buffer, which then is the scratch.
  const end = writeNames(at, [...numbers.keys()]);
  if (end > scratch.length)
    throw new Error(`A packed block of ${end} bytes exceeds the ${scratch.length} bytes reserved.`);
  const packed = scratch.toString('base64', 0, end);
  if (scratch.length > keptBytesMax) scratch = Buffer.allocUnsafe(keptBytesMax);
  return packed;
}

/** Bytes of a packed block at most, without its names. */
function rowsBound({ rows, histograms, message, samples }: Block): number {
  let bytes = headerBytes + 2 * varintBytesMax + rows * rowBytesMax + histograms.entries * bucketBytesMax;
  bytes += samples.bytes;
  for (let row = 0; row < rows; row += 1) bytes += 3 * (message[row]?.text.length ?? 0);
  return bytes;
}

/** Makes room for `more` bytes behind the first `used` ones. */
function ensureRoom(used: number, more: number): void {
  if (used + more <= scratch.length) return;
  const larger = Buffer.allocUnsafe(Math.max(2 * scratch.length, used + more));
  scratch.copy(larger, 0, 0, used);
  scratch = larger;
}

function writeNames(start: number, names: readonly Name[]): number {
  const releaseOf = (name: Name) => (isSource(name) ? name.release : undefined);
  const textBytes = names.reduce(
    (sum, name) => sum + name.encoded.length + (releaseOf(name)?.encoded.length ?? 0),
    0,
  );
  ensureRoom(start, varintBytesMax + names.length * nameBytesMax + textBytes);
  let at = writeVarint(scratch, start, names.length);
  for (const name of names) {
    const release = releaseOf(name);
    scratch[at++] = nameKinds[release !== undefined ? 'release' : isSource(name) ? name.kind : 'plain'];
    if (isSource(name)) at += name.pageBytes.copy(scratch, at);
    at += name.encoded.copy(scratch, at);
    if (release !== undefined) at += release.encoded.copy(scratch, at);
  }
  return at;
}

const isSource = (name: Name): name is Source => 'kind' in name;

function writeFigures(
  buffer: Buffer,
  start: number,
  block: Block,
  row: number,
  minuteBefore: number,
): number {
  let at = writeVarint(buffer, start, block.status[row] ?? 0);
  at = writeSigned(buffer, at, (block.minute[row] ?? 0) - minuteBefore);
  at = writeVarint(buffer, at, block.count[row] ?? 0);
  at = writeVarint(buffer, at, block.latencyCount[row] ?? 0);
  at = writeVarint(buffer, at, block.latencySumUs[row] ?? 0);
  at = writeVarint(buffer, at, block.reportedAt[row] ?? 0);
  const message = block.message[row];
  const samples = block.samples.textOf(row);
  if (message === undefined && samples === undefined) return writeVarint(buffer, at, 0);
  const text = samples === undefined ? (message?.text ?? '') : joinText(message?.text, samples);
  at = writeVarint(buffer, at, Buffer.byteLength(text) + 1);
  at += buffer.write(text, at, 'utf8');
  return writeVarint(buffer, at, message?.at ?? 0);
}

function writeHistogram(buffer: Buffer, start: number, { histograms }: Block, row: number): number {
  let at = writeVarint(buffer, start, histograms.bucketsOf(row));
  let before = 0;
  histograms.each(row, (bucket, count) => {
    at = writeSigned(buffer, at, bucket - before);
    at = writeVarint(buffer, at, count);
    before = bucket;
  });
  return at;
}

/** Writes a whole number that is not negative; by division, because shifts end at 32 bits. Returns the place behind it. */
export function writeVarint(buffer: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 127) {
    buffer[at++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  buffer[at++] = rest;
  return at;
}

/** Writes a whole number with its sign in the lowest bit. Returns the place behind it. */
export function writeSigned(buffer: Buffer, at: number, value: number): number {
  return writeVarint(buffer, at, value < 0 ? -2 * value - 1 : 2 * value);
}

/**
 * Adds a packed block to another. `names` has the names of the blocks before it. Yields after each name and each row, so
 * that 60,000 rows, which take 150 to 300 ms, need not be added at once.
 *
 * @throws Error for bytes of another version, or that packBlock() has not written; RangeError for bytes that end too early.
 */
export function* addPacked(bytes: Buffer, names: ReplayNames, to: Block): Generator<void, void> {
  const found = bytes.readUInt8(0);
  if (found !== version && found !== releaseVersion)
    throw new Error(`A packed block has the version ${found}, which is not known here.`);
  const namesAt = bytes.readUInt32LE(1);
  const named = yield* readNames(new Reader(bytes.subarray(namesAt)), names);
  const reader = new Reader(bytes.subarray(headerBytes, namesAt));
  to.events += reader.varint();
  const rows = reader.varint();
  let minute = 0;
  for (let i = 0; i < rows; i += 1) {
    const [source, endpoint, method] = [reader.varint(), reader.varint(), reader.varint()].map(
      (n) => named[n],
    );
    if (source === undefined || !isSource(source) || endpoint === undefined || method === undefined)
      throw new Error('A row of a packed block has no name.');
    const status = reader.varint();
    minute += reader.signed();
    const figures = {
      count: reader.varint(),
      latencyCount: reader.varint(),
      latencySumUs: reader.varint(),
      reportedAt: reader.varint(),
    };
    const { message, samples } = readTexts(reader);
    const row = to.mergeRow({ source, endpoint, method, status, minute }, { ...figures, message });
    if (samples !== undefined) to.samples.addGroups(row, source.pageBytes, samples);
    const buckets = reader.varint();
    let bucket = 0;
    for (let j = 0; j < buckets; j += 1) {
      bucket += reader.signed();
      to.histograms.add(row, bucket, reader.varint());
    }
    yield;
  }
  if (!reader.isAtEnd) throw new Error('A packed block goes on behind its last row.');
}

function* readNames(reader: Reader, names: ReplayNames): Generator<void, (Name | Source)[]> {
  const named: (Name | Source)[] = [];
  for (let left = reader.varint(); left > 0; left -= 1) {
    named.push(readName(reader, names));
    yield;
  }
  if (!reader.isAtEnd) throw new Error('A packed block goes on behind its last name.');
  return named;
}

function readTexts(reader: Reader): { message: Message | undefined; samples: SampleGroup[] | undefined } {
  const bytes = reader.varint();
  if (bytes === 0) return { message: undefined, samples: undefined };
  const { message, samples } = splitText(reader.text(bytes - 1));
  const at = reader.varint();
  return {
    message: message === undefined ? undefined : { text: message, at },
    samples: samples === undefined ? undefined : readGroups(samples),
  };
}
