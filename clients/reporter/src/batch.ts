import type { Ring, Waiting } from './ring.js';
import { encode } from './templates.js';

/** A batch in the bytes in which it is sent, at each attempt. */
export type Batch = {
  body: string;
  events: number;
  /** When its oldest event ended, in milliseconds since the epoch. */
  oldestAt: number;
};

/** The body before the events, as far as it is the same for every batch. */
export type Envelope =
  | { reporter: object }
  | { service: string; version?: string | undefined; environment?: string | undefined };

export const eventsMax = 500;
const bytesMax = 256 * 1024;
/** Room for the envelope, and for punctuation, status, time and response time of an event. */
const envelopeBytes = 4 * 1024;
const eventBytes = 120;

/** Takes events out of the ring, oldest first, up to 500 and 256 KiB of JSON. */
export function takeBatch(ring: Ring, envelope: Envelope): Batch {
  const service = 'service' in envelope ? JSON.stringify(envelope.service) : undefined;
  const texts: string[] = [];
  let bytes = envelopeBytes;
  let oldestAt = Number.POSITIVE_INFINITY;
  for (let event = ring.first; event !== undefined && texts.length < eventsMax; event = ring.first) {
    const message = event.message === undefined ? undefined : encode(event.message);
    bytes += eventBytes + event.endpoint.bytes + event.method.bytes + (message?.bytes ?? 0);
    if (bytes + (service?.length ?? 0) * 3 * (texts.length + 1) > bytesMax) break;
    ring.shift();
    oldestAt = Math.min(oldestAt, event.at);
    texts.push(writeEvent(event, service, message?.json));
  }
  return { body: writeBody(envelope, texts), events: texts.length, oldestAt };
}

function writeEvent(
  { at, endpoint, method, status, ms }: Waiting,
  service: string | undefined,
  message: string | undefined,
): string {
  const named = service === undefined ? '' : `"service":${service},`;
  const said = message === undefined ? '' : `,"message":${message}`;
  const took = Number.isNaN(ms) ? '' : `,"ms":${writeMs(ms)}`;
  return `{${named}"endpoint":${endpoint.json},"method":${method.json},"status":${status}${took},"at":"${writeTime(at)}"${said}}`;
}

/** `000` to `999`. Texts that are there cost a third of those that the engine makes of numbers and dates. */
const thousandths = Array.from({ length: 1_000 }, (_, i) => String(i).padStart(3, '0'));

function writeMs(ms: number): string {
  const us = Math.round(ms * 1000);
  return us < Number.MAX_SAFE_INTEGER ? `${Math.floor(us / 1000)}.${thousandths[us % 1000]}` : String(ms);
}

/** Most events of a batch end in the second of the event before. */
const last = { second: Number.NaN, text: '' };

function writeTime(at: number): string {
  const whole = Math.floor(at);
  const second = Math.floor(whole / 1000);
  if (second !== last.second) {
    last.second = second;
    last.text = new Date(second * 1000).toISOString().slice(0, -4);
  }
  return `${last.text}${thousandths[whole % 1000]}Z`;
}

/** The body of the last call of a reporter: Heartline then does not take the end of the process for a failure. */
export function writeGoodbye(envelope: Envelope): string | undefined {
  if (!('reporter' in envelope)) return undefined;
  return writeBody({ reporter: { ...envelope.reporter, stopping: true } }, []);
}

/** A heartbeat has no id: it counts nothing. */
function writeBody(envelope: Envelope, events: readonly string[]): string {
  const members = events.length === 0 ? [] : [`"batchId":"${crypto.randomUUID()}"`];
  if ('reporter' in envelope) members.push(`"reporter":${JSON.stringify(envelope.reporter)}`);
  else {
    for (const name of ['version', 'environment'] as const)
      if (envelope[name] !== undefined) members.push(`"${name}":${JSON.stringify(envelope[name])}`);
  }
  members.push(`"events":[${events.join(',')}]`);
  return `{${members.join(',')}}`;
}
