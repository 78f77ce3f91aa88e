import { normalizeMessage } from '../../lib/event-fields.js';
import { parseTimestamp } from '../../lib/timestamp.js';
import type { PageNames } from '../names/page-names.js';
import type { Batch } from './batch.js';
import { normalizeEvent, noteFailing, placeEvent, resolveEndpoint, resolveService } from './normalize.js';
import { isFailing, parseLatency, type RawEvent, type Version } from './raw-event.js';
import type { ReaderMemory } from './reader-memory.js';
import { rejectFault } from './reject-fault.js';
import type { Spellings } from './spellings.js';
import type { Window } from './time-window.js';
import { looksForUnread, noteUnread } from './unread.js';

/** The kinds of leftovers, as in `wasm/leftovers.ts`. */
const kinds = {
  oddEvent: 0,
  unknownService: 1,
  unknownEndpoint: 2,
  unknownMethod: 3,
  longNumber: 4,
  otherTime: 5,
  message: 6,
  unreadKeys: 7,
} as const;

/** The highest bit of the length of a text: the text has escapes. */
const hasEscape = 0x8000_0000;

/** The columns that the reader wrote, and what the events of a body share. */
export type Read = {
  memory: ReaderMemory;
  spellings: Spellings;
  page: PageNames;
  window: Window;
  version: Version;
  isAscii: boolean;
};

/** Moves `count` events from the columns of the reader into an empty batch, in the order of the body. */
export function fillBatch(batch: Batch, count: number, read: Read): void {
  const { memory, spellings, page, version } = read;
  const { source, endpoint, method, leftovers } = memory;
  const end = 4 * (memory.outcome[0] ?? 0);
  const unnamed = version === 1 ? page.unassigned : undefined;
  let left = 0;
  for (let event = 0; event < count; event += 1) {
    const i = batch.length;
    const [sourceNumber, methodNumber] = [source[event] ?? 0, method[event] ?? 0];
    batch.status[i] = memory.status[event] ?? 0;
    batch.at[i] = memory.atMs[event] ?? 0;
    batch.latencyMs[i] = memory.latencyMs[event] ?? 0;
    batch.source[i] = sourceNumber === 0 ? unnamed : spellings.sources[sourceNumber];
    batch.unknownSource[i] = undefined;
    batch.endpoint[i] = spellings.names[endpoint[event] ?? 0];
    batch.unknownEndpoint[i] = undefined;
    batch.method[i] = spellings.names[methodNumber];
    batch.message[i] = undefined;
    if (left < end && leftovers[left + 1] === event) left = finishEvent(batch, event, left, end, read);
    else if (methodNumber === 0) finishWithoutMethod(batch, event, read);
    else batch.length = i + 1;
  }
}

/** Finishes an event that is in the columns behind the last one, but has no method. */
function finishWithoutMethod(batch: Batch, event: number, read: Read): void {
  batch.method[batch.length] = read.page.method('GET');
  finish(batch, event, read);
}

/** Adds the event in the columns behind the last one, or rejects it. Returns whether it was added. */
function finish(batch: Batch, event: number, read: Read): boolean {
  const fault = placeEvent(batch, read.window);
  if (fault === undefined) return true;
  rejectFault(batch, fault, parseEvent(event, read), read.window);
  return false;
}

/** Does what the reader left of an event, from the leftover at `left`. Returns the place of the next event's. */
function finishEvent(batch: Batch, event: number, left: number, end: number, read: Read): number {
  const { leftovers, method } = read.memory;
  if (leftovers[left] === kinds.oddEvent) {
    normalizeEvent(parseEvent(event, read), read.page, read.window, read.version, batch);
    return left + 4;
  }
  let hasMethod = method[event] !== 0;
  let hasUnread = false;
  for (; left < end && leftovers[left + 1] === event; left += 4) {
    const kind = leftovers[left];
    if (kind === kinds.unreadKeys) hasUnread = true;
    else takeText(batch, kind, leftovers[left + 2] ?? 0, leftovers[left + 3] ?? 0, read);
    if (kind === kinds.unknownMethod) hasMethod = true;
  }
  if (!hasMethod) batch.method[batch.length] = read.page.method('GET');
  if (finish(batch, event, read) && hasUnread) takeUnread(batch, event, read);
  return left;
}

/** Looks at the keys of the event in the last columns that the reader does not know; a sample of a failure is in them. */
function takeUnread(batch: Batch, event: number, read: Read): void {
  const hasFailed = isFailing(batch.status[batch.length - 1] ?? 0);
  if (!hasFailed && !looksForUnread(batch)) return;
  const raw = parseEvent(event, read);
  if (hasFailed) noteFailing(batch, raw);
  if (looksForUnread(batch)) noteUnread(batch, raw, read.version);
}

/** Writes the column of a text or number behind the last event. Learns the spelling of a known name. */
function takeText(batch: Batch, kind: number | undefined, start: number, length: number, read: Read): void {
  const { page, spellings } = read;
  const i = batch.length;
  const isEscaped = length >= hasEscape;
  const text = textOf(start, length, read);
  if (kind === kinds.message) batch.message[i] = normalizeMessage(text);
  else if (kind === kinds.longNumber) batch.latencyMs[i] = parseLatency(Number(text));
  else if (kind === kinds.otherTime) batch.at[i] = parseTimestamp(text);
  else if (kind === kinds.unknownService) {
    resolveService(text, page, batch);
    const source = batch.source[i];
    if (source !== undefined && !isEscaped) spellings.learnSource(page, kind, start, length, source);
  } else if (kind === kinds.unknownEndpoint) {
    resolveEndpoint(text, page, batch);
    const name = batch.endpoint[i];
    if (name !== undefined && !isEscaped) spellings.learnName(page, kind, start, length, name);
  } else if (kind === kinds.unknownMethod) {
    const name = page.method(text);
    batch.method[i] = name;
    if (name && !isEscaped) spellings.learnName(page, kind, start, length, name);
  }
}

/** Returns the text of a string of the body, whose escapes the reader has looked at. */
export function textOf(
  start: number,
  length: number,
  { memory: { bytes }, isAscii }: Pick<Read, 'memory' | 'isAscii'>,
): string {
  if (length >= hasEscape)
    return JSON.parse(bytes.toString('utf8', start - 1, start + length - hasEscape + 1));
  return bytes.toString(isAscii ? 'latin1' : 'utf8', start, start + length);
}

/** Parses an element by itself, which only an odd event pays for, and a rejected one to say what was sent. */
function parseEvent(event: number, { memory: { bytes, eventStart, eventEnd } }: Read): RawEvent {
  return JSON.parse(bytes.toString('utf8', eventStart[event], eventEnd[event]));
}
