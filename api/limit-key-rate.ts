import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { KeyId } from '../contract/ids.js';
import { answerRate } from './rate-headers.js';

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
    answerRate(ctx, {
      requests: used.consumedPoints,
      requestsMax: requestsPerMinute,
      msLeft: used.msBeforeNext,
    });
  };
}
