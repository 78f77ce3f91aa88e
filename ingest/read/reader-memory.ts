import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { limits } from '../../contract/limits.js';
import { fields } from './event-keys.js';

/** The part of the WebAssembly API of JavaScript that is used here; the types of Node.js do not have it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance<Exports> {
    constructor(module: Module);
    readonly exports: Exports;
  }
  class RuntimeError extends Error {}
}

/** A place or a size; see `wasm/layout.ts`. */
type Constant = { readonly value: number };

/** The exports of `wasm/reader.ts`. */
type Exports = {
  memory: { buffer: ArrayBuffer };
  begin(seed: bigint): void;
  addKey(bytes: number, field: number): void;
  readBody(
    length: number,
    page: number,
    version: number,
    arrivalMs: number,
    oldestMs: number,
    newestMs: number,
  ): number;
  addSpelling(page: number, kind: number, start: number, length: number, number: number): number;
  emptyDictionary(): void;
} & Record<
  | 'AT_MS'
  | 'BODY'
  | 'BODY_BYTES_MAX'
  | 'ENDPOINT'
  | 'EVENT_END'
  | 'EVENT_START'
  | 'EVENTS_MAX'
  | 'LATENCY_MS'
  | 'LEFTOVERS'
  | 'LEFTOVERS_OF_EVENT'
  | 'MEMORY_BYTES'
  | 'METHOD'
  | 'OUTCOME'
  | 'PADDING_BYTES'
  | 'SOURCE'
  | 'SPELLING_BYTES_MAX'
  | 'STATUS',
  Constant
>;

const module = new WebAssembly.Module(readFileSync(new URL('./reader.wasm', import.meta.url)));

export type ReaderMemory = ReturnType<typeof openReaderMemory>;

/** Makes an instance of the reader of bodies, and views of what it reads and writes. It takes 8 MB, as far as it is used. */
export function openReaderMemory() {
  const { exports } = new WebAssembly.Instance<Exports>(module);
  const { buffer } = exports.memory;
  const count = limits.eventsPerBatch;
  if (count !== exports.EVENTS_MAX.value || limits.eventBodyBytes !== exports.BODY_BYTES_MAX.value)
    throw new Error('The limits of a body differ from the ones in ingest/read/wasm/layout.ts.');
  if (buffer.byteLength !== exports.MEMORY_BYTES.value)
    throw new Error('The memory of the reader differs from the one in ingest/read/wasm/layout.ts.');
  const bytes = Buffer.from(buffer);
  exports.begin(randomBytes(8).readBigUInt64LE());
  for (const [field, names] of fields.entries()) {
    for (const name of names) exports.addKey(bytes.write(`"${name}":`, exports.BODY.value, 'latin1'), field);
  }
  const u32 = (place: Constant, length: number) => new Uint32Array(buffer, place.value, length);
  return {
    /** The whole memory. Addresses are places in it. */
    bytes,
    body: exports.BODY.value,
    bodyBytesMax: exports.BODY_BYTES_MAX.value,
    paddingBytes: exports.PADDING_BYTES.value,
    spellingBytesMax: exports.SPELLING_BYTES_MAX.value,
    /** Columns, with a value for each element of the array of events; see `wasm/layout.ts`. */
    atMs: new Float64Array(buffer, exports.AT_MS.value, count),
    latencyMs: new Float64Array(buffer, exports.LATENCY_MS.value, count),
    status: new Uint16Array(buffer, exports.STATUS.value, count),
    source: u32(exports.SOURCE, count),
    endpoint: u32(exports.ENDPOINT, count),
    method: u32(exports.METHOD, count),
    eventStart: u32(exports.EVENT_START, count),
    eventEnd: u32(exports.EVENT_END, count),
    /** Four numbers for each leftover; see `wasm/leftovers.ts`. */
    leftovers: u32(exports.LEFTOVERS, 4 * exports.LEFTOVERS_OF_EVENT.value * count),
    /** See `wasm/body.ts`. */
    outcome: u32(exports.OUTCOME, 10),
    readBody: exports.readBody,
    addSpelling: exports.addSpelling,
    emptyDictionary: exports.emptyDictionary,
  };
}

/** Returns whether an error is a trap: WebAssembly was about to leave its memory, or to do what it must not. */
export function isTrap(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError;
}
