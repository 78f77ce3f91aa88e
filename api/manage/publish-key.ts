import { hash } from 'node:crypto';
import type { Context } from 'koa';
import type { PublishKey } from '../../control/incidents/index.js';
import { ServiceError } from '../../lib/service-error.js';

/**
 * The Idempotency-Key of a request and a hash of what it asks for; `undefined` without the header.
 *
 * @param target what the request makes and where, such as `update <id of the incident>`
 * @throws ServiceError `invalidParameter` for a key of another form.
 */
export function publishKeyOf(ctx: Context, target: string, body: unknown): PublishKey | undefined {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[!-~]{1,64}$/.test(key)) {
    throw new ServiceError('invalidParameter', {
      message: 'The header Idempotency-Key must have 1 to 64 visible ASCII characters.',
    });
  }
  const requestHash = Buffer.from(hash('sha256', `${target}\n${JSON.stringify(body)}`, 'hex'), 'hex');
  return { key, requestHash };
}
