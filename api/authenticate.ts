import type { IncomingHttpHeaders } from 'node:http';
import type { Capability, Scope } from '../contract/scopes.js';
import type { KeyCache, KeyGrant } from '../control/keys/index.js';
import type { KeyId } from '../lib/ids.js';
import { ServiceError } from '../lib/service-error.js';
import { bearerKey, hintOnKey, hintOnScope } from './key-hints.js';
import type { Access } from './route.js';

/** Counts a use of a key. Throws when the key is used too often. */
export type CountUse = (keyId: KeyId) => Promise<void>;

/**
 * The grant of the request's key. The checks in order: 401 without a valid key, 403 for the wrong scope, 429 for a key that
 * is used too often, 403 for a capability that the account lacks, 404 for a feature that is off. A key that was used
 * lately costs no query.
 *
 * @throws ServiceError for each of these; 503 when the key cannot be looked up
 */
export async function authenticate(
  headers: IncomingHttpHeaders,
  keys: Pick<KeyCache, 'find'>,
  access: Access,
  countUse?: CountUse,
): Promise<KeyGrant> {
  const key = bearerKey(headers);
  const grant = key === undefined ? undefined : await keys.find(key);
  if (grant === undefined)
    throw new ServiceError(access.keyError, { hint: hintOnKey(headers, access.scope) });
  // The holder of another key learns that at once: waiting would not help.
  if (grant.scope === 'admin' || grant.scope !== access.scope) throw wrongScope(grant.scope, access.scope);
  if (countUse !== undefined) await countUse(grant.keyId);
  if (!grant.capabilities.has(access.capability)) throw capabilityUnavailable(grant.slug, access.capability);
  if (access.feature !== undefined && !grant.databaseHealthEnabled)
    throw new ServiceError('databaseHealthOff');
  return grant;
}

function wrongScope(own: Scope, needed: Scope): ServiceError {
  return new ServiceError('wrongScope', {
    message: `This key has the scope ${own}; this route needs the scope ${needed}.`,
    hint: hintOnScope(needed),
  });
}

/** The error of a route whose capability the account of the page with this slug lacks. */
export function capabilityUnavailable(slug: string, capability: Capability): ServiceError {
  return new ServiceError('capabilityUnavailable', {
    hint: `Ask the operator to run "heartline page set ${slug} --capability ${capability}=on".`,
  });
}
