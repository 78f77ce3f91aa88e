import { findPages, listPagePlaces } from '../../../control/pages/index.js';
import type { SignedIn } from '../../../control/people/index.js';
import { addressIn } from '../../../web/account/account-document.js';
import { type HomeInput, renderHome } from '../../../web/account/home-view.js';
import { accountPaths } from '../../../web/account/paths.js';
import type { OpenRoute } from '../../route.js';
import { type AccountDeps, accountPage } from './account-page.js';
import { answerHtml, answerRedirect } from './answers.js';

const pagesMax = 50;

/** What a person sees after signing in. */
export function homeRoute(deps: AccountDeps): OpenRoute {
  return accountPage(deps, {
    path: accountPaths.home,
    operationId: 'showManage',
    summary: 'Who is signed in, and the pages of that person, in HTML',
    async handle(request) {
      const person = await request.signedIn();
      if (person === undefined)
        return answerRedirect(request.ctx, addressIn(request.view, accountPaths.signIn));
      const { name, email, isAdmin } = person;
      const listed = await listPages(deps, person);
      answerHtml(request, renderHome(request.view, { name, email, isAdmin, ...listed }));
    },
  });
}

async function listPages(
  { sql, originOf }: AccountDeps,
  { isAdmin, roles }: SignedIn,
): Promise<Pick<HomeInput, 'pages' | 'more'>> {
  const slugs = [...roles.keys()].sort();
  const { pages, more } = isAdmin
    ? await listPagePlaces({ sql }, pagesMax)
    : {
        pages: await findPages({ sql }, { slugs: slugs.slice(0, pagesMax) }),
        more: Math.max(0, slugs.length - pagesMax),
      };
  return {
    more,
    pages: pages.map(({ slug, name, hostname }) => ({
      ...{ name, address: `${originOf(hostname)}/`, role: roles.get(slug)?.role },
    })),
  };
}
