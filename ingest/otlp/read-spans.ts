import type { Message } from '../../lib/protobuf/decode.js';
import type { RawEvent } from '../read/raw-event.js';
import type { LeftOut } from './left-out.js';
import { statusOf } from './outcome.js';
import {
  Attributes,
  listOf,
  methodOf,
  nanosecondsOf,
  objectOf,
  serviceOfResource,
  textOf,
  timeOf,
  unmatched,
} from './tree.js';

/** SPAN_KIND_SERVER; JSON has numbers for enumerations, and some senders names. */
const serverKinds: ReadonlySet<unknown> = new Set([2, 'SPAN_KIND_SERVER']);
/** STATUS_CODE_ERROR. */
const errorCodes: ReadonlySet<unknown> = new Set([2, 'STATUS_CODE_ERROR']);

/**
 * Reads the spans of an ExportTraceServiceRequest: a span of kind SERVER with a method of HTTP is a request, and every
 * other span is ignored.
 */
export function readSpans(tree: Message, leftOut: LeftOut): RawEvent[] {
  const events: RawEvent[] = [];
  for (const resourceSpans of listOf(tree['resourceSpans'])) {
    const { resource, scopeSpans } = objectOf(resourceSpans);
    const service = serviceOfResource(resource);
    for (const scope of listOf(scopeSpans)) {
      for (const span of listOf(objectOf(scope)['spans'])) {
        const event = readSpan(objectOf(span), service, leftOut);
        if (event !== undefined) events.push(event);
      }
    }
  }
  return events;
}

function readSpan(span: Message, service: string | undefined, leftOut: LeftOut): RawEvent | undefined {
  if (!serverKinds.has(span['kind'])) {
    leftOut.ignore('other_kind');
    return undefined;
  }
  const attributes = new Attributes(span['attributes']);
  const method = methodOf(attributes);
  if (method === undefined) {
    leftOut.ignore('not_http');
    return undefined;
  }
  return {
    service,
    method,
    endpoint: attributes.text('http.route') ?? unmatched,
    status: statusOf(attributes, errorCodes.has(objectOf(span['status'])['code'])),
    ms: durationMs(span),
    message: messageOf(span) ?? attributes.text('error.type'),
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
