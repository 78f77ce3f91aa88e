import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../contract/errors.js';
import type { KeyId } from '../contract/ids.js';

/** Counts a request of a key, and tells in the answer's headers how many more it may send. */
export type KeyRateLimit = (ctx: Context, keyId: KeyId) => Promise<void>;

const windowSeconds = 60;

/**
 * At most `requestsPerMinute` of one key, counted by this instance. Only valid keys are counted, so what it holds
 * is bounded by their number.
 *
 * @throws ApiError 429, with the seconds to wait in `Retry-After`.
 */
export function createKeyRateLimit(requestsPerMinute: number): KeyRateLimit {
  const limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: windowSeconds });
  return async (ctx, keyId) => {
    const used = await limiter.consume(keyId).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    });
    const seconds = Math.max(1, Math.ceil(used.msBeforeNext / 1000));
    const headers = {
      'ratelimit-limit': String(requestsPerMinute),
      'ratelimit-remaining': String(Math.max(0, used.remainingPoints)),
      'ratelimit-reset': String(seconds),
    };
    if (used.consumedPoints > requestsPerMinute) {
      throw new ApiError('rateLimited', undefined, { ...headers, 'retry-after': String(seconds) });
    }
    ctx.set(headers);
  };
}
