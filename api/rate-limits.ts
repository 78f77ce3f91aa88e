import type { Context } from 'koa';
import { countKeyRequest } from '../control/keys/index.js';
import type { Clock } from '../lib/clock.js';
import type { KeyId } from '../lib/ids.js';
import { ServiceError, storeUnavailable } from '../lib/service-error.js';
import { minuteMs } from '../lib/times.js';
import { createUsedUp } from '../lib/window-counter.js';
import type { Sql } from '../sql/open-postgres.js';

/** Counts a request of a key, and sets headers that say how many more the key may send. */
export type KeyRateLimit = (ctx: Context, keyId: KeyId) => Promise<void>;

/** Keys or pages in memory that have used up their minute; one that falls out costs a query. */
const refusedMax = 10_000;

/**
 * Returns a function that counts a request with `countRequest`, which counts in PostgreSQL and so over all instances. A
 * key or page that has used up its minute is refused from memory until the next one, so that a flood of requests is no
 * flood of queries.
 */
export function createUsageCounter<Key extends string>(
  { clock, requestsMax }: { clock: Clock; requestsMax: number },
  countRequest: (key: Key) => Promise<{ requests: number; msLeft: number }>,
): (key: Key) => Promise<Usage> {
  const usedUp = createUsedUp<Key>({ clock, msMax: minuteMs, keysMax: refusedMax });
  return async (key) => {
    const known = usedUp.msLeft(key);
    if (known !== undefined) return { requests: requestsMax + 1, requestsMax, msLeft: known };
    const { requests, msLeft } = await countRequest(key);
    if (requests > requestsMax) usedUp.note(key, msLeft);
    return { requests, requestsMax, msLeft };
  };
}

/**
 * At most `requestsPerMinute` requests of one key, over all instances.
 *
 * @throws ServiceError 429 with the seconds to wait; 503 when the request cannot be counted
 */
export function createKeyRateLimit(
  deps: { sql: Sql; clock: Clock },
  requestsPerMinute: number,
): KeyRateLimit {
  const count = createUsageCounter<KeyId>({ clock: deps.clock, requestsMax: requestsPerMinute }, (keyId) =>
    countKeyRequest(deps, keyId),
  );
  return async (ctx, keyId) => {
    const usage = await count(keyId).catch((cause: unknown) => {
      throw storeUnavailable(cause);
    });
    answerRate(ctx, usage);
  };
}

/** The requests that count together, the current one included, and the milliseconds until the count starts again. */
export type Usage = { requests: number; requestsMax: number; msLeft: number };

/**
 * Sets headers that say how many more requests are accepted (draft-ietf-httpapi-ratelimit-headers, version 06, whose
 * three headers clients know).
 *
 * @throws ServiceError 429 for a request too many, with the seconds to wait; `detail` replaces its sentence
 */
export function answerRate(ctx: Context, { requests, requestsMax, msLeft }: Usage, detail?: string): void {
  const seconds = Math.max(1, Math.ceil(msLeft / 1000));
  ctx.set({
    'ratelimit-limit': String(requestsMax),
    'ratelimit-remaining': String(Math.max(0, requestsMax - requests)),
    'ratelimit-reset': String(seconds),
  });
  if (requests > requestsMax) {
    throw new ServiceError('rateLimited', { message: detail, retryAfterSeconds: seconds });
  }
}
