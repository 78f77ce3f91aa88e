import type { Context } from 'koa';
import { contactWayKinds } from '../../../contract/manage/contact-ways.js';
import { inLanguage } from '../../../lib/locale/language.js';
import { commandName } from '../../../lib/printed-commands.js';
import { addressIn } from '../../../web/account/account-document.js';
import { renderDashboardDocument } from '../../../web/account/dashboard-document.js';
import { accountPaths, dashboardPaths, pageScreens, previewPath } from '../../../web/account/manage-paths.js';
import { describeMe, shortenMe } from '../../manage/me.js';
import { chooseOwnLanguage, ownTags } from '../../public/own-views.js';
import type { OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountPage, openScreen } from './account-page.js';
import { answerDashboard, answerPreview, answerRedirect } from './answers.js';

const inHtml = 'in HTML; without a session, leads to the sign-in and back';

/** The dashboard: every screen is the same document, and the application in it draws what the address names. */
export function dashboardRoutes(deps: AccountDeps): OpenRoute[] {
  const handle = (request: AccountRequest) => answerScreen(deps, request);
  const page = `${accountPaths.home}/pages/:page` as const;
  return [
    accountPage(deps, {
      ...{ path: accountPaths.home, operationId: 'showManage', handle },
      summary: `The dashboard, with the pages that a person runs, ${inHtml}`,
    }),
    accountPage(deps, {
      ...{ path: dashboardPaths.account, operationId: 'showAccount', handle },
      summary: `The account of the person who is signed in, ${inHtml}`,
    }),
    accountPage(deps, {
      ...{ path: dashboardPaths.installation, operationId: 'showInstallation', handle },
      summary: `The state of the installation, ${inHtml}`,
    }),
    accountPage(deps, {
      ...{ path: page, operationId: 'showPageOverview', handle },
      summary: `The overview of a page, ${inHtml}`,
    }),
    accountPage(deps, {
      ...{ path: `${page}/:screen`, operationId: 'showPageScreen' },
      summary: `A screen of a page, ${inHtml}`,
      handle: (request) => (isScreen(request) ? handle(request) : deps.answerElsewhere(request.ctx)),
    }),
  ];
}

function isScreen({ ctx }: AccountRequest): boolean {
  return pageScreens.some((screen) => screen === ctx['params'].screen);
}

/**
 * Answers a GET below /manage that no screen has: the application says so, with its navigation around it. Returns false on a
 * host where nobody signs in.
 */
export async function answerUnknownScreen(deps: AccountDeps, ctx: Context): Promise<boolean> {
  const request = await openScreen(deps, ctx);
  if (request === undefined) return false;
  await answerScreen(deps, request, 404);
  return true;
}

/**
 * Answers with the application and what it starts with. The page of the path is not looked up: the application has the
 * pages of the person, and the API refuses everything else.
 */
async function answerScreen(deps: AccountDeps, request: AccountRequest, status = 200): Promise<void> {
  const { ctx, view } = request;
  const user = await request.signedIn();
  if (user === undefined) {
    return answerRedirect(ctx, addressIn(view, accountPaths.signIn, { to: ctx.url }));
  }
  const language =
    ownTags.find((tag) => tag === user.language?.split('-', 1)[0]) ??
    (view.isChosen ? view.language : chooseOwnLanguage(ctx));
  const start = {
    ...shortenMe(await describeMe(deps, { type: 'user', user }), ctx['params']?.page),
    ...{ language, version: deps.version, baseUrl: deps.baseUrl(), port: ctx.req.socket.localPort },
    sendsMail: deps.signInOptions.mailsLinks,
    wayKinds: contactWayKinds.filter((kind) => deps.waySender.lacks(kind) === undefined),
    commandName,
  };
  const assets = { ...inLanguage(deps.dashboardAssets, language), theme: deps.assets.theme };
  answerDashboard(
    { ...request, view: { ...view, language } },
    renderDashboardDocument({ language, assets, start }),
    status,
  );
}

/** The empty document in which the dashboard shows pages and emails as readers would get them. It has no data. */
export function previewRoutes(deps: AccountDeps): OpenRoute[] {
  return [
    accountPage(deps, {
      ...{ path: previewPath, operationId: 'showPreview', handle: answerPreview },
      summary: 'An empty document that the dashboard fills with previews, in HTML',
    }),
  ];
}
