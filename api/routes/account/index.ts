import type { FormRoute, OpenRoute } from '../../route.js';
import type { AccountDeps } from './account-page.js';
import { alertLinkRoutes } from './alert-links.js';
import { dashboardRoutes, previewRoutes } from './dashboard.js';
import { docsRoutes } from './docs.js';
import { forgotRoutes } from './forgot.js';
import { invitationRoutes } from './invitations.js';
import { linkRoutes } from './links.js';
import { providerRoutes } from './provider.js';
import { type ReportPagesDeps, reportPageRoutes } from './reports.js';
import { sharedBoardPageRoutes } from './shared-boards.js';
import { signInRoutes } from './sign-in.js';
import { visitRoutes } from './visit.js';

export type { AccountDeps } from './account-page.js';
export { answerUnknownScreen } from './dashboard.js';

/**
 * The dashboard, and the pages on which people sign in, which work without scripts; on the host of the service. On others
 * they do not exist, which the guarded answer for unknown addresses says.
 */
export function accountRoutes(deps: AccountDeps & ReportPagesDeps): (OpenRoute | FormRoute)[] {
  const routes = [
    ...dashboardRoutes(deps),
    ...docsRoutes(deps),
    ...visitRoutes(deps),
    ...previewRoutes(deps),
    ...signInRoutes(deps),
    ...providerRoutes(deps),
    ...linkRoutes(deps),
    ...invitationRoutes(deps),
    ...forgotRoutes(deps),
    ...reportPageRoutes(deps),
    ...sharedBoardPageRoutes(deps),
  ].map((route): OpenRoute | FormRoute => ({ ...route, unguarded: 'hasNothingOfPages' }));
  return [...routes, ...alertLinkRoutes(deps)];
}
