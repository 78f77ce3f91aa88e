import type { Context } from 'koa';
import type { KeyCache } from '../control/keys/key-cache.js';
import { KeyLookupError } from '../control/keys/key-cache.js';
import type { KeyGrant } from '../control/keys/key-grants.js';
import { ServiceError, storeUnavailable } from '../lib/service-error.js';
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
    ctx.set('www-authenticate', 'Bearer');
    throw new ServiceError(access.keyError);
  }
  await access.rate?.(ctx, grant.keyId);
  if (grant.scope !== access.scope) throw new ServiceError('wrongScope');
  if (!grant.capabilities.has(access.capability)) throw new ServiceError('capabilityUnavailable');
  if (access.feature !== undefined && !grant.databaseHealthEnabled)
    throw new ServiceError('databaseHealthOff');
  return grant;
}

async function find(keys: KeyCache, key: string): Promise<KeyGrant | undefined> {
  try {
    return await keys.find(key);
  } catch (error) {
    if (!(error instanceof KeyLookupError)) throw error;
    throw storeUnavailable(error);
  }
}
