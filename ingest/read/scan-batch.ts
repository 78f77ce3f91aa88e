import { limits } from '../../contract/limits.js';
import { findJsonExcess } from '../../lib/json.js';
import type { PageNames } from '../names/page-names.js';
import type { Batch } from './batch.js';
import { code, JsonCursor, unusual } from './json-cursor.js';
import type { Version } from './raw-event.js';
import { EventScanner } from './scan-event.js';
import type { Window } from './time-window.js';

/** The members of a body beside its events, not checked yet. `reporter` is undefined in v1. */
export type Envelope = { reporter: unknown; batchId: unknown };

/**
 * Reads a batch straight from its bytes into columns. Names are recognised by their bytes; only the messages of failing
 * responses become strings. Reads the usual form: flat events in an array, alone or in an object with `events`, `reporter`,
 * `batchId` and nothing else. Returns `undefined` for everything else, malformed JSON included: JSON.parse and normalize() then read
 * the batch. For the usual form the result is the same as theirs.
 *
 * `bytes` must be valid UTF-8.
 */
export function scanBatch(
  bytes: Buffer,
  page: PageNames,
  window: Window,
  version: Version,
  batch: Batch,
): Envelope | undefined {
  const json = new JsonCursor(bytes);
  const events = new EventScanner(json, page, window, version, batch);
  try {
    return readBody(json, events, version);
  } catch (error) {
    if (error !== unusual) throw error;
    batch.clear();
    return undefined;
  }
}

function readBody(json: JsonCursor, events: EventScanner, version: Version): Envelope {
  const isArray = json.peek() === code.openBracket;
  if (isArray && version === 2) throw unusual;
  let envelope: Envelope = { reporter: undefined, batchId: undefined };
  if (isArray) readEvents(json, events);
  else envelope = readEnvelope(json, events, version);
  json.peek();
  if (json.at !== json.bytes.length) throw unusual;
  return envelope;
}

function readEnvelope(json: JsonCursor, events: EventScanner, version: Version): Envelope {
  let [hasEvents, hasReporter] = [false, false];
  let [reporter, batchId]: unknown[] = [];
  json.take(code.openBrace);
  do {
    json.readString();
    const key = json.text();
    json.take(code.colon);
    if (key === 'events' && !hasEvents) {
      hasEvents = true;
      readEvents(json, events);
    } else if (key === 'reporter' && !hasReporter && version === 2) {
      hasReporter = true;
      reporter = parse(json.readObjectText());
    } else if (key === 'batchId' && batchId === undefined && json.peek() === code.quote) {
      json.readString();
      batchId = json.text();
    } else throw unusual;
  } while (json.more(code.closeBrace));
  if (!hasEvents || hasReporter !== (version === 2)) throw unusual;
  return { reporter, batchId };
}

function readEvents(json: JsonCursor, events: EventScanner): void {
  json.take(code.openBracket);
  if (json.isEmpty(code.closeBracket)) return;
  let count = 0;
  do {
    count += 1;
    if (count > limits.eventsPerBatch) throw unusual;
    events.readEvent();
  } while (json.more(code.closeBracket));
}

/** Parses an object in the body. */
function parse(text: string): unknown {
  if (findJsonExcess(Buffer.from(text), 1) !== undefined) throw unusual;
  try {
    return JSON.parse(text);
  } catch {
    throw unusual;
  }
}
