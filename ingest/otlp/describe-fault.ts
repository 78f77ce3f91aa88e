import { limits } from '../../contract/limits.js';
import { methodChars } from '../../lib/event-fields.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import { dayMs, secondMs } from '../../lib/times.js';
import type { DescribeFault } from '../read/reject-fault.js';
import type { Signal } from './tree.js';

/** The fields that times are read from. */
const times: Readonly<Record<Signal, string>> = { traces: 'endTimeUnixNano', metrics: 'timeUnixNano' };

/** Words what is wrong with a span or a data point, with the names that OTLP has. */
export function describeOtlpFault(signal: Signal): DescribeFault {
  const time = `"${times[signal]}"`;
  return (reason, { status, endpoint, method, at }, { arrival, oldest, newest }) => {
    const arrived = `${describeSent(at, 'time')}, and it arrived at ${new Date(arrival).toISOString()}`;
    switch (reason) {
      case 'too_old':
        return `${time} must be at most ${(arrival - oldest) / dayMs} days before it arrives; it was ${arrived}. Check the sender's clock.`;
      case 'in_the_future':
        return `${time} must be at most ${(newest - arrival) / secondMs} seconds after it arrives; it was ${arrived}. Check the sender's clock.`;
      case 'at_invalid':
        return `${time} must be a number of nanoseconds since 1970-01-01; it was ${describeSent(at)}. Without it the time of arrival counts.`;
      case 'method_invalid':
      case 'method_limit':
        return `"http.request.method" must be a method of HTTP, of at most ${methodChars} letters, digits, "_" and "-"; it was ${describeSent(method)}. Send "_OTHER" for a method that is not known.`;
      case 'endpoint_too_long':
        return `"http.route" must have at most ${limits.endpointChars} characters; it was ${describeSent(endpoint)}. Send ${template}.`;
      case 'endpoint_missing':
      case 'endpoint_invalid':
        return `"http.route" must be a text without control characters; it was ${describeSent(endpoint)}. Send ${template}.`;
      default:
        return `"http.response.status_code" must be a status of HTTP, a whole number from ${limits.statusMin} to ${limits.statusMax}; it was ${describeSent(status)}.`;
    }
  };
}

const template = 'the route template, such as "/cart/:id"';
