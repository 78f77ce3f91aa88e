import type { IncomingHttpHeaders } from 'node:http';
import type { Capability, Scope } from '../contract/scopes.js';
import type { AnyGrant, KeyCache, KeyGrant } from '../control/keys/index.js';
import type { KeyId } from '../lib/ids.js';
import { ServiceError } from '../lib/service-error.js';
import { bearerKey, hintOnKey, hintOnScope } from './key-hints.js';
import type { Access } from './route.js';

/** Counts a use of a key. Throws when the key is used too often. */
export type CountUse = (keyId: KeyId) => Promise<void>;

/**
 * The grant of the request's key. The checks in order: 401 without a valid key, 403 for the wrong scope, 429 for a key that
 * is used too often, 403 for a capability that the account lacks, 404 for a feature that is off. A key that was used
 * lately costs neither a query nor a promise, unless its uses are counted.
 *
 * @throws ServiceError for each of these; 503 when the key cannot be looked up. The promise, if there is one, rejects.
 */
export function authenticate(
  headers: IncomingHttpHeaders,
  keys: Pick<KeyCache, 'find'>,
  access: Access,
  countUse?: CountUse,
): KeyGrant | Promise<KeyGrant> {
  const key = bearerKey(headers);
  const found = key === undefined ? undefined : keys.find(key);
  return found instanceof Promise
    ? found.then((grant) => check(headers, grant, access, countUse))
    : check(headers, found, access, countUse);
}

function check(
  headers: IncomingHttpHeaders,
  found: AnyGrant | undefined,
  access: Access,
  countUse: CountUse | undefined,
): KeyGrant | Promise<KeyGrant> {
  if (found === undefined)
    throw new ServiceError(access.keyError, { hint: hintOnKey(headers, access.scope) });
  // The holder of another key learns that at once: waiting would not help.
  if (found.scope === 'admin' || found.scope !== access.scope) throw wrongScope(found.scope, access.scope);
  const grant: KeyGrant = found;
  return countUse === undefined
    ? requireFeatures(grant, access)
    : countUse(grant.keyId).then(() => requireFeatures(grant, access));
}

function requireFeatures(grant: KeyGrant, { capability, feature }: Access): KeyGrant {
  if (!grant.capabilities.has(capability)) throw capabilityUnavailable(grant.slug, capability);
  if (feature !== undefined && !grant.databaseHealthEnabled) throw new ServiceError('databaseHealthOff');
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
