import { limits } from '../contract/limits.js';

// The control characters of Unicode.
const control = /\p{Cc}/u;
const controls = /\p{Cc}+/gu;
/** Most characters of a method. */
export const methodChars = 20;
const methodForm = new RegExp(`^[A-Z][A-Z0-9_-]{0,${methodChars - 1}}$`);

/**
 * Normalises a route template: removes query string, fragment and trailing slashes, and keeps the case. Returns
 * `undefined` when nothing is left, when the rest is longer than 200 characters, or when it holds control characters.
 * Idempotent, so that a known name needs no normalising.
 */
export function normalizeEndpoint(raw: string): string | undefined {
  const path = pathOf(raw);
  if (path === '' || control.test(path)) return undefined;
  const stripped = stripTrailingSlashes(path).toWellFormed();
  return longerThan(stripped, limits.endpointChars) ? undefined : stripped;
}

/** Returns whether an endpoint that normalizeEndpoint() refuses is only too long. */
export function isUsableInPart(raw: string): boolean {
  const path = pathOf(raw);
  return path !== '' && !control.test(path);
}

function pathOf(raw: string): string {
  const end = raw.search(/[?#]/);
  return (end === -1 ? raw : raw.slice(0, end)).trim();
}

/**
 * Removes trailing slashes and the white space before them: otherwise `/cart /` becomes `/cart `. A loop, because
 * `/\/+$/` backtracks quadratically on a path of many slashes.
 */
function stripTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && /[\s/]/.test(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end);
}

/** Normalises a service name. Returns `undefined` when the event belongs to the unassigned service. */
export function normalizeService(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined;
  const name = raw.trim().toLowerCase().toWellFormed();
  return name === '' || longerThan(name, limits.serviceChars) || control.test(name) ? undefined : name;
}

/** Normalises the version of a service. Returns `undefined` for a value that is none, or too long. */
export function normalizeVersion(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined;
  const version = raw.trim().toWellFormed();
  return version === '' || longerThan(version, limits.versionChars) || control.test(version)
    ? undefined
    : version;
}

/** Normalises the environment of a deployment. Returns the empty text for a value that is none, or too long. */
export function normalizeEnvironment(raw: unknown): string {
  if (typeof raw !== 'string') return '';
  const name = raw.trim().toLowerCase().toWellFormed();
  return longerThan(name, limits.environmentChars) || control.test(name) ? '' : name;
}

/** Returns an HTTP method or a similar word in upper case; `undefined` for another text. */
export function normalizeMethod(raw: string): string | undefined {
  const method = raw.trim().toUpperCase();
  return methodForm.test(method) ? method : undefined;
}

/** Removes control characters and cuts the message at 200 characters. Returns `undefined` when nothing is left. */
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

/** Returns whether a string has more characters (code points) than `max`. */
export function longerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  return [...text].length > max;
}
