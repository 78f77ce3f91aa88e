import type { ServerResponse } from 'node:http';
import { ServiceError } from '../lib/service-error.js';

/** Whether the connection of a caller ended before the answer was sent. */
export function hasHungUp(res: ServerResponse): boolean {
  return res.destroyed && !res.writableFinished;
}

/** A signal that is aborted with `callerGone` when the caller hangs up before it has the answer. */
export function hangUpSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort(new ServiceError('callerGone'));
  if (hasHungUp(res)) end();
  res.once('close', () => {
    if (!res.writableFinished) end();
  });
  return controller.signal;
}
