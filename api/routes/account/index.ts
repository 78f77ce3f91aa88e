import type { FormRoute, OpenRoute } from '../../route.js';
import type { AccountDeps } from './account-page.js';
import { forgotRoutes } from './forgot.js';
import { homeRoute } from './home.js';
import { invitationRoutes } from './invitations.js';
import { linkRoutes } from './links.js';
import { providerRoutes } from './provider.js';
import { signInRoutes } from './sign-in.js';

export type { AccountDeps } from './account-page.js';

/** The pages on which people sign in, on the host of the service. They work without scripts. */
export function accountRoutes(deps: AccountDeps): (OpenRoute | FormRoute)[] {
  return [
    homeRoute(deps),
    ...signInRoutes(deps),
    ...providerRoutes(deps),
    ...linkRoutes(deps),
    ...invitationRoutes(deps),
    ...forgotRoutes(deps),
  ];
}
