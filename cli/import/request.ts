import { type HttpMethod, httpMethods, monitorDefaults, monitorLimits } from '../../contract/monitors.js';

/**
 * A difference from the source. With `mended`, the row has a value that no monitor can have, and is taken with another one:
 * the command then ends with 1, as for a row that is left.
 */
export type Note = string | { mended: string };

export const sayNote = (note: Note): string => (typeof note === 'string' ? note : note.mended);

/** A number within its bounds. `tell` gets what it became when it was outside of them. */
export function within(
  value: number,
  { min, max }: { min: number; max: number },
  tell: (inside: number) => void,
): number {
  const inside = Math.min(max, Math.max(min, Math.round(value)));
  if (inside !== Math.round(value)) tell(inside);
  return inside;
}

/** A text without the user names and passwords of the addresses in it. */
export function hideCredentials(text: string): string {
  return text.replaceAll(/([a-z][a-z\d+.-]*:)([/\\]{0,3})[^\s/?#\\"'<>]*@/gi, (match, scheme, slashes) =>
    slashes === '' && !/^https?:$/i.test(scheme) ? match : `${scheme}${slashes}…@`,
  );
}

/** An address, and the header that says the user name and the password that were in it. */
export type TakenAddress = { url: string; authorization?: string };

/** Takes the user name and the password out of an address of HTTP; any other text stays. */
export function takeAddress(text: string): TakenAddress {
  const trimmed = text.trim();
  if (!/^https?:/i.test(trimmed) || !URL.canParse(trimmed)) return { url: trimmed };
  const url = new URL(trimmed);
  if (url.username === '' && url.password === '') return { url: trimmed };
  const authorization = basicAuthorization(decoded(url.username), decoded(url.password));
  url.username = '';
  url.password = '';
  return { url: url.href, authorization };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The header of RFC 7617. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Joins headers: a later one replaces an earlier one of the same name, in any case. */
export function joinHeaders(...lists: readonly (readonly [string, string])[][]): Record<string, string> {
  const byName = new Map<string, readonly [string, string]>();
  for (const header of lists.flat()) byName.set(header[0].toLowerCase(), header);
  return Object.fromEntries(byName.values());
}

/** The method, or GET with a note. */
export function methodOf(text: string, notes: Note[]): HttpMethod {
  const known = httpMethods.find((one) => one === (text || 'GET').toUpperCase());
  if (known === undefined) notes.push({ mended: `the method ${text} is not there: GET takes its place` });
  return known ?? 'GET';
}

/** The interval and the timeout of a monitor, in seconds, within what there may be. */
export function timingOf(
  { everySeconds, timeoutSeconds }: { everySeconds: number; timeoutSeconds: number },
  notes: Note[],
): { everySeconds: number; timeoutMs: number } {
  const { everySecondsMin: min, everySecondsMax: max, timeoutMsMin, timeoutMsMax } = monitorLimits;
  const every = within(everySeconds, { min, max }, (inside) =>
    notes.push(`it is checked every ${inside} s, not every ${everySeconds} s`),
  );
  const range = { min: timeoutMsMin, max: Math.min(timeoutMsMax, every * 1_000) };
  const timeoutMs = within(timeoutSeconds * 1_000, range, (inside) =>
    notes.push(`it has ${inside / 1_000} s to answer, not ${timeoutSeconds} s`),
  );
  return { everySeconds: every, timeoutMs };
}

/** The failures in a row after which a monitor is down, within what there may be. */
export function failuresOf(failures: number, notes: Note[]): number {
  return within(failures, { min: 1, max: monitorLimits.failuresToDownMax }, (inside) =>
    notes.push(`it is down after ${inside} failures, not ${failures}`),
  );
}

/** The period of a heartbeat, within what there may be. */
export function periodOf(seconds: number, notes: Note[]): number {
  const { periodSecondsMin: min, periodSecondsMax: max } = monitorLimits;
  return within(seconds, { min, max }, (inside) =>
    notes.push(`its job is expected every ${inside} s, not every ${seconds} s`),
  );
}

/** The limit of a response time, which is at most the timeout. */
export function slowOf(ms: number, timeoutMs: number = monitorDefaults.timeoutMs): number {
  return within(ms, { min: 1, max: timeoutMs }, () => undefined);
}

/** The text that an answer must contain, as far as it fits. */
export function expectBodyOf(text: string, notes: Note[]): string {
  const { expectBodyChars: max } = monitorLimits;
  if (text.length > max) notes.push(`only the first ${max} characters of the text are looked for`);
  return text.slice(0, max);
}

export const [statusMin, statusMax] = [100, 599] as const;
export const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);

/**
 * Statuses such as `200-299,404` of a list of statuses and ranges, in order and without those that HTTP does not have.
 * `undefined` when none is left.
 */
export function statusesOf(parts: readonly string[], notes: Note[]): string | undefined {
  const accepted = new Set<number>();
  const odd: string[] = [];
  for (const part of parts) {
    const [, from, to = from] = /^\s*(\d{3})(?:\s*-\s*(\d{3}))?\s*$/.exec(part) ?? [];
    if (from === undefined) odd.push(part);
    else if (Number(from) > statusMax || Number(to) > statusMax || Number(from) < statusMin) odd.push(part);
    for (
      let status = Math.max(statusMin, Number(from));
      status <= Math.min(statusMax, Number(to));
      status += 1
    ) {
      accepted.add(status);
    }
  }
  if (odd.length > 0) notes.push({ mended: `it accepts ${odd.join(', ')}, which is no status of HTTP` });
  return accepted.size === 0 ? undefined : rangesOf([...accepted].sort((one, other) => one - other));
}

/** Ranges such as `200-299,404` of statuses in order. */
export function rangesOf(sorted: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const status of sorted) {
    const last = ranges.at(-1);
    if (last !== undefined && status === last.to + 1) last.to = status;
    else ranges.push({ from: status, to: status });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** Says what is different about redirects. `redirectsMax` is what the source follows. */
export function noteRedirects(
  { redirectsMax, expectStatus }: { redirectsMax: number; expectStatus: string },
  notes: Note[],
): void {
  const accepts = expectStatus.split(',').some((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return from <= 308 && to >= 301;
  });
  if (redirectsMax === 0) {
    notes.push(
      'it followed no redirect: one whose status is expected passes here as well, and any other one is followed',
    );
  } else if (accepts) {
    notes.push('a redirect whose status is expected passes here, and is not followed');
  } else if (redirectsMax < monitorLimits.redirects) {
    notes.push(`up to ${monitorLimits.redirects} redirects are followed, not ${redirectsMax}`);
  }
}
