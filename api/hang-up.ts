import type { Writable } from 'node:stream';
import { ServiceError } from '../lib/service-error.js';

/** Whether the connection of a caller ended before the answer was sent. */
export function hasHungUp(res: Writable): boolean {
  return res.destroyed && !res.writableFinished;
}

/** Requests with work that can be ended early. */
const working = new WeakMap<Writable, AbortController>();

/**
 * A signal that ends the work on a request: it is aborted with `callerGone` when the caller hangs up before it has the
 * answer, and with another error when the time of the request is over.
 */
export function hangUpSignal(res: Writable): AbortSignal {
  const known = working.get(res);
  if (known !== undefined) return known.signal;
  const controller = new AbortController();
  working.set(res, controller);
  const end = (): void => controller.abort(new ServiceError('callerGone'));
  if (hasHungUp(res)) end();
  res.once('close', () => {
    if (!res.writableFinished) end();
  });
  return controller.signal;
}

/** Aborts the signal of a request, also for work that asks for it later. */
export function endWork(res: Writable, reason: Error): void {
  hangUpSignal(res);
  working.get(res)?.abort(reason);
}
