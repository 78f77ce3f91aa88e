import { inLanguage } from '../../../lib/locale/language.js';
import { renderDashboardDocument } from '../../../web/account/dashboard-document.js';
import { sharedBoardPages } from '../../../web/account/manage-paths.js';
import { chooseOwnLanguage } from '../../public/own-views.js';
import type { OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountPage } from './account-page.js';
import { answerSharedBoard } from './answers.js';

/** Pages that show a board to anyone who has its link, in frames of other sites as well. */
export function sharedBoardPageRoutes(deps: AccountDeps): OpenRoute[] {
  return [
    accountPage(deps, {
      ...{ path: `${sharedBoardPages}/:board`, operationId: 'showSharedBoard' },
      summary: 'A board behind a secret address, in HTML',
      handle: (request) => answerBoard(deps, request),
    }),
  ];
}

/** Answers with the application, which reads the board and says so when the address opens nothing. */
function answerBoard(deps: AccountDeps, request: AccountRequest): void {
  const { ctx, view } = request;
  const language = view.isChosen ? view.language : chooseOwnLanguage(ctx);
  const start = { language, sharedBoard: { token: String(ctx['params'].board) } };
  const assets = { ...inLanguage(deps.dashboardAssets, language), theme: deps.assets.theme };
  answerSharedBoard(
    { ...request, view: { ...view, language } },
    renderDashboardDocument({ language, assets, start }),
  );
}
