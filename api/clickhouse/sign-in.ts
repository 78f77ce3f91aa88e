import type { Context } from 'koa';
import { plain } from '../../analytics/sql/door-settings.js';
import type { Capability } from '../../contract/scopes.js';
import type { KeyCache, KeyGrant } from '../../control/keys/index.js';
import { ServiceError } from '../../lib/service-error.js';
import { capabilityUnavailable } from '../authenticate.js';

/** AUTHENTICATION_FAILED of ClickHouse. */
const refusedCode = 516;
const capability: Capability = 'internal-analytics';

type Credentials = { user: string; password: string };

/**
 * Returns the grant of a request with the slug of a page as the user and a read key of that page as the password: in the
 * headers of ClickHouse, with HTTP Basic, or in the query string. A wrong key, a key of another page and one of another
 * scope are the same error.
 *
 * @throws ServiceError AUTHENTICATION_FAILED; `capabilityUnavailable`; 503 when the key cannot be looked up
 */
export async function signIn(
  ctx: Context,
  query: URLSearchParams,
  keys: Pick<KeyCache, 'find'>,
): Promise<KeyGrant> {
  const { user, password } = inHeaders(ctx) ?? inBasic(ctx) ?? inQuery(query);
  const grant = await keys.find(password);
  if (grant === undefined || grant.scope !== 'read' || grant.slug !== user) throw refused(user);
  if (!grant.capabilities.has(capability)) throw capabilityUnavailable(grant.slug, capability);
  return grant;
}

function inHeaders(ctx: Context): Credentials | undefined {
  const [user, password] = [ctx.get('x-clickhouse-user'), ctx.get('x-clickhouse-key')];
  return user === '' && password === '' ? undefined : { user, password };
}

function inBasic(ctx: Context): Credentials | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]{1,1000})$/i.exec(ctx.get('authorization')) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon === -1
    ? { user: text, password: '' }
    : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function inQuery(query: URLSearchParams): Credentials {
  return { user: query.get('user') ?? '', password: query.get('password') ?? '' };
}

function refused(user: string): ServiceError {
  const name = user === '' ? 'default' : plain(user);
  return new ServiceError('notAllowed', {
    message: `${name}: Authentication failed: password is incorrect, or there is no user with such name.`,
    hint: 'The user is the slug of a page, and the password a read key of it.',
    storeCode: refusedCode,
  });
}
