import { limits } from '../../contract/limits.js';

// The control characters of Unicode.
const control = /\p{Cc}/u;
const controls = /\p{Cc}+/gu;
const methodForm = /^[A-Z][A-Z0-9_-]{0,19}$/;

/**
 * A route template as it is stored: without query string, fragment and trailing slashes, case kept. Undefined
 * when nothing is left, when it is longer than 200 characters, or when it holds control characters. Idempotent, so
 * that a text which is a known name needs no normalising.
 */
export function normalizeEndpoint(raw: string): string | undefined {
  const end = raw.search(/[?#]/);
  const path = (end === -1 ? raw : raw.slice(0, end)).trim();
  if (path === '' || control.test(path)) return undefined;
  const stripped = stripTrailingSlashes(path).toWellFormed();
  return longerThan(stripped, limits.endpointChars) ? undefined : stripped;
}

/**
 * Trailing slashes, and the white space that comes to light behind them, else `/cart /` would end as `/cart `.
 * A loop, because `/\/+$/` backtracks quadratically on a path of many slashes.
 */
function stripTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && /[\s/]/.test(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end);
}

/** A service name as it is stored, or undefined when the event belongs under the unassigned service. */
export function normalizeService(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined;
  const name = raw.trim().toLowerCase().toWellFormed();
  return name === '' || longerThan(name, limits.serviceChars) || control.test(name) ? undefined : name;
}

/** An upper-cased HTTP method or a method-like word; undefined when it is neither. */
export function normalizeMethod(raw: string): string | undefined {
  const method = raw.trim().toUpperCase();
  return methodForm.test(method) ? method : undefined;
}

/** A message without control characters, cut at 200 characters; undefined when nothing is left of it. */
export function normalizeMessage(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined;
  // 200 characters are at most 400 code units; cutting first bounds the work on a message of a megabyte.
  const text = raw
    .slice(0, 8 * limits.messageChars)
    .replace(controls, '')
    .toWellFormed();
  if (text === '') return undefined;
  return longerThan(text, limits.messageChars) ? [...text].slice(0, limits.messageChars).join('') : text;
}

/** Whether a string has more characters (code points) than `max`. */
function longerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  return [...text].length > max;
}
