import type { PostgresType } from 'postgres';

type Element = { oid: number; parse(text: string): unknown };

/** Array types of PostgreSQL that the service sends or receives, by their OIDs in pg_type. */
const elements: Readonly<Record<string, Element>> = {
  integers: { oid: 1007, parse: Number },
  texts: { oid: 1009, parse: (text) => text },
  times: { oid: 1185, parse: (text) => new Date(text) },
  uuids: { oid: 2951, parse: (text) => text },
};

/**
 * Returns types of one-dimensional arrays for the `types` of the driver. The driver can query each new connection for
 * the array types of the database, but postgres 3.4.9 does not await that promise: a connection that is lost at that
 * moment ends the process with an unhandled rejection.
 */
export function arrayTypes(): Record<string, PostgresType> {
  return Object.fromEntries(
    Object.entries(elements).map(([name, { oid, parse }]) => [
      name,
      { to: oid, from: [oid], serialize: serializeArray, parse: (text: string) => parseArray(text, parse) },
    ]),
  );
}

/** Writes the text form of an array (PostgreSQL manual, 8.15.2) with each element in quotes. */
function serializeArray(values: readonly unknown[]): string {
  return `{${values.map(serializeElement).join(',')}}`;
}

function serializeElement(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value === null) return 'NULL';
  if (value === undefined) throw new TypeError('An array for PostgreSQL holds undefined.');
  const text = String(value);
  // Most elements are ids, and a write of many batches has thousands: a replacement takes ten times as long as a look.
  if (!text.includes('"') && !text.includes('\\')) return `"${text}"`;
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

const element = /"((?:[^"\\]|\\.)*)"|([^",{}]+)/gs;

function parseArray(text: string, parse: (text: string) => unknown): unknown[] {
  return [...text.matchAll(element)].map(([, quoted, plain]) => {
    if (plain === 'NULL') return null;
    return parse(quoted === undefined ? (plain ?? '') : quoted.replaceAll(/\\(.)/gs, '$1'));
  });
}
