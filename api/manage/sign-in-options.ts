import type { GroupGrant, OidcProvider } from '../../control/people/index.js';

/** The identity provider, and the roles that its groups have. */
export type ProviderSettings = { oidc: OidcProvider; grants: readonly GroupGrant[] };

/** How people sign in to this installation. */
export type SignInOptions = {
  /** Whether with a password. */
  takesPassword: boolean;
  /** The identity provider, where one is configured. */
  provider: ProviderSettings | undefined;
  /** Whether there is a server to mail links with. */
  mailsLinks: boolean;
};

/** With a password only, as without any setting. */
export const passwordOnly: SignInOptions = { takesPassword: true, provider: undefined, mailsLinks: false };
