import { describeSent } from './mistakes/describe-sent.js';
import { ServiceError } from './service-error.js';
import { dayMs, hourMs, minuteMs } from './times.js';
import { parseDay, parseTimestamp } from './timestamp.js';

/** Query parameters as the HTTP layer gives them: an array is a parameter that is given more than once. */
export type QueryParameters = Readonly<Record<string, string | string[] | undefined>>;

/** The parameters of one request: each is known and given once. */
export type Parameters<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/**
 * @throws ServiceError `invalidParameter` for an unknown parameter, for one that is given twice, and for one with the
 *   character 0, which no text in PostgreSQL may have.
 */
export function parseParameters<Name extends string>(
  query: QueryParameters,
  names: readonly Name[],
): Parameters<Name> {
  const values: Partial<Record<Name, string>> = {};
  for (const [given, value] of Object.entries(query)) {
    const name = names.find((known) => known === given);
    if (name === undefined) {
      const known = names.length === 0 ? 'this route takes none' : `known are ${names.join(', ')}`;
      throw invalid(`There is no parameter "${given.slice(0, 60)}"; ${known}.`);
    }
    if (Array.isArray(value)) throw invalid(`Parameter "${name}" is given more than once.`);
    if (value?.includes('\0')) throw invalidValue(name, 'a text without the character 0', value);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** Length of a range of which only the end is known. */
const usualRangeMs = hourMs;

/**
 * Returns `from` and `to` in milliseconds since the epoch. Without `to` the range ends at `now`, and without `from` it
 * is an hour long.
 *
 * @throws ServiceError `invalidParameter`.
 */
export function parseRange(parameters: Parameters<'from' | 'to'>, now: number): { from: number; to: number } {
  const to = parameters.to === undefined ? now : parseTime('to', parameters.to, now);
  const from = parameters.from === undefined ? to - usualRangeMs : parseTime('from', parameters.from, now);
  if (from >= to) throw invalid('Parameter "from" must be before "to", which is now unless it is given.');
  return { from, to };
}

/**
 * Returns `from` and `to`, as far as they are given, in milliseconds since the epoch.
 *
 * @throws ServiceError `invalidParameter`.
 */
export function parseEnds(
  { from, to }: Parameters<'from' | 'to'>,
  now: number,
): Partial<Record<'from' | 'to', number>> {
  const ends = {
    ...(from !== undefined && { from: parseTime('from', from, now) }),
    ...(to !== undefined && { to: parseTime('to', to, now) }),
  };
  if (ends.from !== undefined && ends.to !== undefined && ends.from >= ends.to) {
    throw invalid('Parameter "from" must be before "to".');
  }
  return ends;
}

/**
 * Returns the time of a parameter in milliseconds since the epoch, in the forms of `from`; `now` when it is absent.
 *
 * @throws ServiceError `invalidParameter`.
 */
export function parseMoment(name: string, text: string | undefined, now: number): number {
  return text === undefined ? now : parseTime(name, text, now);
}

const zone = /(Z|[+-]\d\d(:?\d\d)?)$/;
const relative = /^now(?:-(\d{1,6})([mhd]))?$/;
const unitsMs: Readonly<Record<string, number>> = { m: minuteMs, h: hourMs, d: dayMs };
// ClickHouse's DateTime ends in 2106.
const lastTime = Date.UTC(2106, 0, 1);

function parseTime(name: string, text: string, now: number): number {
  const time = timeOf(name, text, now);
  if (time >= 0 && time <= lastTime) return time;
  const forms =
    'a time with a zone such as 2026-01-31T23:00:00Z (write a "+" as %2B), a date such as 2026-01-31, or relative to now: now, now-30m, now-6h or now-7d';
  throw invalidValue(name, forms, text);
}

/** A date as `from` is the start of that UTC day and as `to` its end, so that one date as both is that day. */
function timeOf(name: string, text: string, now: number): number {
  const [isRelative, amount = '0', unit = 'm'] = relative.exec(text) ?? [];
  if (isRelative !== undefined) return now - Number(amount) * (unitsMs[unit] ?? Number.NaN);
  if (zone.test(text) && text.includes('T')) return parseTimestamp(text);
  return parseDay(text) + (name === 'to' ? dayMs : 0);
}

/**
 * Parses a whole number in decimal digits, from `minimum` to `maximum`.
 *
 * @throws ServiceError `invalidParameter` for any other text.
 */
export function parseInteger(name: string, value: string, minimum: number, maximum: number): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : NaN;
  if (!(number >= minimum && number <= maximum)) {
    throw invalidValue(name, `a whole number from ${minimum} to ${maximum}`, value);
  }
  return number;
}

/** Returns the error of a parameter with a value that is not `allowed`, as in `one of a, b`. */
export function invalidValue(name: string, allowed: string, sent: string): ServiceError {
  return invalid(`Parameter "${name}" must be ${allowed}; it was ${describeSent(sent)}.`);
}

/** Returns the error of a query parameter; `detail` is the sentence for the caller. */
export function invalid(detail: string): ServiceError {
  return new ServiceError('invalidParameter', { message: detail });
}
