import type { Message } from '../../lib/protobuf/decode.js';
import { isFailing, type RawEvent } from '../read/raw-event.js';
import { failed } from './outcome.js';
import { Attributes, hexOf, listOf, objectOf } from './tree.js';

/** The attributes of the last exception of a span; `undefined` when it has none. */
export function exceptionOf({ events }: Message): Attributes | undefined {
  const exception = listOf(events).findLast((event) => objectOf(event)['name'] === 'exception');
  return exception === undefined ? undefined : new Attributes(objectOf(exception)['attributes']);
}

/** The attributes of an exception that have a place of their own, or say nothing any more. */
const placed = ['exception.type', 'exception.message', 'exception.stacktrace', 'exception.escaped'];
/** The conventions write the status into `error.type` where there is no class of an error. */
const statusForm = /^\d{3}$/;

/**
 * Returns the fields of the sample of a failing span: its trace, and the class, the stack and further attributes of its
 * exception. A status below 500 without an exception is an answer to a client, such as that a path was not found, and has
 * none.
 */
export function sampleOf(
  span: Message,
  attributes: Attributes,
  { status, exception }: { status: unknown; exception: Attributes | undefined },
): Partial<RawEvent> {
  if (typeof status !== 'number' || !isFailing(status)) return {};
  if (exception === undefined && status < failed) return {};
  const errorType = attributes.text('error.type');
  return {
    traceId: hexOf(span['traceId']),
    spanId: hexOf(span['spanId']),
    errorType:
      exception?.text('exception.type') ?? (statusForm.test(errorType ?? '') ? undefined : errorType),
    stack: exception?.text('exception.stacktrace'),
    attributes: exception?.scalars(placed),
  };
}
