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

/** The name of the field that a key stands for. */
export const fieldOf: ReadonlyMap<string, string> = new Map(
  fields.flatMap(([name, ...aliases]) => [name, ...aliases].map((key) => [key, name] as const)),
);
