import type { PageRole } from '../../../contract/permissions.js';

/** The role that the members of a group of the identity provider have on a page. */
export type GroupGrant = { group: string; role: PageRole; pageSlug: string };

/** An OpenID Connect provider that signs people in. */
export type OidcSettings = {
  /** As the provider writes it, which may end with a slash. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Name of the claim that lists the groups of a person. */
  groupsClaim: string;
  grants: readonly GroupGrant[];
};
