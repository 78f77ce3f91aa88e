import { findPage } from '../../../control/pages/index.js';
import { addressIn } from '../../../web/account/account-document.js';
import { accountPaths, visitPath } from '../../../web/account/manage-paths.js';
import { readerPassPath } from '../../../web/page-paths.js';
import { isReader } from '../../public/private/page-access.js';
import { makePass } from '../../public/private/reader-cookie.js';
import type { OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountPage } from './account-page.js';
import { answerRedirect } from './answers.js';

/** Leads people who run a private page from the dashboard to the page, which is on another host. */
export function visitRoutes(deps: AccountDeps): OpenRoute[] {
  return [
    accountPage(deps, {
      ...{ path: visitPath, operationId: 'visitPrivatePage' },
      summary: 'Leads people who run a private page to it; without a session, to the sign-in and back',
      handle: (request) => visit(deps, request),
    }),
  ];
}

async function visit(deps: AccountDeps, request: AccountRequest): Promise<void> {
  const { ctx, view, to = '/' } = request;
  const hostname = ctx.query['host'];
  const person = await request.signedIn();
  if (person === undefined) {
    return answerRedirect(ctx, addressIn(view, accountPaths.signIn, { to: ctx.url }));
  }
  const page = typeof hostname === 'string' ? await findPage(deps, { hostname }) : undefined;
  // Who may not read the page learns nothing of it: neither that it is there nor where.
  if (page === undefined || !isReader(person, page)) return answerRedirect(ctx, accountPaths.home);
  const query = new URLSearchParams({ pass: makePass(deps, page.id), to });
  answerRedirect(ctx, `${deps.originOf(page.hostname)}${readerPassPath}?${query}`);
}
