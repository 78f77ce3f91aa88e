import { limits } from '../../contract/limits.js';
import type { RejectionReason } from '../../contract/rejections.js';
import { isUsableInPart, methodChars } from '../../lib/event-fields.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import { dayMs, minuteMs, secondMs } from '../../lib/times.js';
import type { Batch } from './batch.js';
import { endpointOf, type RawEvent, statusOf } from './raw-event.js';
import type { Window } from './time-window.js';

/** A fault as the columns of an event show it; the reason may depend on the value that was sent. */
export type Fault =
  | 'status'
  | 'endpoint'
  | Extract<RejectionReason, 'too_old' | 'in_the_future' | 'at_invalid' | 'method_invalid' | 'method_limit'>;

/** Makes the sentence for the sender of an event that is rejected. */
export type DescribeFault = (reason: RejectionReason, event: RawEvent, window: Window) => string;

/** Counts the event in the columns behind the last one as rejected. `event` is what JSON.parse makes of it. */
export function rejectFault(
  batch: Batch,
  fault: Fault,
  event: RawEvent,
  window: Window,
  describe: DescribeFault = describeFault,
): void {
  const reason = reasonOf(fault, event);
  batch.reject(reason, batch.serviceAt(batch.length), () => describe(reason, event, window));
}

/** Counts an element of a batch that is no object as rejected. */
export function rejectNonObject(batch: Batch, sent: unknown): void {
  batch.reject(
    'not_an_object',
    undefined,
    () =>
      `An event must be an object such as {"endpoint": "/cart/:id", "status": 200}; it was ${kindOf(sent)}.`,
  );
}

function reasonOf(fault: Fault, event: RawEvent): RejectionReason {
  if (fault === 'status') return statusOf(event) == null ? 'status_missing' : 'status_invalid';
  if (fault !== 'endpoint') return fault;
  const sent = endpointOf(event);
  if (sent == null) return 'endpoint_missing';
  return typeof sent === 'string' && isUsableInPart(sent) ? 'endpoint_too_long' : 'endpoint_invalid';
}

const template = 'the route template, such as "/cart/:id"';

/** Names the field, what is allowed, what was sent, and what to do. */
function describeFault(reason: RejectionReason, event: RawEvent, window: Window): string {
  switch (reason) {
    case 'status_missing':
      return `"status" is missing. Send the HTTP status of the response, a whole number ${statuses}; "statusCode" and "status_code" are read, too.`;
    case 'status_invalid':
      return `"status" must be a whole number ${statuses}, without quotes; it was ${describeSent(statusOf(event))}.`;
    case 'endpoint_missing':
      return `"endpoint" is missing. Send ${template}; "path" and "route" are read, too.`;
    case 'endpoint_invalid':
      return `"endpoint" must be a text that is not blank and has no control characters; it was ${describeSent(endpointOf(event))}. Send ${template}.`;
    case 'endpoint_too_long':
      return `"endpoint" must have at most ${limits.endpointChars} characters; it was ${describeSent(endpointOf(event))}. Send ${template}.`;
    case 'method_invalid':
      return `"method" must be a word such as GET, of at most ${methodChars} letters, digits, "_" and "-"; it was ${describeSent(event.method)}.`;
    case 'method_limit':
      return `"method" must be a method of HTTP; the page has more different ones than HTTP already, and this was ${describeSent(event.method)}.`;
    default:
      return describeTimeFault(reason, event, window);
  }
}

const statuses = `from ${limits.statusMin} to ${limits.statusMax}`;

function describeTimeFault(reason: RejectionReason, { at }: RawEvent, window: Window): string {
  const { arrival, oldest, newest } = window;
  const arrived = `it arrived at ${new Date(arrival).toISOString()}`;
  if (reason === 'too_old') {
    return `"at" must be at most ${spanOf(arrival - oldest)} before the event arrives; it was ${describeSent(at)}, and ${arrived}. Check the sender's clock, and send events sooner.`;
  }
  if (reason === 'in_the_future') {
    return `"at" must be at most ${spanOf(newest - arrival)} after the event arrives; it was ${describeSent(at)}, and ${arrived}. Check the sender's clock.`;
  }
  return `"at" must be an ISO-8601 time that exists, such as "2026-01-31T23:59:59.000Z"; it was ${describeSent(at)}. Without "at" the time of arrival counts.`;
}

function spanOf(ms: number): string {
  if (ms >= dayMs) return `${ms / dayMs} days`;
  return ms > minuteMs ? `${ms / minuteMs} minutes` : `${ms / secondMs} seconds`;
}

/** Names the kind alone of something that is no event, because all of it may be data. */
function kindOf(sent: unknown): string {
  if (sent === null) return 'null';
  return Array.isArray(sent) ? 'an array' : `a ${typeof sent === 'string' ? 'text' : typeof sent}`;
}
