import type { Context } from 'koa';
import { ServiceError } from '../lib/service-error.js';

/** Of what is counted together: how many requests there were, the present one among them, and when it starts anew. */
export type Usage = { requests: number; requestsMax: number; msLeft: number };

/**
 * Tells in the headers of the answer how many more requests are taken (draft-ietf-httpapi-ratelimit-headers, version
 * 06, whose three headers clients know).
 *
 * @throws ServiceError 429 for a request too many, with the seconds to wait in `Retry-After`; `detail` replaces its
 *   sentence.
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
