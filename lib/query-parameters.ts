import { ServiceError } from './service-error.js';
import { parseTimestamp } from './timestamp.js';

/** Query parameters as the HTTP layer gives them: an array is a parameter that is given more than once. */
export type QueryParameters = Readonly<Record<string, string | string[] | undefined>>;

/** The parameters of one request: each is known and given once. */
export type Parameters<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** @throws ServiceError `invalidParameter` for an unknown parameter, and for one that is given twice. */
export function parseParameters<Name extends string>(
  query: QueryParameters,
  names: readonly Name[],
): Parameters<Name> {
  const values: Partial<Record<Name, string>> = {};
  for (const [given, value] of Object.entries(query)) {
    const name = names.find((known) => known === given);
    if (name === undefined) {
      throw invalid(`There is no parameter "${given.slice(0, 60)}"; known are ${names.join(', ')}.`);
    }
    if (Array.isArray(value)) throw invalid(`Parameter "${name}" is given more than once.`);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

const zone = /(Z|[+-]\d\d(:?\d\d)?)$/;

/** Returns `from` and `to` in milliseconds since the epoch. @throws ServiceError `invalidParameter`. */
export function parseRange(parameters: Parameters<'from' | 'to'>): { from: number; to: number } {
  const from = parseTime('from', parameters.from);
  const to = parseTime('to', parameters.to);
  if (from >= to) throw invalid('Parameter "from" must be before "to".');
  return { from, to };
}

// ClickHouse's DateTime ends in 2106.
const lastTime = Date.UTC(2106, 0, 1);

function parseTime(name: string, value: string | undefined): number {
  if (value === undefined) throw invalid(`Parameter "${name}" is missing.`);
  const time = zone.test(value) ? parseTimestamp(value) : NaN;
  if (!(time >= 0 && time <= lastTime)) {
    throw invalid(
      `Parameter "${name}" must be a time that exists, with a zone, such as 2026-01-31T23:00:00Z (a "+" in it is written %2B).`,
    );
  }
  return time;
}

/**
 * Parses a whole number in decimal digits, from `minimum` to `maximum`.
 *
 * @throws ServiceError `invalidParameter` for any other text.
 */
export function parseInteger(name: string, value: string, minimum: number, maximum: number): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : NaN;
  if (!(number >= minimum && number <= maximum)) {
    throw invalid(`Parameter "${name}" must be a whole number from ${minimum} to ${maximum}.`);
  }
  return number;
}

/** The error of a query parameter; `detail` is the sentence for the caller. */
export function invalid(detail: string): ServiceError {
  return new ServiceError('invalidParameter', { message: detail });
}
