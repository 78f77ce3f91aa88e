import { findPageId } from '../../../control/pages/index.js';
import { addressIn } from '../../../web/account/account-document.js';
import { accountPaths } from '../../../web/account/manage-paths.js';
import { renderReport } from '../../../web/account/report-view.js';
import { findManagedPage } from '../../manage/caller.js';
import { createReadReport, type ReadReport, type ReadReportDeps } from '../../reports/read-report.js';
import type { OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountPage } from './account-page.js';
import { answerHtml, answerRedirect } from './answers.js';
import { answerUnknownScreen } from './dashboard.js';

/** Beside those of every account page. */
export type ReportPagesDeps = ReadReportDeps;

/** Reports as pages to read and to print, for people who may read the page that they are about. */
export function reportPageRoutes(deps: AccountDeps & ReportPagesDeps): OpenRoute[] {
  const readReport = createReadReport(deps);
  return [
    accountPage(deps, {
      ...{ path: `${accountPaths.home}/pages/:page/reports/:every`, operationId: 'showReport' },
      summary:
        'How a page did in a week or a month, in HTML to read and to print; without a session, leads to the sign-in and back',
      handle: (request) => show(deps, readReport, request),
    }),
  ];
}

async function show(deps: AccountDeps, readReport: ReadReport, request: AccountRequest): Promise<void> {
  const { ctx, view } = request;
  const user = await request.signedIn();
  if (user === undefined) {
    return answerRedirect(ctx, addressIn(view, accountPaths.signIn, { to: ctx.url }));
  }
  const { page: slug = '', every } = ctx['params'];
  const page = await findManagedPage({ type: 'user', user }, slug, (one) => findPageId(deps, one));
  if (!page?.permissions.has('telemetry.read') || (every !== 'week' && every !== 'month')) {
    await answerUnknownScreen(deps, ctx);
    return;
  }
  const { at } = ctx.query;
  const asked = { pageId: page.id, every, at: typeof at === 'string' ? at : undefined };
  const { report } = await readReport(ctx, asked);
  answerHtml(request, renderReport(view, report));
}
