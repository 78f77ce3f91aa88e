import type { Context } from 'koa';
import { ApiError } from '../contract/errors.js';
import type { KeyCache } from '../control/keys/key-cache.js';
import { KeyLookupError } from '../control/keys/key-cache.js';
import type { KeyGrant } from '../control/keys/key-grants.js';
import type { Access } from './route.js';

const bearer = /^Bearer +([!-~]+) *$/i;

/**
 * The grant of the request's key: 401 without a valid one, then 429 for one that is used too often, then 403 for
 * the wrong scope or a capability that the account lacks, then 404 for a feature that is off. No query for a key that was used lately.
 */
export async function authenticate(ctx: Context, keys: KeyCache, access: Access): Promise<KeyGrant> {
  const key = bearer.exec(ctx.get('authorization'))?.[1];
  const grant = key === undefined ? undefined : await find(keys, key);
  if (grant === undefined) {
    throw new ApiError(access.keyError, undefined, { 'www-authenticate': 'Bearer' });
  }
  await access.rate?.(ctx, grant.keyId);
  if (grant.scope !== access.scope) throw new ApiError('wrongScope');
  if (!grant.capabilities.has(access.capability)) throw new ApiError('capabilityUnavailable');
  if (access.feature !== undefined && !grant.databaseHealthEnabled) throw new ApiError('databaseHealthOff');
  return grant;
}

async function find(keys: KeyCache, key: string): Promise<KeyGrant | undefined> {
  try {
    return await keys.find(key);
  } catch (error) {
    if (!(error instanceof KeyLookupError)) throw error;
    const unavailable = new ApiError('storeUnavailable', undefined, { 'retry-after': '2' });
    unavailable.cause = error;
    throw unavailable;
  }
}
