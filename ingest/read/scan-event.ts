import { normalizeMessage } from '../../lib/event-fields.js';
import type { PageNames } from '../names/page-names.js';
import type { Batch } from './batch.js';
import {
  endpoint,
  fieldsCount,
  type Key,
  keys,
  latency,
  message,
  method,
  service,
  status,
  time,
} from './event-keys.js';
import { code, type JsonCursor, unusual } from './json-cursor.js';
import { placeEvent, resolveEndpoint, resolveNoService, resolveService } from './normalize.js';
import { parseLatency, parseStatus, type RawEvent, type Version } from './raw-event.js';
import { type Fault, rejectFault } from './reject-fault.js';
import type { Window } from './time-window.js';
import { TimestampReader } from './timestamp-reader.js';
import { noteUnread } from './unread.js';

/** Reads the events of one batch from their bytes into columns. Throws `unusual` for an event of another form. */
export class EventScanner {
  private eventStart = 0;
  /** The fields that the event has, a bit for each, and the rank of the alias that each came by. */
  private present = 0;
  private readonly ranks = new Uint8Array(fieldsCount);
  /** The keys of the previous event: the next event most likely has the same keys in the same order. */
  private readonly order: (Key | undefined)[] = [];
  /** Whether the event has a key or a value that is not read. It is parsed as a whole then, to name them. */
  private isOdd = false;
  private messageText: string | undefined;
  private messageStart = 0;
  private messageEnd = 0;
  private readonly clock = new TimestampReader();

  constructor(
    private readonly json: JsonCursor,
    private readonly page: PageNames,
    private readonly window: Window,
    private readonly version: Version,
    private readonly batch: Batch,
  ) {}

  /** Reads the event at the cursor into the columns behind the last one. */
  readEvent(): void {
    const { json } = this;
    this.present = 0;
    json.take(code.openBrace);
    this.eventStart = json.at - 1;
    if (!json.isEmpty(code.closeBrace)) {
      let seen = 0;
      let index = 0;
      do {
        const key = this.readKey(index++);
        if (key === undefined) {
          this.isOdd = true;
          this.skipValue();
        } else {
          if ((seen & key.bit) !== 0) throw unusual;
          seen |= key.bit;
          this.readField(key);
        }
      } while (json.more(code.closeBrace));
    }
    this.finish();
  }

  private readKey(index: number): Key | undefined {
    const { json, order } = this;
    const expected = order[index];
    if (expected !== undefined && json.skipIf(expected.quoted)) return expected;
    json.readString();
    if (json.hasEscape) throw unusual;
    const key = keys.get(json.view, json.start, json.end);
    json.take(code.colon);
    if (index < fieldsCount) order[index] = key;
    return key;
  }

  private finish(): void {
    const { batch, page, present } = this;
    const i = batch.length;
    if ((present & (1 << status)) === 0) batch.status[i] = 0;
    if ((present & (1 << time)) === 0) batch.at[i] = this.window.arrival;
    if ((present & (1 << latency)) === 0) batch.latencyMs[i] = Number.NaN;
    if ((present & (1 << method)) === 0) batch.method[i] = page.method('GET');
    if ((present & (1 << endpoint)) === 0) resolveEndpoint(undefined, page, batch);
    if (this.version === 2) resolveNoService(batch);
    else if ((present & (1 << service)) === 0) resolveService(undefined, page, batch);
    const hasMessage = (present & (1 << message)) !== 0 && (batch.status[i] ?? 0) >= 400;
    batch.message[i] = hasMessage ? normalizeMessage(this.messageOf()) : undefined;
    const fault = placeEvent(batch, this.window);
    if (fault !== undefined) this.reject(fault);
    else if (this.isOdd) noteUnread(batch, this.parseEvent(), this.version);
    this.isOdd = false;
  }

  /** Parses the event once more, as a whole: only a rejected event pays for knowing what was sent. */
  private reject(fault: Fault): void {
    rejectFault(this.batch, fault, this.parseEvent(), this.window);
  }

