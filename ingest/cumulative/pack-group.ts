import { writeSigned, writeVarint } from '../buffer/packed-block.js';
import { Reader } from '../record/replay-record.js';
import type { Counts, ExponentialCounts } from './histogram.js';
import { Group, type Series, weightOf } from './series.js';

/**
 * A group as PostgreSQL keeps it: a series with 15 buckets takes some 35 bytes. A varint is an unsigned LEB128 number, a
 * signed one has its sign in the lowest bit; other numbers are little-endian.
 *
 * - u8 version, then each series: u8 of the flags below; u32 and u24 of the hash; unless they are those of the series
 *   before it: f64 start, f64 time, varint minute of arrival, u32 layout of its bounds; varint count; for exponential
 *   buckets signed scale, varint zero count, signed place of the first bucket; varint number of buckets, then the varint
 *   count of each
 */
const version = 1;
const flags = { sameStart: 1, sameTime: 2, sameMinute: 4, sameLayout: 8, exponential: 16 } as const;

/** Bytes of a series without its buckets, and of a number, at most. */
const seriesBytesMax = 90;
const numberBytesMax = 8;

let scratch = Buffer.allocUnsafe(64 * 1024);
const keptBytesMax = 1024 * 1024;

/** Packs the series that were seen since `seenFrom`, in minutes since the epoch. Returns base64, and the sum of their weights. */
export function packGroup(group: Group, seenFrom: number): { packed: string; weight: number } {
  let at = 0;
  let weight = 0;
  let before: Series | undefined;
  let layout: number | undefined;
  ensureRoom(0, 1);
  scratch[at++] = version;
  for (const series of group.all()) {
    if (series.seenMinute < seenFrom) continue;
    ensureRoom(at, seriesBytesMax + series.counts.counts.length * numberBytesMax);
    at = writeSeries(at, series, before, layout);
    weight += weightOf(series.counts);
    before = series;
    if (series.counts.kind === 'explicit') layout = series.counts.layout;
  }
  const packed = scratch.toString('base64', 0, at);
  if (scratch.length > keptBytesMax) scratch = Buffer.allocUnsafe(keptBytesMax);
  return { packed, weight };
}

function ensureRoom(used: number, more: number): void {
  if (used + more <= scratch.length) return;
  const larger = Buffer.allocUnsafe(Math.max(2 * scratch.length, used + more));
  scratch.copy(larger, 0, 0, used);
  scratch = larger;
}

function writeSeries(
  start: number,
  series: Series,
  before: Series | undefined,
  layout: number | undefined,
): number {
  const { counts } = series;
  const isExplicit = counts.kind === 'explicit';
  const same =
    (series.startMs === before?.startMs ? flags.sameStart : 0) |
    (series.timeMs === before?.timeMs ? flags.sameTime : 0) |
    (series.seenMinute === before?.seenMinute ? flags.sameMinute : 0) |
    (isExplicit && counts.layout === layout ? flags.sameLayout : 0);
  let at = start;
  scratch[at++] = same | (isExplicit ? 0 : flags.exponential);
  at = scratch.writeUInt32LE(series.hash % 0x1_0000_0000, at);
  at = scratch.writeUIntLE(Math.floor(series.hash / 0x1_0000_0000), at, 3);
  if ((same & flags.sameStart) === 0) at = scratch.writeDoubleLE(series.startMs, at);
  if ((same & flags.sameTime) === 0) at = scratch.writeDoubleLE(series.timeMs, at);
  if ((same & flags.sameMinute) === 0) at = writeVarint(scratch, at, series.seenMinute);
  if (isExplicit && (same & flags.sameLayout) === 0) at = scratch.writeUInt32LE(counts.layout, at);
  at = writeVarint(scratch, at, series.count);
  if (!isExplicit) {
    at = writeSigned(scratch, at, counts.scale);
    at = writeVarint(scratch, at, counts.zero);
    at = writeSigned(scratch, at, counts.first);
  }
  at = writeVarint(scratch, at, counts.counts.length);
  for (const count of counts.counts) at = writeVarint(scratch, at, count);
  return at;
}

/** Returns the group that packGroup() has packed. @throws Error for another version, RangeError for bytes that end early. */
export function unpackGroup(bytes: Buffer): Group {
  const group = new Group();
  if (bytes.length === 0) return group;
  const reader = new Reader(bytes);
  const found = reader.uint8();
  if (found !== version)
    throw new Error(`A group of series has the version ${found}, which is not known here.`);
  let [startMs, timeMs, seenMinute, layout] = [0, 0, 0, 0];
  while (!reader.isAtEnd) {
    const same = reader.uint8();
    const low = reader.uint32();
    const hash = (reader.uint8() + reader.uint16() * 256) * 0x1_0000_0000 + low;
    if ((same & flags.sameStart) === 0) startMs = reader.float64();
    if ((same & flags.sameTime) === 0) timeMs = reader.float64();
    if ((same & flags.sameMinute) === 0) seenMinute = reader.varint();
    const isExplicit = (same & flags.exponential) === 0;
    if (isExplicit && (same & flags.sameLayout) === 0) layout = reader.uint32();
    const count = reader.varint();
    const counts: Counts = isExplicit
      ? { kind: 'explicit', layout, counts: readCounts(reader) }
      : readExponential(reader);
    group.add({ hash, startMs, timeMs, seenMinute, count, counts, next: undefined });
  }
  return group;
}

function readExponential(reader: Reader): ExponentialCounts {
  const [scale, zero, first] = [reader.signed(), reader.varint(), reader.signed()];
  return { kind: 'exponential', scale, zero, first, counts: readCounts(reader) };
}

function readCounts(reader: Reader): number[] {
  const counts: number[] = [];
  for (let left = reader.varint(); left > 0; left -= 1) counts.push(reader.varint());
  return counts;
}
