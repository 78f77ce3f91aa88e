import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

/** How the secret of the client goes to the provider. */
export type ClientSecret = {
  authenticate: ClientAuth;
  /**
   * Sends a request with the secret, and once more in the other way when the provider refuses the client, as Go's package
   * oauth2 does. A refused client has not spent the code.
   *
   * @throws the refusal that has a code, when both ways are refused
   */
  sendEitherWay<T>(send: () => Promise<T>): Promise<T>;
};

/**
 * Sends the secret in the body, or in the header of HTTP Basic (RFC 6749, 2.3.1). A client at Authelia, ZITADEL and
 * others may use the one that it is registered with alone, and their descriptions list both. The way that was accepted
 * last is the first.
 */
export function createClientSecret(secret: string): ClientSecret {
  const inBody = ClientSecretPost(secret);
  const inHeader = ClientSecretBasic(secret);
  let usesHeader: boolean | undefined;
  return {
    authenticate(server, client, body, headers) {
      usesHeader ??= server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === false;
      (usesHeader ? inHeader : inBody)(server, client, body, headers);
    },
    async sendEitherWay(send) {
      try {
        return await send();
      } catch (error) {
        if (!isClientRefused(error)) throw error;
        const before = usesHeader;
        usesHeader = before !== true;
        try {
          return await send();
        } catch (second) {
          usesHeader = before;
          throw error instanceof ResponseBodyError ? error : second;
        }
      }
    },
  };
}

/** A refusal of the header is a challenge with the status 401 and without a code. */
function isClientRefused(error: unknown): boolean {
  if (error instanceof ResponseBodyError && error.error === 'invalid_client') return true;
  return error instanceof WWWAuthenticateChallengeError && error.status === 401;
}
