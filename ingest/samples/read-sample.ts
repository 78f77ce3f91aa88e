import { limits } from '../../contract/limits.js';
import { normalizeMessage } from '../../lib/event-fields.js';
import { isSecretName, redact, redacted } from '../../lib/secrets/redact.js';
import { errorTypeOf, type RawEvent, spanIdOf, traceIdOf } from '../read/raw-event.js';
import type { Detail, Sample } from './sample.js';

const controls = /\p{Cc}+/gu;
/** Everything but line feeds and tabs, which stacks have. */
const controlsOfStack = /[^\P{Cc}\n\t]+/gu;
const idForm = new RegExp(`^[\\w.:-]{1,${limits.traceIdChars}}$`);
/** A tracing library sends zeros for a trace that there is not. */
const noId = /^[0-]*$/;
/** The most bytes of a stack that are looked at: secrets at the end of the kept ones are found whole. */
const stackCharsRead = 2 * limits.sampleStackBytes;

/** Reads the sample of a failing event at `at`, with `message` as its message, into what may be stored. */
export function readSample(
  event: RawEvent,
  at: number,
  message: string | undefined,
  version: string,
): Sample {
  const { stack, attributes } = event;
  const detail: Detail = [
    -at,
    message ?? '',
    readId(traceIdOf(event)),
    readId(spanIdOf(event)),
    version,
    readStack(stack),
    readAttributes(attributes),
  ];
  return { errorType: readErrorType(event), at, json: JSON.stringify(detail) };
}

/** The type of an error; empty when the event has none. */
export function readErrorType(event: RawEvent): string {
  return cut(errorTypeOf(event), limits.errorTypeChars);
}

/** Replaces secrets in the message of an event that is sampled. */
export function redactMessage(message: string | undefined): string | undefined {
  return message === undefined ? undefined : normalizeMessage(redact(message));
}

/** Returns an id as tracing tools look for it; empty for a value that is none. */
function readId(raw: unknown): string {
  if (typeof raw !== 'string' || raw.length > 2 * limits.traceIdChars) return '';
  const id = raw.trim();
  return idForm.test(id) && !noId.test(id) ? id : '';
}

function readStack(raw: unknown): string {
  if (typeof raw !== 'string') return '';
  const text = redact(bounded(raw)).replace(controlsOfStack, '').toWellFormed().trimEnd();
  return firstBytes(text, limits.sampleStackBytes);
}

/** The part of a long stack that is looked at ends with a whole word, so that it has no half of a secret. */
function bounded(raw: string): string {
  if (raw.length <= stackCharsRead) return raw;
  const start = raw.slice(0, stackCharsRead);
  const end = start.search(/\s\S*$/);
  return end === -1 ? start : start.slice(0, end);
}

function firstBytes(text: string, max: number): string {
  if (text.length * 3 <= max) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let end = max;
  // The first byte of a character is none of 10xxxxxx.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** Keeps the first texts, numbers and flags of an object. */
function readAttributes(raw: unknown): [string, string][] {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return [];
  const kept: [string, string][] = [];
  for (const [key, value] of Object.entries(raw)) {
    if (kept.length === limits.sampleAttributes) break;
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    const name = cut(key, limits.sampleAttributeNameChars);
    if (!isScalar || name === '') continue;
    kept.push([name, isSecretName(name) ? redacted : cut(String(value), limits.sampleAttributeChars)]);
  }
  return kept;
}

/** Returns a text on one line, without secrets, of at most so many characters; empty for another value. */
function cut(raw: unknown, max: number): string {
  if (typeof raw !== 'string') return '';
  const text = redact(raw.slice(0, 8 * max))
    .replace(controls, ' ')
    .trim()
    .toWellFormed();
  return text.length <= max ? text : [...text].slice(0, max).join('');
}
