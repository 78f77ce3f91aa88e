import { ByteTable, viewOf } from './byte-table.js';
import { Token } from './json-cursor.js';

/** The fields of an event, by number. */
export const service = 0;
export const endpoint = 1;
export const method = 2;
export const status = 3;
export const latency = 4;
export const message = 5;
export const time = 6;

/** An alias of a field. Of several in one event, the one of the lowest rank counts. */
export type Key = { field: number; rank: number; bit: number; quoted: Token };

const names = [
  [service, 'service', 'app', 'component'],
  [endpoint, 'endpoint', 'path', 'route'],
  [method, 'method'],
  [status, 'status', 'statusCode', 'status_code'],
  [latency, 'ms', 'duration_ms'],
  [message, 'message', 'error'],
  [time, 'at'],
] as const;

export const fieldsCount = names.length;

/** The name of the field that a key stands for. */
export const fieldOf: ReadonlyMap<string, string> = new Map(
  names.flatMap(([, name, ...aliases]) => [name, ...aliases].map((key) => [key, name] as const)),
);

/** The keys by their bytes. */
export const keys = makeKeys();

function makeKeys(): ByteTable<Key> {
  const table = new ByteTable<Key>(64);
  for (const [field, ...aliases] of names) {
    for (const [rank, name] of aliases.entries()) {
      const bytes = Buffer.from(name);
      const key = { field, rank, bit: 1 << table.size, quoted: new Token(Buffer.from(`"${name}":`)) };
      table.set(viewOf(bytes), 0, bytes.length, key);
    }
  }
  return table;
}
