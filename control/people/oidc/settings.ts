import type { PageRole } from '../../../contract/permissions.js';

/** The role that the members of a group of the identity provider have on a page. */
export type GroupGrant = { group: string; role: PageRole; pageSlug: string };

/** An OpenID Connect provider that signs people in. */
export type OidcSettings = {
  /** As the provider writes it, which may end with a slash. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Scopes to ask for, separated by spaces. */
  scopes: string;
  /** Whether an email counts as verified when the provider does not say whether it is. */
  trustsEmail: boolean;
  /** The claim that lists the groups of a person: its name, or names of nested claims with dots between them. */
  groupsClaim: string;
  grants: readonly GroupGrant[];
};
