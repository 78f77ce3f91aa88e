import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useMemo } from 'preact/hooks';
import { LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso';
import { accountPaths, dashboardPaths, type PageScreen } from '../account/manage-paths.js';
import { Empty } from './kit/states.js';
import { createReadCache, ReadCacheContext } from './reads/read-cache.js';
import { PageContext, SessionContext, type Start, useSession } from './session.js';
import { Frame } from './shell/frame.js';
import { NoScreen } from './shell/no-screen.js';
import { PermittedScreen } from './shell/permitted.js';
import { screens } from './shell/screens.js';
import { shellTexts } from './shell/texts.js';
import { useMe } from './shell/use-me.js';
import { LanguageContext, useTexts } from './texts.js';

/** Each screen is a file of its own, which loads when somebody opens it. */
const Pages = lazy(() => import('./screens/pages/pages.js'));
const Overview = lazy(() => import('./screens/overview/overview.js'));
const Account = lazy(() => import('./screens/account/account.js'));
const Installation = lazy(() => import('./screens/installation/installation.js'));
const pageScreens = {
  traffic: lazy(() => import('./screens/traffic/traffic.js')),
  reporters: lazy(() => import('./screens/reporters/reporters.js')),
  databases: lazy(() => import('./screens/databases/databases.js')),
  deployments: lazy(() => import('./screens/deployments/deployments.js')),
  boards: lazy(() => import('./screens/boards/boards.js')),
  sql: lazy(() => import('./screens/sql/sql.js')),
  monitors: lazy(() => import('./screens/monitors/monitors.js')),
  incidents: lazy(() => import('./screens/incidents/incidents.js')),
  page: lazy(() => import('./screens/page/page.js')),
  subscribers: lazy(() => import('./screens/subscribers/subscribers.js')),
  webhooks: lazy(() => import('./screens/webhooks/webhooks.js')),
  channels: lazy(() => import('./screens/channels/channels.js')),
  reports: lazy(() => import('./screens/reports/reports.js')),
  alerts: lazy(() => import('./screens/alerts/alerts.js')),
  rules: lazy(() => import('./screens/rules/rules.js')),
  objectives: lazy(() => import('./screens/objectives/objectives.js')),
  'on-call': lazy(() => import('./screens/on-call/on-call.js')),
  policies: lazy(() => import('./screens/policies/policies.js')),
  keys: lazy(() => import('./screens/keys/keys.js')),
  people: lazy(() => import('./screens/people/people.js')),
  connections: lazy(() => import('./screens/connections/connections.js')),
  'event-store': lazy(() => import('./screens/event-store/event-store.js')),
  audit: lazy(() => import('./screens/audit/audit.js')),
} satisfies Record<PageScreen, unknown>;

/** The dashboard: who is signed in, the frame, and the screen of the address. */
export function App({ start }: { start: Start }) {
  const me = useMe(start);
  const cache = useMemo(createReadCache, []);
  const session = useMemo(() => ({ ...start, ...me }), [start, me.me, me.loadPages]);
  return (
    <LocationProvider scope={accountPaths.home}>
      <LanguageContext.Provider value={start.language}>
        <SessionContext.Provider value={session}>
          <ReadCacheContext.Provider value={cache}>
            <Frame>
              <ErrorBoundary>
                <Screens />
              </ErrorBoundary>
            </Frame>
          </ReadCacheContext.Provider>
        </SessionContext.Provider>
      </LanguageContext.Provider>
    </LocationProvider>
  );
}

function Screens() {
  return (
    <Router>
      <Route path={accountPaths.home} component={Pages} />
      <Route path={dashboardPaths.account} component={Account} />
      <Route path={dashboardPaths.installation} component={Installation} />
      <Route path={`${accountPaths.home}/pages/:page`} component={PageOverview} />
      <Route path={`${accountPaths.home}/pages/:page/:screen`} component={PageScreenOf} />
      <Route default component={NoScreen} />
    </Router>
  );
}

function PageOverview({ page }: { page: string }) {
  return (
    <PageFrame slug={page}>
      <Overview />
    </PageFrame>
  );
}

function PageScreenOf({ page, screen }: { page: string; screen: string }) {
  const Screen = Object.entries(pageScreens).find(([name]) => name === screen)?.[1];
  const permission = screens.find(({ name }) => name === screen)?.permission;
  if (Screen === undefined || permission === undefined) return <NoScreen />;
  return (
    <PageFrame slug={page}>
      <PermittedScreen permission={permission}>
        <Screen />
      </PermittedScreen>
    </PageFrame>
  );
}

/** Draws in place of a screen that fails; the frame around it still works, and another address tries again. */
function ErrorBoundary({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  const { url } = useLocation();
  const texts = useTexts(shellTexts);
  useEffect(() => {
    if (error !== undefined) reset();
  }, [url]);
  if (error === undefined) return <>{children}</>;
  return (
    <Empty title={texts.broken} level={1}>
      <p>{texts.brokenWhy}</p>
      <p class="note">
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </p>
      <button type="button" class="button" onClick={() => location.reload()}>
        {texts.reload}
      </button>
    </Empty>
  );
}

/** Gives a screen its page; a page that the person may not read is the same as one that does not exist. */
function PageFrame({ slug, children }: { slug: string; children: ComponentChildren }) {
  const { me, hasMorePages, loadPages } = useSession();
  const page = useMemo(() => {
    const found = me.pages.find((one) => one.slug === slug);
    if (found === undefined) return undefined;
    const held = new Set(found.permissions);
    const { name, role, alertThresholdPercent } = found;
    return { slug, name, role, alertThresholdPercent, may: held.has.bind(held) };
  }, [me, slug]);
  const isLeftOut = page === undefined && hasMorePages;
  useEffect(() => {
    if (isLeftOut) loadPages();
  }, [isLeftOut]);
  if (isLeftOut) return null;
  if (page === undefined) return <NoScreen />;
  // Another page begins with nothing: its screens would draw the figures of the one before until theirs come.
  return (
    <PageContext.Provider key={slug} value={page}>
      {children}
    </PageContext.Provider>
  );
}
