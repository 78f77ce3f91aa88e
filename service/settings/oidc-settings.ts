import { pageRoles } from '../../contract/permissions.js';
import type { GroupGrant, OidcSettings } from '../../control/people/index.js';
import { ConfigError, type Environment, parseSwitch, parseUrl, settingOf } from './read-setting.js';

const optional = [
  'HEARTLINE_OIDC_SCOPES',
  'HEARTLINE_OIDC_TRUST_EMAIL',
  'HEARTLINE_OIDC_GROUPS_CLAIM',
  'HEARTLINE_OIDC_GROUPS',
] as const;

/**
 * Reads the settings of the identity provider; `undefined` when there is none.
 *
 * @throws ConfigError when one is missing or wrong
 */
export function parseOidc(env: Environment): OidcSettings | undefined {
  const issuer = parseUrl(env, 'HEARTLINE_OIDC_ISSUER', ['https:', 'http:']);
  const clientId = settingOf(env, 'HEARTLINE_OIDC_CLIENT_ID');
  const clientSecret = settingOf(env, 'HEARTLINE_OIDC_CLIENT_SECRET');
  if (issuer === undefined) {
    const alone = ['HEARTLINE_OIDC_CLIENT_ID', 'HEARTLINE_OIDC_CLIENT_SECRET', ...optional].find(
      (name) => settingOf(env, name) !== undefined,
    );
    if (alone === undefined) return undefined;
    throw new ConfigError(`${alone} needs HEARTLINE_OIDC_ISSUER, the address of the identity provider.`);
  }
  if (clientId === undefined || clientSecret === undefined) {
    const missing = clientId === undefined ? 'HEARTLINE_OIDC_CLIENT_ID' : 'HEARTLINE_OIDC_CLIENT_SECRET';
    throw new ConfigError(
      `${missing} must be set when HEARTLINE_OIDC_ISSUER is; the identity provider gives it to you.`,
    );
  }
  refusePlainHttp(issuer);
  return {
    ...{ issuer, clientId, clientSecret },
    scopes: parseScopes(settingOf(env, 'HEARTLINE_OIDC_SCOPES') ?? 'openid email profile'),
    trustsEmail: parseSwitch(env, 'HEARTLINE_OIDC_TRUST_EMAIL'),
    groupsClaim: settingOf(env, 'HEARTLINE_OIDC_GROUPS_CLAIM') ?? 'groups',
    grants: parseGrants(settingOf(env, 'HEARTLINE_OIDC_GROUPS') ?? ''),
  };
}

/** The keys that prove who signs in come from there. A provider on the machine itself is for trying things out. */
function refusePlainHttp(issuer: string): void {
  const { protocol, hostname } = new URL(issuer);
  if (protocol === 'https:' || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)) return;
  throw new ConfigError('HEARTLINE_OIDC_ISSUER must start with https://, except on localhost.');
}

/** Without `openid` there is no ID token. */
function parseScopes(text: string): string {
  const scopes = text.split(/[\s,]+/).filter(Boolean);
  if (scopes.includes('openid')) return scopes.join(' ');
  throw new ConfigError(
    `HEARTLINE_OIDC_SCOPES must have openid, such as "openid email profile groups", not "${text}".`,
  );
}

/** Pairs such as `status-team=editor@acme`, separated by commas. */
function parseGrants(text: string): GroupGrant[] {
  const pairs = text.split(',').map((pair) => pair.trim());
  return pairs.filter(Boolean).map((pair) => {
    // The names of groups may have an equals sign.
    const [, group = '', granted = ''] = /^(.+)=([^=]+)$/.exec(pair) ?? [];
    const [, name, pageSlug = ''] = /^(\w+)@([a-z0-9-]{1,63})$/.exec(granted.trim()) ?? [];
    const role = pageRoles.find((known) => known === name);
    if (group.trim() !== '' && role !== undefined) return { group: group.trim(), role, pageSlug };
    const why =
      granted.trim() === 'admin'
        ? 'no group makes an admin of the installation: invite that person, or use heartline user'
        : `the roles are ${pageRoles.join(', ')}`;
    throw new ConfigError(
      `HEARTLINE_OIDC_GROUPS must list pairs such as team=editor@acme, not "${pair}"; ${why}.`,
    );
  });
}
