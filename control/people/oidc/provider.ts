import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { Clock } from '../../../lib/clock.js';
import { createBoundedFetch } from '../../../lib/outbound/bounded-fetch.js';
import { hashSecret } from '../../../lib/secrets/secrets.js';
import { minuteMs } from '../../../lib/times.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { createClientSecret } from './client-secret.js';
import { createDiscovery, type OidcSettings, requestMsMax } from './discovery.js';
import { type Claims, readGroups } from './groups.js';
import { explain, hasCode } from './oidc-error.js';

/** The values that the browser keeps, sealed, while a person is at the provider. */
export type OidcAttempt = { state: string; nonce: string; verifier: string };

/** Who the provider says that a person is. */
export type ProvidedIdentity = {
  issuer: string;
  subject: string;
  email: string | undefined;
  /** Whether the email is the person's, as the provider says or is trusted with; `undefined` when it does not say. */
  emailVerified: boolean | undefined;
  name: string | undefined;
  /** Names, ids and paths; `tooMany` when the provider only says that there are more than it sends. */
  groups: readonly string[] | 'tooMany';
  /** Names of the claims that came, for the log. */
  claimNames: readonly string[];
};

export type OidcProvider = {
  /** Host name of the issuer, for people. */
  host: string;
  /**
   * Begins a sign-in. Returns where the person goes, and what to keep until the person comes back.
   *
   * @throws OidcError `down`
   */
  begin(redirectUri: string): Promise<{ url: string; attempt: OidcAttempt }>;
  /**
   * Ends it: exchanges the code in the address that the person came back to for a token, and checks the token.
   *
   * @throws OidcError
   */
  finish(returnedTo: URL, attempt: OidcAttempt): Promise<ProvidedIdentity>;
};

const answerBytesMax = 512 * 1024;

/** The library's code for a token whose key is not among those that are known. */
const unknownKey = 'OAUTH_KEY_SELECTION_FAILED';

/**
 * Signs people in with the provider: the code flow with PKCE, state and nonce. The signature of every token is checked
 * with the keys of the provider, which excludes `none` and keys that both sides know.
 *
 * Requests go to the host of the issuer even on a private network, because the operator chose it; every other address
 * that the provider names must be public unless `allowPrivateAddresses`.
 */
export function createOidcProvider(
  settings: OidcSettings,
  { clock, allowPrivateAddresses }: { clock: Clock; allowPrivateAddresses: boolean },
): OidcProvider {
  const issuer = new URL(settings.issuer);
  const send = createBoundedFetch({
    mayBePrivate: ({ host }) => allowPrivateAddresses || host === issuer.host,
    timeoutMs: requestMsMax,
    bytesMax: answerBytesMax,
  });
  const secret = createClientSecret(settings.clientSecret);
  const configuration = createDiscovery(settings, { clock, send, authenticate: secret.authenticate });

  return {
    host: issuer.hostname,
    async begin(redirectUri) {
      const attempt = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const { state, nonce } = attempt;
      const url = buildAuthorizationUrl(await configuration.load(), {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        ...{ state, nonce },
      });
      return { url: url.href, attempt };
    },
    async finish(returnedTo, { state, nonce, verifier }) {
      const discovered = await configuration.load();
      try {
        const tokens = await secret.sendEitherWay(() =>
          authorizationCodeGrant(discovered, returnedTo, {
            ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
            idTokenExpected: true,
          }),
        );
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('The answer has no ID token.');
        const whole = await withUserInfo(discovered, tokens.access_token, claims, settings);
        return toIdentity(settings, { ...whole, iss: claims.iss, sub: claims.sub });
      } catch (error) {
        // The library loads the keys again after a minute at the earliest, and until then nobody would enter.
        if (hasCode(error, unknownKey)) configuration.forget();
        throw explain(error);
      }
    },
  };
}

/**
 * Adds what the provider says of the person elsewhere to the claims of the ID token, when that lacks the email, whether it
 * is verified, the name, or groups that give roles. An email and its proof come from one place.
 */
async function withUserInfo(
  discovered: Configuration,
  accessToken: string,
  claims: IDToken,
  settings: OidcSettings,
): Promise<Claims> {
  const { email, email_verified: isVerified } = claims;
  const lacksGroups = settings.grants.length > 0 && readGroups(claims, settings.groupsClaim) === undefined;
  const isWhole =
    email !== undefined && isVerified !== undefined && nameOf(claims) !== undefined && !lacksGroups;
  if (isWhole || discovered.serverMetadata().userinfo_endpoint === undefined) return claims;
  const more: Claims | undefined = await fetchUserInfo(discovered, accessToken, claims.sub).catch(
    (error: unknown) => {
      if (email === undefined || lacksGroups) throw error;
      return undefined;
    },
  );
  if (more === undefined) return claims;
  const hasOtherEmail = email !== undefined && more['email'] !== email;
  return {
    ...more,
    ...claims,
    ...(hasOtherEmail && isVerified === undefined && { email_verified: undefined }),
  };
}

function toIdentity(
  { groupsClaim, trustsEmail }: OidcSettings,
  claims: Claims & Pick<IDToken, 'iss' | 'sub'>,
): ProvidedIdentity {
  const { email } = claims;
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: typeof email === 'string' ? email : undefined,
    emailVerified: readVerified(claims['email_verified']) ?? (trustsEmail || undefined),
    name: nameOf(claims),
    groups: readGroups(claims, groupsClaim) ?? [],
    claimNames: Object.keys(claims).slice(0, 50),
  };
}

/** Some providers write the claim as a text. */
function readVerified(claim: unknown): boolean | undefined {
  if (claim === undefined || claim === null) return undefined;
  return claim === true || claim === 'true';
}

function nameOf({ name, preferred_username: username }: Claims): string | undefined {
  return [name, username].find((text): text is string => typeof text === 'string' && text.trim() !== '');
}

/** How long a person may take at the identity provider, in milliseconds. */
export const oidcAttemptMs = 10 * minuteMs;

/**
 * Uses the state of an answer of the identity provider, on all instances. Returns false when it was used before. Rows are
 * kept for twice as long as an attempt lasts, because the clocks of instances differ.
 */
export async function spendOidcState(
  { sql, clock }: { sql: Sql; clock: Clock },
  state: string,
): Promise<boolean> {
  const now = clock.now();
  await sql`delete from oidc_states where expires_at < ${new Date(now)}`;
  const { count } = await sql`
    insert into oidc_states (state_hash, expires_at)
    values (decode(${hashSecret(state)}, 'hex'), ${new Date(now + 2 * oidcAttemptMs)})
    on conflict (state_hash) do nothing`;
  return count === 1;
}
