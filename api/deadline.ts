import type { Writable } from 'node:stream';
import { ServiceError } from '../lib/service-error.js';
import { withTimeout } from '../lib/timeout.js';
import { endWork } from './hang-up.js';

/**
 * How long the service works on a request before it answers 503: with the time that an answer takes to leave, less than
 * the 10 s after which a caller may give up. The time in which a body arrives does not count.
 */
export const requestMsMax = 8_500;

/** Work on a request took too long: a store hangs, or more is asked of it than it gets through. */
export class RequestTimeout extends Error {
  override name = 'RequestTimeout';
}

/**
 * Returns the result of work on a request.
 *
 * @throws ServiceError `storeUnavailable` after `leftMs` milliseconds; the signal of `hangUpSignal` is aborted with the
 *   same. What else is left of the work ends within the limits of its queries.
 */
export function withinDeadline<T>(work: PromiseLike<T>, leftMs: number, res: Writable): Promise<T> {
  return withTimeout(work, Math.max(0, leftMs), { error: () => timeOver(res) });
}

/** Ends the work on a request whose time is over, and returns the error that answers it. */
export function timeOver(res: Writable): ServiceError {
  // The cause is unknown here: a store may hang, or too many requests may wait for it.
  const tooLate = new ServiceError('storeUnavailable', {
    message: 'The service is busy and did not finish in time. Retry later.',
    retryAfterSeconds: 2,
    cause: new RequestTimeout(`A request took longer than ${requestMsMax} ms.`),
  });
  endWork(res, tooLate);
  return tooLate;
}
