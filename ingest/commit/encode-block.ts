import { middleOf } from '../../lib/latency-buckets.js';
import { createSlices } from '../../lib/slices.js';
import { encodeString } from '../names/names.js';
import { joinText } from '../samples/sample.js';
import type { Block } from './collapse.js';

/** The columns of `landing_blocks` in the order in which a row is written. */
export const landingColumns = [
  'page_id',
  'kind',
  'service',
  'endpoint',
  'method',
  'status',
  'minute',
  'requests',
  'latency_count',
  'latency_sum_us',
  'latency_values_ms',
  'latency_weights',
  'message',
  'message_at',
  'reported_at',
] as const;

/**
 * A block with versions begins with its columns, as in RowBinaryWithNames, and has two more of them. A block without is
 * the same bytes as of instances that know no versions. No id of a page begins as the names do: it would be a UUID of
 * version 0.
 */
const releaseColumns = [...landingColumns, 'version', 'environment'] as const;
const header = Buffer.concat([
  Buffer.of(releaseColumns.length),
  ...releaseColumns.map((name) => encodeString(name)),
]);
/** Both are empty. */
const noRelease = Buffer.of(0, 0);

/** The columns of an encoded block, and its format in ClickHouse. */
export function formOf(bytes: Buffer): { columns: readonly string[]; format: string } {
  const isNamed = bytes.subarray(0, header.length).equals(header);
  return isNamed
    ? { columns: releaseColumns, format: 'RowBinaryWithNames' }
    : { columns: landingColumns, format: 'RowBinary' };
}

/** Bytes of a row without its names, its message and its histogram, with room for the length prefixes. */
const fixedBytes = 96;
const bytesPerEntry = 8;

/** A row takes as long as this many buckets of its histogram. */
const bucketsPerRow = 20;
/** Writing so many buckets takes some 5 to 10 ms. */
const bucketsPerSlice = 100_000;

/**
 * Encodes a block as formOf() says: numbers little-endian, arrays and strings behind an unsigned LEB128 length.
 * The same block always gives the same bytes, as a retry under the same token requires. A block of a few writes only:
 * tens of thousands of rows keep the process busy for 0.1 s.
 */
export function encodeBlock(block: Block): Buffer {
  const buffer = Buffer.allocUnsafe(encodedBytesMax(block));
  let at = block.hasReleases ? header.copy(buffer) : 0;
  for (let row = 0; row < block.rows; row += 1) at = writeRow(buffer, at, block, row, block.hasReleases);
  return buffer.subarray(0, at);
}

/**
 * Encodes a block into the same bytes, and gives the event loop back after every few thousand rows. The block must not
 * change meanwhile.
 */
export function encodeInSlices(block: Block): Promise<Buffer> {
  return encodePart(block, { isFirst: true, hasReleases: block.hasReleases });
}

/** Encodes the rows of a block as a part of a larger one, which has versions or not as a whole, and the first part first. */
export async function encodePart(
  block: Block,
  { isFirst, hasReleases }: { isFirst: boolean; hasReleases: boolean },
): Promise<Buffer> {
  // A first part without versions has the header for those behind it.
  const buffer = Buffer.allocUnsafe(header.length + encodedBytesMax(block));
  const spend = createSlices(bucketsPerSlice);
  let at = isFirst && hasReleases ? header.copy(buffer) : 0;
  for (let row = 0; row < block.rows; row += 1) {
    at = writeRow(buffer, at, block, row, hasReleases);
    const pause = spend(bucketsPerRow + block.histograms.bucketsOf(row));
    if (pause !== undefined) await pause;
  }
  return buffer.subarray(0, at);
}

/** Returns a size that the encoded block does not exceed, in bytes. */
export function encodedBytesMax({ rows, hasReleases, histograms, textBytes, samples }: Block): number {
  const figures = rows * fixedBytes + histograms.entries * bytesPerEntry;
  return (hasReleases ? header.length : 0) + figures + textBytes + samples.bytes;
}

function writeRow(buffer: Buffer, start: number, block: Block, row: number, hasReleases: boolean): number {
  const [source, endpoint, method] = [block.source[row], block.endpoint[row], block.method[row]];
  if (source === undefined || endpoint === undefined || method === undefined)
    throw new Error('A row lost its names.');
  const message = block.message[row];
  const samples = block.samples.textOf(row);
  let at = start;
  at += source.pageBytes.copy(buffer, at);
  at = buffer.writeInt8(source.kind === 'service' ? 1 : 2, at);
  at += source.encoded.copy(buffer, at);
  at += endpoint.encoded.copy(buffer, at);
  at += method.encoded.copy(buffer, at);
  at = buffer.writeUInt16LE(block.status[row] ?? 0, at);
  at = buffer.writeUInt32LE((block.minute[row] ?? 0) * 60, at);
  at = buffer.writeUInt32LE(block.count[row] ?? 0, at);
  at = buffer.writeUInt32LE(block.latencyCount[row] ?? 0, at);
  at = writeUInt64(buffer, at, block.latencySumUs[row] ?? 0);
  at = writeHistogram(buffer, at, block, row);
  at = writeString(
    buffer,
    at,
    samples === undefined ? (message?.text ?? '') : joinText(message?.text, samples),
  );
  at = writeUInt64(buffer, at, message?.at ?? 0);
  at = writeUInt64(buffer, at, block.reportedAt[row] ?? 0);
  if (hasReleases) at += (source.release?.encoded ?? noRelease).copy(buffer, at);
  return at;
}

/** The store puts a time into its bucket again: blocks of earlier versions hold the times of other buckets. */
function writeHistogram(buffer: Buffer, start: number, block: Block, row: number): number {
  const { histograms } = block;
  const length = histograms.bucketsOf(row);
  const values = writeVarint(buffer, start, length);
  const weights = writeVarint(buffer, values + 4 * length, length);
  let i = 0;
  histograms.each(row, (bucket, count) => {
    buffer.writeFloatLE(middleOf(bucket), values + 4 * i);
    buffer.writeUInt32LE(count, weights + 4 * i);
    i += 1;
  });
  return weights + 4 * length;
}

function writeVarint(buffer: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 127) {
    buffer[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  buffer[at++] = rest;
  return at;
}

/** Writes a whole number up to 2^53. DateTime64 has the same bytes for times after 1970. */
function writeUInt64(buffer: Buffer, at: number, value: number): number {
  buffer.writeUInt32LE(value % 0x1_0000_0000, at);
  return buffer.writeUInt32LE(Math.floor(value / 0x1_0000_0000), at + 4);
}

function writeString(buffer: Buffer, start: number, text: string): number {
  const at = writeVarint(buffer, start, Buffer.byteLength(text));
  return at + buffer.write(text, at, 'utf8');
}
