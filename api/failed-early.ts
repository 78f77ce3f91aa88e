import type { IncomingMessage } from 'node:http';

/** The failure of a request before the application took it over. */
export type EarlyFailure = {
  error: unknown;
  requestId: string;
  /** When the request came, in milliseconds of `performance.now()`. */
  startedAt: number;
};

const failures = new WeakMap<IncomingMessage, EarlyFailure>();

/** Makes the application throw the error in place of the work on the request, and so answer, count and log it. */
export function failEarly(req: IncomingMessage, failure: EarlyFailure): void {
  failures.set(req, failure);
}

export function earlyFailureOf(req: IncomingMessage): EarlyFailure | undefined {
  return failures.get(req);
}
