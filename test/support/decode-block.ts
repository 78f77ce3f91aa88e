import { formOf } from '../../ingest/commit/encode-block.js';

/** A row of the landing table as RowBinary holds it; the histogram is pairs in the order of the values. */
export type DecodedRow = {
  pageId: string;
  kind: number;
  service: string;
  endpoint: string;
  method: string;
  status: number;
  /** Seconds since the epoch. */
  minute: number;
  requests: number;
  latencyCount: number;
  latencySumUs: bigint;
  histogram: [valueMs: number, weight: number][];
  message: string;
  messageAt: bigint;
  reportedAt: bigint;
  /** In a block with versions. */
  version?: string;
  environment?: string;
};

/**
 * Decodes RowBinary by its definition, or RowBinaryWithNames with two more columns; throws when the bytes do not end with a
 * row.
 */
export function decodeBlock(bytes: Buffer): DecodedRow[] {
  const rows: DecodedRow[] = [];
  let at = 0;
  const advance = (length: number): number => {
    at += length;
    return at - length;
  };
  const varint = (): number => {
    for (let [value, shift] = [0, 0]; ; shift += 7) {
      const byte = bytes.readUInt8(advance(1));
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const text = (): string => {
    const length = varint();
    const start = advance(length);
    return bytes.toString('utf8', start, start + length);
  };
  const uuid = (): string => {
    const half = (): string => bytes.readBigUInt64LE(advance(8)).toString(16).padStart(16, '0');
    return `${half()}${half()}`.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  const array = (read: () => number): number[] => Array.from({ length: varint() }, read);
  const { columns, format } = formOf(bytes);
  if (format === 'RowBinaryWithNames') {
    const names = Array.from({ length: varint() }, text);
    if (names.join() !== columns.join()) throw new Error(`The columns are ${names.join()}.`);
  }
  while (at < bytes.length) {
    const row = {
      pageId: uuid(),
      kind: bytes.readInt8(advance(1)),
      service: text(),
      endpoint: text(),
      method: text(),
      status: bytes.readUInt16LE(advance(2)),
      minute: bytes.readUInt32LE(advance(4)),
      requests: bytes.readUInt32LE(advance(4)),
      latencyCount: bytes.readUInt32LE(advance(4)),
      latencySumUs: bytes.readBigUInt64LE(advance(8)),
    };
    const values = array(() => bytes.readFloatLE(advance(4)));
    const weights = array(() => bytes.readUInt32LE(advance(4)));
    const histogram = values.map((value, i): [number, number] => [value, weights[i] ?? Number.NaN]);
    if (weights.length !== values.length) throw new Error('A histogram has as many weights as values.');
    rows.push({
      ...row,
      histogram: histogram.sort(([a], [b]) => a - b),
      message: text(),
      messageAt: bytes.readBigInt64LE(advance(8)),
      reportedAt: bytes.readBigInt64LE(advance(8)),
      ...(columns.includes('version') && { version: text(), environment: text() }),
    });
  }
  return rows;
}