  private parseEvent(): RawEvent {
    const { bytes, at } = this.json;
    return JSON.parse(bytes.toString('utf8', this.eventStart, at));
  }

  private messageOf(): string | undefined {
    if (this.messageEnd < 0) return undefined;
    return this.messageText ?? this.json.bytes.toString('utf8', this.messageStart, this.messageEnd);
  }

  private skipValue(): void {
    const byte = this.json.peek();
    if (byte === code.quote) this.json.readString();
    else if (isNumberStart(byte)) this.json.readNumber();
    else this.json.readLiteral();
  }

  private readField({ field, rank }: Key): void {
    const { json, batch } = this;
    const byte = json.peek();
    if (byte === code.quote) {
      if (field === time && this.clock.readUsual(json)) {
        batch.at[batch.length] = this.clock.at;
        this.present |= 1 << time;
        return;
      }
      json.readString();
      if (this.counts(field, rank)) this.readText(field);
    } else if (isNumberStart(byte)) {
      const value = json.readNumber();
      if (!this.counts(field, rank)) return;
      if (field === status) batch.status[batch.length] = parseStatus(value);
      else if (field === latency) batch.latencyMs[batch.length] = parseLatency(value);
      else this.setWrong(field);
    } else if (!json.readLiteral() && this.counts(field, rank)) this.setWrong(field);
  }

  /** Returns whether a value that came by an alias of this rank is the field's: the lowest rank wins. */
  private counts(field: number, rank: number): boolean {
    const bit = 1 << field;
    if ((this.present & bit) !== 0 && rank > (this.ranks[field] ?? 0)) return false;
    this.present |= bit;
    this.ranks[field] = rank;
    return true;
  }

  /** Notes that the field has a value of a wrong type. */
  private setWrong(field: number): void {
    const { batch, page } = this;
    this.isOdd = true;
    const i = batch.length;
    if (field === status) batch.status[i] = 0;
    else if (field === latency) batch.latencyMs[i] = Number.NaN;
    else if (field === time) batch.at[i] = Number.NaN;
    else if (field === method) batch.method[i] = undefined;
    else if (field === message) this.messageEnd = -1;
    else if (field === endpoint) resolveEndpoint(undefined, page, batch);
    else resolveService(undefined, page, batch);
  }

  private readText(field: number): void {
    const { json, batch } = this;
    if (field === endpoint) this.readEndpoint();
    else if (field === service) this.readService();
    else if (field === method) this.readMethod();
    else if (field === time) batch.at[batch.length] = this.clock.read(json);
    else if (field === message) {
      this.messageStart = json.start;
      this.messageEnd = json.end;
      this.messageText = json.hasEscape ? json.text() : undefined;
    } else this.setWrong(field);
  }

  private readEndpoint(): void {
    const { json, batch, page } = this;
    const i = batch.length;
    const known = page.endpointsByBytes.get(json.view, json.start, json.end);
    if (known !== undefined) {
      batch.endpoint[i] = known;
      batch.unknownEndpoint[i] = undefined;
      return;
    }
    resolveEndpoint(json.text(), page, batch);
    const name = batch.endpoint[i];
    if (name !== undefined) page.endpointsByBytes.set(json.view, json.start, json.end, name);
  }

  private readService(): void {
    const { json, batch, page } = this;
    const i = batch.length;
    const known = page.servicesByBytes.get(json.view, json.start, json.end);
    if (known !== undefined) {
      batch.source[i] = known;
      batch.unknownSource[i] = undefined;
      return;
    }
    resolveService(json.text(), page, batch);
    const source = batch.source[i];
    if (source !== undefined) page.servicesByBytes.set(json.view, json.start, json.end, source);
  }

  private readMethod(): void {
    const { json, batch, page } = this;
    const known = page.methodsByBytes.get(json.view, json.start, json.end);
    const name = known ?? page.method(json.text());
    batch.method[batch.length] = name;
    if (known === undefined && name) page.methodsByBytes.set(json.view, json.start, json.end, name);
  }
}

function isNumberStart(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === code.minus;
}
