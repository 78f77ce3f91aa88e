import type { Message } from '../../lib/protobuf/decode.js';
import type { RawEvent } from '../read/raw-event.js';
import {
  Attributes,
  httpKeys,
  listOf,
  nanosecondsOf,
  objectOf,
  serviceOfResource,
  textOf,
  timeOf,
  unmatched,
} from './tree.js';

/** What a request counts, and how much in it is of other kinds. */
export type ReadSpans = { events: RawEvent[]; ignored: number };

/** SPAN_KIND_SERVER; JSON has numbers for enumerations, and some senders names. */
const serverKinds: ReadonlySet<unknown> = new Set([2, 'SPAN_KIND_SERVER']);

/**
 * Reads the spans of an ExportTraceServiceRequest: a span of kind SERVER with a method of HTTP is a request that was
 * answered, and every other span is ignored.
 */
export function readSpans(tree: Message): ReadSpans {
  const read: ReadSpans = { events: [], ignored: 0 };
  for (const resourceSpans of listOf(tree['resourceSpans'])) {
    const { resource, scopeSpans } = objectOf(resourceSpans);
    const service = serviceOfResource(resource);
    for (const scope of listOf(scopeSpans)) {
      for (const span of listOf(objectOf(scope)['spans'])) {
        const event = readSpan(objectOf(span), service);
        if (event === undefined) read.ignored += 1;
        else read.events.push(event);
      }
    }
  }
  return read;
}

function readSpan(span: Message, service: string | undefined): RawEvent | undefined {
  if (!serverKinds.has(span['kind'])) return undefined;
  const attributes = new Attributes(span['attributes']);
  const method = attributes.text(...httpKeys.method);
  if (method === undefined) return undefined;
  return {
    service,
    method,
    endpoint: attributes.text('http.route') ?? unmatched,
    status: attributes.number(...httpKeys.status),
    ms: durationMs(span),
    message: messageOf(span),
    at: timeOf(span['endTimeUnixNano']),
  };
}

function durationMs({ startTimeUnixNano, endTimeUnixNano }: Message): number | undefined {
  const [start, end] = [nanosecondsOf(startTimeUnixNano), nanosecondsOf(endTimeUnixNano)];
  return start === undefined || end === undefined || end < start ? undefined : Number(end - start) / 1e6;
}

/** The message of the span's status, or else of its last exception. */
function messageOf({ status, events }: Message): string | undefined {
  const message = textOf(objectOf(status)['message']);
  if (message !== undefined && message !== '') return message;
  const exception = listOf(events).findLast((event) => objectOf(event)['name'] === 'exception');
  if (exception === undefined) return undefined;
  return new Attributes(objectOf(exception)['attributes']).text('exception.message');
}
