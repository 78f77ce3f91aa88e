import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { countKeyRequest } from '../control/keys/index.js';
import type { Clock } from '../lib/clock.js';
import type { KeyId } from '../lib/ids.js';
import { storeUnavailable } from '../lib/service-error.js';
import type { Sql } from '../sql/open-postgres.js';
import { withQueryTimeout } from '../sql/query-timeout.js';
import { answerRate, type Usage } from './rate-headers.js';

/** Counts a request of a key, and tells in the answer's headers how many more it may send. */
export type KeyRateLimit = (ctx: Context, keyId: KeyId) => Promise<void>;

/** Keys that are known to have used up their minute; one that is forgotten costs a query. */
const refusedMax = 10_000;

/**
 * At most `requestsPerMinute` of one key, counted in PostgreSQL and so over all instances. A key that has used up
 * its minute is refused from memory until the next one, so that a flood of requests is no flood of queries.
 *
 * @throws ServiceError 429, with the seconds to wait in `Retry-After`; 503 when it cannot be counted.
 */
export function createKeyRateLimit(
  deps: { sql: Sql; clock: Clock },
  requestsPerMinute: number,
): KeyRateLimit {
  const refusedUntil = new LRUCache<KeyId, number>({ max: refusedMax });

  async function count(keyId: KeyId): Promise<Usage> {
    const now = deps.clock.now();
    const until = refusedUntil.get(keyId) ?? 0;
    const requestsMax = requestsPerMinute;
    // A clock that was put back makes no minute longer.
    if (until > now && until <= now + 60_000)
      return { requests: requestsMax + 1, requestsMax, msLeft: until - now };
    const { requests, msLeft } = await withQueryTimeout(countKeyRequest(deps, keyId));
    if (requests > requestsMax) refusedUntil.set(keyId, now + msLeft);
    return { requests, requestsMax, msLeft };
  }

  return async (ctx, keyId) => {
    const usage = await count(keyId).catch((cause: unknown) => {
      throw storeUnavailable(cause);
    });
    answerRate(ctx, usage);
  };
}
