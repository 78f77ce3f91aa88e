import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { Clock } from '../../../lib/clock.js';
import { type BoundedFetch, createBoundedFetch } from '../../../lib/outbound/bounded-fetch.js';
import { hourMs, secondMs } from '../../../lib/times.js';
import { createClientSecret } from './client-secret.js';
import { type Claims, readGroups } from './groups.js';
import { explain, hasCode, OidcError } from './oidc-error.js';
import type { OidcSettings } from './settings.js';

/** What the browser keeps, sealed, while a person is at the provider. */
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

/** Google and Microsoft answer in less than a second; a person waits. */
const requestMsMax = 5 * secondMs;
const answerBytesMax = 512 * 1024;
/** The provider changes its keys and addresses seldom; after a token with a new key they are loaded again in any case. */
const discoveredMsMax = hourMs;
/** The library's code for a token whose key is not among those that are known. */
const unknownKey = 'OAUTH_KEY_SELECTION_FAILED';
const clocksDifferSecondsMax = 30;

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
 * Loads the description of the provider and its keys once an hour, or when they are to be forgotten, for all who wait for
 * it together. A failure is not kept.
 */
function createDiscovery(
  { issuer, clientId }: OidcSettings,
  { clock, send, authenticate }: { clock: Clock; send: BoundedFetch; authenticate: ClientAuth },
): { load(): Promise<Configuration>; forget(): void } {
  let known: { at: number; loading: Promise<Configuration> } | undefined;
  const url = new URL(issuer);
  const load = async (): Promise<Configuration> => {
    const execute = [enableNonRepudiationChecks];
    if (url.protocol === 'http:') execute.push(allowInsecureRequests);
    try {
      const metadata = { [clockTolerance]: clocksDifferSecondsMax };
      return await discovery(url, clientId, metadata, authenticate, {
        ...{ [customFetch]: send, execute, timeout: requestMsMax / secondMs },
      });
    } catch (error) {
      throw new OidcError('down', error);
    }
  };
  return {
    load() {
      const now = clock.now();
      if (known === undefined || Math.abs(now - known.at) > discoveredMsMax) {
        const begun = { at: now, loading: load() };
        known = begun;
        begun.loading.catch(() => {
          if (known === begun) known = undefined;
        });
      }
      return known.loading;
    },
    forget() {
      known = undefined;
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
