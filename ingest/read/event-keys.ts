/** A field of an event and its names, in the order in which the first one that is present counts. */
type Field = readonly [name: string, ...aliases: string[]];

/** The fields of an event, by the number that `wasm/events.ts` has for them. */
export const fields: readonly Field[] = [
  ['service', 'app', 'component'],
  ['endpoint', 'path', 'route'],
  ['method'],
  ['status', 'statusCode', 'status_code'],
  ['ms', 'duration_ms'],
  ['message', 'error'],
  ['at'],
];

/** Further fields of a failing event, which the reader in WebAssembly leaves to JSON.parse. */
const sampleFields: readonly Field[] = [
  ['traceId', 'trace_id'],
  ['spanId', 'span_id'],
  ['errorType', 'error_type'],
  ['stack'],
  ['attributes'],
];

/** The name of the field that a key stands for. */
export const fieldOf: ReadonlyMap<string, string> = new Map(
  [...fields, ...sampleFields].flatMap(([name, ...aliases]) =>
    [name, ...aliases].map((key) => [key, name] as const),
  ),
);
