import { withTimeout } from '../lib/timeout.js';

/**
 * A query that keeps keys fresh is given up after this time and repeated: a revoked key must stop within 5 s even when
 * one connection hangs.
 */
export const queryTimeoutMsUsual = 3_000;

/** PostgreSQL hangs, or more waits for its connections than they get through. It may answer later. */
export class QueryTimeout extends Error {
  override name = 'QueryTimeout';
}

/**
 * Returns the answer of PostgreSQL, or rejects with a QueryTimeout after `timeoutMs` milliseconds: the driver has no
 * timeout of its own for a server that is silent. The server may run the query all the same.
 */
export function withQueryTimeout<T>(answer: PromiseLike<T>, timeoutMs = queryTimeoutMsUsual): Promise<T> {
  const error = () => new QueryTimeout(`PostgreSQL did not answer within ${timeoutMs} ms.`);
  return withTimeout(answer, timeoutMs, { error });
}
