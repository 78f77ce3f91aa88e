import type { IncomingHttpHeaders } from 'node:http';
import type { Writable } from 'node:stream';
import type { KeyCache, KeyGrant } from '../control/keys/index.js';
import { storeUnavailable } from '../lib/service-error.js';
import type { Timeouts } from '../lib/timeouts.js';
import { requestLimits } from '../sql/open-postgres.js';
import { authenticate, type CountUse } from './authenticate.js';
import { requestMsMax, withinDeadline } from './deadline.js';
import { type BodyBudget, type Exchange, readBody } from './read-body.js';
import type { BodyRoute } from './route.js';

export type BodyDeps = { keys: Pick<KeyCache, 'find'>; bodyTimeouts: Timeouts; budget: BodyBudget };

/** The longest that a transaction of a request may take. */
export const writeMsMax = requestLimits.queryTimeoutMs;

/**
 * Checks the key of a request, receives its body, and does the work within what is left of the request's time: the time
 * in which the body arrives does not count. The last argument of `work` is when the request is answered in any case.
 *
 * @throws ServiceError of `authenticate`, `readBody`, `withinDeadline` and the work
 */
export async function workOnBody<T>(
  { keys, bodyTimeouts: timeouts, budget }: BodyDeps,
  { access, body: { bytesMax, isSnappy }, boundsItself }: BodyRoute,
  { req, res }: Exchange,
  work: (grant: KeyGrant, body: Buffer, answerBy: number) => Promise<T>,
  countUse?: CountUse,
): Promise<T> {
  const receive = () => readBody({ req, res }, { bytesMax, isSnappy, timeouts, budget });
  const asked = { headers: req.headers, access, receive, res, boundsItself };
  return workOnMessage(keys, asked, work, countUse);
}

/** A request with a key, in any protocol. `receive` returns its body. */
export type Asked = Pick<BodyRoute, 'access'> & {
  boundsItself?: boolean | undefined;
  headers: IncomingHttpHeaders;
  receive(): Promise<Buffer>;
  res: Writable;
};

/** Does the work as `workOnBody` does, however the body arrives. */
export async function workOnMessage<T>(
  keys: Pick<KeyCache, 'find'>,
  { headers, access, receive, res, boundsItself }: Asked,
  work: (grant: KeyGrant, body: Buffer, answerBy: number) => Promise<T>,
  countUse?: CountUse,
): Promise<T> {
  const startedAt = performance.now();
  const grant = await authenticate(headers, keys, access, countUse);
  const leftMs = requestMsMax - (performance.now() - startedAt);
  const body = await receive();
  if (boundsItself) return work(grant, body, performance.now() + requestMsMax);
  // A write that is answered with 503 and carried out all the same would be sent again.
  if (leftMs < writeMsMax) throw storeUnavailable();
  return withinDeadline(work(grant, body, performance.now() + leftMs), leftMs, res);
}
