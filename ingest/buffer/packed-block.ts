import type { Block, Message } from '../commit/collapse.js';
import type { Name, Source } from '../names/names.js';
import { nameKinds } from '../record/event-record.js';
import { Reader, type ReplayNames, readName } from '../record/replay-record.js';

/**
 * A block in a quarter of the bytes of RowBinary, because each name is there once and numbers are as short as they are:
 * PostgreSQL keeps it for a second, and that is paid for by the byte. A varint is an unsigned LEB128 number; a signed one
 * has its sign in the lowest bit.
 *
 * - u8 version
 * - varint number of names, then each: u8 kind as in the record of the log; the id of the page as 16 bytes of RowBinary
 *   for sources; the text as a String of RowBinary
 * - varint events, varint rows, then each row: varint number of the source, of the endpoint, of the method; varint
 *   status; signed minutes since the row before; varint count, count of response times, their sum in µs, time of the last
 *   report; varint bytes of the message plus 1, then UTF-8 and the varint of its time, or 0 for none; varint number of
 *   buckets, then each: signed distance of its key, as of lib/latency-buckets.ts, from the one before, varint count
 */
const version = 1;

/** The most bytes of a row without its message and its histogram, and of one bucket. */
const rowBytesMax = 72;
const bucketBytesMax = 8;
const varintBytesMax = 10;

/** Packs a block. */
export function packBlock(block: Block): Buffer {
  const names = new NumberedNames();
  const rows = Buffer.allocUnsafe(sizeBound(block));
  let at = writeVarint(rows, 0, block.events);
  at = writeVarint(rows, at, block.rows);
  let minute = 0;
  for (let row = 0; row < block.rows; row += 1) {
    const [source, endpoint, method] = [block.source[row], block.endpoint[row], block.method[row]];
    if (source === undefined || endpoint === undefined || method === undefined)
      throw new Error('A row lost its names.');
    at = writeVarint(rows, at, names.numberOf(source));
    at = writeVarint(rows, at, names.numberOf(endpoint));
    at = writeVarint(rows, at, names.numberOf(method));
    at = writeFigures(rows, at, block, row, minute);
    minute = block.minute[row] ?? 0;
    at = writeHistogram(rows, at, block, row);
  }
  return Buffer.concat([names.encode(), rows.subarray(0, at)]);
}

/** Bytes of a packed block at most, without its names. */
function sizeBound({ rows, histograms, message }: Block): number {
  let bytes = 2 * varintBytesMax + rows * rowBytesMax + histograms.entries * bucketBytesMax;
  for (let row = 0; row < rows; row += 1) bytes += 3 * (message[row]?.text.length ?? 0);
  return bytes;
}

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
  if (message === undefined) return writeVarint(buffer, at, 0);
  at = writeVarint(buffer, at, Buffer.byteLength(message.text) + 1);
  at += buffer.write(message.text, at, 'utf8');
  return writeVarint(buffer, at, message.at);
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

/** The names of a packed block, numbered in the order in which they came. */
class NumberedNames {
  private readonly numbers = new Map<Name, number>();

  numberOf(name: Name): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(name, number);
    return number;
  }

  /** Returns the version, and the names in their order. */
  encode(): Buffer {
    const header = Buffer.allocUnsafe(1 + varintBytesMax);
    header[0] = version;
    const chunks: Buffer[] = [header.subarray(0, writeVarint(header, 1, this.numbers.size))];
    for (const name of this.numbers.keys()) {
      chunks.push(...(isSource(name) ? [kindByte(name), name.pageBytes] : [plainByte]), name.encoded);
    }
    return Buffer.concat(chunks);
  }
}

const plainByte = Buffer.of(nameKinds.plain);
const kindBytes = { service: Buffer.of(nameKinds.service), reporter: Buffer.of(nameKinds.reporter) };
const kindByte = ({ kind }: Source): Buffer => kindBytes[kind];
const isSource = (name: Name): name is Source => 'kind' in name;

/** Writes a whole number that is not negative; by division, because shifts end at 32 bits. */
function writeVarint(buffer: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 127) {
    buffer[at++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  buffer[at++] = rest;
  return at;
}

function writeSigned(buffer: Buffer, at: number, value: number): number {
  return writeVarint(buffer, at, value < 0 ? -2 * value - 1 : 2 * value);
}

/**
 * Adds a packed block to another. `names` has the names of the blocks before it.
 *
 * @throws Error for bytes of another version, or that packBlock() has not written; RangeError for bytes that end too early.
 */
export function addPacked(bytes: Buffer, names: ReplayNames, to: Block): void {
  const reader = new Reader(bytes);
  const found = reader.uint8();
  if (found !== version) throw new Error(`A packed block has the version ${found}, which is not known here.`);
  const named = Array.from({ length: reader.varint() }, () => readName(reader, names));
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
    const row = to.mergeRow(
      { source, endpoint, method, status, minute },
      {
        count: reader.varint(),
        latencyCount: reader.varint(),
        latencySumUs: reader.varint(),
        reportedAt: reader.varint(),
        message: readMessage(reader),
      },
    );
    const buckets = reader.varint();
    let bucket = 0;
    for (let j = 0; j < buckets; j += 1) {
      bucket += reader.signed();
      to.histograms.add(row, bucket, reader.varint());
    }
  }
  if (!reader.isAtEnd) throw new Error('A packed block goes on behind its last row.');
}

function readMessage(reader: Reader): Message | undefined {
  const bytes = reader.varint();
  if (bytes === 0) return undefined;
  return { text: reader.text(bytes - 1), at: reader.varint() };
}
